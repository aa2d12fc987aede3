import Crypto
import Encodings
import JSON

extension HostedPages {
    /// Why an endpoint of OAuth refuses (RFC 6749 §5.2).
    fileprivate struct Refusal: Error {
        var error: String
        var description: String?
        static let invalidGrant = Refusal(error: "invalid_grant")
        static let invalidClient = Refusal(error: "invalid_client")
        static func invalidRequest(_ description: String) -> Refusal {
            Refusal(error: "invalid_request", description: description)
        }

        var response: HostedResponse {
            var object: JSONObject = ["error": .string(error)]
            if let description { object["error_description"] = .string(description) }
            return .json(400, JSONValue.object(object).description)
        }
    }

    /// The client that a request is made by: by Basic authentication or by fields of the form (RFC 6749 §2.3.1).
    private func client() throws(Refusal) -> UserPoolClient {
        var (id, secret) = (request.form["client_id"], request.form["client_secret"])
        if let header = request.authorization, header.prefix(6).lowercased() == "basic " {
            guard let bytes = Base64.decode(header.dropFirst(6).utf8.filter { $0 != UInt8(ascii: " ") }),
                let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
            else { throw .invalidClient }
            let basicID = Percent.decode(String(decoding: bytes[..<colon], as: UTF8.self))
            guard id == nil || id == basicID else { throw .invalidClient }
            (id, secret) = (basicID, Percent.decode(String(decoding: bytes[(colon + 1)...], as: UTF8.self)))
        }
        guard let id, let client = pools.directory.client(id), pools.serves(client, at: request.host) else {
            throw .invalidClient
        }
        if let expected = client.secret {
            guard let secret, ConstantTime.isEqual(secret, expected) else { throw .invalidClient }
        }
        return client
    }

    // MARK: /oauth2/token

    func token() async -> HostedResponse {
        do throws(Refusal) {
            let client = try client()
            guard let pool = pools.directory.pool(client.poolID) else { throw .invalidClient }
            let result: JSONObject
            switch request.form["grant_type"] {
            case "authorization_code": result = try await exchange(pool, client)
            case "refresh_token": result = try await refresh(pool, client)
            case "client_credentials": result = try await clientCredentials(pool, client)
            case nil: throw .invalidRequest("grant_type is missing")
            default: throw Refusal(error: "unsupported_grant_type")
            }
            var object = JSONObject()
            for (name, member) in [
                ("id_token", "IdToken"), ("access_token", "AccessToken"), ("refresh_token", "RefreshToken"),
                ("expires_in", "ExpiresIn"), ("token_type", "TokenType"),
            ] { if let value = result[member] { object[name] = value } }
            return .json(200, JSONValue.object(object).description)
        } catch {
            return error.response
        }
    }

    /// Exchanges a code for tokens, once. A second use ends the session of the first.
    private func exchange(_ pool: UserPool, _ client: UserPoolClient) async throws(Refusal) -> JSONObject {
        guard let code = request.form["code"] else { throw .invalidRequest("code is missing") }
        do throws(CognitoError) {
            guard var record = try await pools.records.get(AuthorizationCode.self, UserPools.hash(code)),
                record.clientID == client.id
            else { throw .wrongCredentials }
            if record.isUsed { throw try await refuseSecondUse(of: record) }
            record.isUsed = true
            // Another use at the same time was faster: this one is the second.
            guard try await pools.records.replace(record) else { throw try await refuseSecondUse(of: record) }
            let redirect = request.form["redirect_uri"] ?? client.defaultRedirectURI ?? ""
            guard record.expires > pools.now,
                redirect == record.redirectURI || Percent.decode(redirect) == record.redirectURI
            else { throw .wrongCredentials }
            if let challenge = record.codeChallenge {
                guard let verifier = request.form["code_verifier"], (43...128).contains(verifier.utf8.count),
                    ConstantTime.isEqual(
                        Base64.encodeURL(Array(SHA256.hash(data: Array(verifier.utf8)))), challenge)
                else { throw .wrongCredentials }
            } else if request.form["code_verifier"] != nil {
                // RFC 9700 §4.8.2: the challenge was removed from the authorization request.
                throw .wrongCredentials
            }
            let usernameKey = User.usernameKey(inReference: record.user)
            guard let user = try await pools.records.get(User.self, pool.id, usernameKey), user.isEnabled,
                user.credentialGeneration == record.generation
            else { throw .wrongCredentials }
            var signIn = UserPools.SignIn(pool: pool, client: client, scopes: record.scopes)
            (signIn.sessionID, signIn.isOAuth, signIn.nonce) = (record.sessionID, true, record.nonce)
            (signIn.source, signIn.authenticated) = ("TokenGeneration_HostedAuth", record.authenticated)
            let result = try await pools.beginSession(of: user, signIn)
            // A second use that came before the session was stored could not end it.
            if try await pools.records.get(AuthorizationCode.self, record.hash)?.isReplayed == true,
                let session = try await pools.records.get(Session.self, record.sessionID)
            {
                try await pools.end(session)
                throw .wrongCredentials
            }
            return result
        } catch {
            throw error.name == "NotAuthorizedException" ? .invalidGrant : Refusal(error)
        }
    }

    /// Ends the session that a code has begun, or is about to begin: the first use looks for `isReplayed` once its session is
    /// stored.
    ///
    /// - Returns: The error for the second use.
    private func refuseSecondUse(of code: AuthorizationCode) async throws(CognitoError) -> CognitoError {
        _ = try await pools.records.update(AuthorizationCode.self, code.hash) { $0.isReplayed = true }
        if let session = try await pools.records.get(Session.self, code.sessionID) { try await pools.end(session) }
        return .wrongCredentials
    }

    private func refresh(_ pool: UserPool, _ client: UserPoolClient) async throws(Refusal) -> JSONObject {
        guard let token = request.form["refresh_token"] else { throw .invalidRequest("refresh_token is missing") }
        let mayRefresh: Bool
        do throws(CognitoError) { mayRefresh = try await self.mayRefresh(token, client) } catch { throw Refusal(error) }
        guard mayRefresh else { throw Refusal(error: "unauthorized_client") }
        do throws(CognitoError) {
            return try await pools.refresh(token, pool, client, deviceKey: nil, metadata: [:]) {
                _ throws(CognitoError) in
            }
        } catch {
            throw error.name == "NotAuthorizedException" || error.name == "RefreshTokenReuseException"
                ? .invalidGrant : Refusal(error)
        }
    }

    /// A session that began by the API is refreshed here only where the client's flows allow it there, too.
    private func mayRefresh(_ token: String, _ client: UserPoolClient) async throws(CognitoError) -> Bool {
        guard !client.flows.contains(.refresh), client.rotationGraceSeconds == nil, let token = RefreshToken(token),
            let session = try await pools.records.get(Session.self, token.sessionID)
        else { return true }
        return session.isOAuth
    }

    /// A token of the client itself, of no user (RFC 6749 §4.4).
    private func clientCredentials(_ pool: UserPool, _ client: UserPoolClient) async throws(Refusal) -> JSONObject {
        guard client.secret != nil, client.allowedOAuthFlows.contains("client_credentials") else {
            throw Refusal(error: "unauthorized_client")
        }
        let asked = (request.form["scope"] ?? "").split(separator: " ").map(String.init)
        let scopes = asked.isEmpty ? client.allowedOAuthScopes : asked
        guard scopes.allSatisfy(client.allowedOAuthScopes.contains) else { throw Refusal(error: "invalid_scope") }
        let issued = pools.nowSeconds
        let claims: JSONObject = [
            "sub": .string(client.id), "token_use": "access", "scope": .string(scopes.joined(separator: " ")),
            "auth_time": .number(String(issued)), "iss": .string(pools.issuer(of: pool.id)),
            "exp": .number(String(issued + client.accessTokenSeconds)), "iat": .number(String(issued)), "version": 2,
            "jti": .string(pools.randomness.uuid()), "client_id": .string(client.id),
        ]
        do throws(CognitoError) {
            return [
                "AccessToken": .string(try await pools.keys.current(.access, of: pool.id).sign(claims)),
                "ExpiresIn": .number(String(client.accessTokenSeconds)), "TokenType": "Bearer",
            ]
        } catch {
            throw Refusal(error)
        }
    }

    // MARK: /oauth2/userInfo

    func userInfo() async -> HostedResponse {
        let header = request.authorization ?? ""
        let token = header.prefix(7).lowercased() == "bearer " ? String(header.dropFirst(7)) : header
        do throws(CognitoError) {
            let owner = try await pools.owner(ofAccessToken: token, needing: "openid")
            guard pools.serves(owner.client, at: request.host) else { throw .notAuthorized("Invalid Access Token") }
            let sets = owner.scopes.filter { ["email", "phone", "profile"].contains($0) }
            var object: JSONObject = ["sub": .string(owner.user.sub)]
            for attribute in owner.user.attributes where owner.client.mayRead(attribute.name) {
                let set =
                    attribute.name.hasPrefix("email")
                    ? "email" : attribute.name.hasPrefix("phone_number") ? "phone" : "profile"
                if sets.isEmpty || sets.contains(set) { object[attribute.name] = .string(attribute.value) }
            }
            object["username"] = .string(owner.user.username)
            return .json(200, JSONValue.object(object).description)
        } catch {
            let body: JSONValue = [
                "error": "invalid_token", "error_description": .string(error.message ?? "Invalid access token"),
            ]
            return .json(
                401, body.description,
                [("WWW-Authenticate", "error=\"invalid_token\", error_description=\"The access token is not valid\"")])
        }
    }

    // MARK: /oauth2/revoke

    func revoke() async -> HostedResponse {
        do throws(Refusal) {
            let client = try client()
            guard let token = request.form["token"] else { throw .invalidRequest("token is missing") }
            do throws(CognitoError) {
                try await pools.revoke(token, client)
            } catch {
                throw error.name == "UnsupportedTokenTypeException"
                    ? Refusal(error: "unsupported_token_type") : Refusal(error)
            }
            return HostedResponse(status: 200, contentType: nil, fields: [("Cache-Control", "no-store")], body: [])
        } catch {
            return error.response
        }
    }
}

extension HostedPages.Refusal {
    fileprivate init(_ error: CognitoError) {
        self.init(error: error.status == 500 ? "server_error" : "invalid_request", description: error.message)
    }
}
