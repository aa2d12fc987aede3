import Crypto
import Encodings
import JSON

/// What this server asks of a provider.
extension UserPools {
    typealias ProviderFailure = UserPoolServices.ProviderFailure

    /// The endpoints and keys of a provider.
    /// - Parameter token: A token whose key must be among them; they are fetched again for one that is not.
    func published(
        by provider: OIDCProvider, for token: String? = nil
    ) async throws(ProviderFailure) -> ProviderCache.Entry {
        if let entry = providers[provider], entry.fetched + ProviderCache.lifetime > now {
            let isKnown = token.map { IDToken.hasKey(of: $0, in: entry.keys) } ?? true
            if isKnown || entry.fetched + ProviderCache.pause > now { return entry }
        }
        var document: JSONObject = [:]
        let (endpoints, issuer) = (provider.endpoints, provider.issuer)
        if endpoints.authorize == nil || endpoints.token == nil || endpoints.keys == nil {
            document = try await object(.init(url: "\(issuer)/.well-known/openid-configuration", headers: []))
        }
        guard let metadata = ProviderMetadata(document, of: provider) else {
            throw ProviderFailure(reason: "its discovery document is not that of \(issuer), or lacks endpoints")
        }
        let keys = try await object(.init(url: metadata.keysURL, headers: []))
        let entry = ProviderCache.Entry(metadata: metadata, keys: keys, fetched: now)
        providers[provider] = entry
        return entry
    }

    /// Claims of the person that a code stands for: those of the ID token, and those of the user info that attributes are
    /// mapped from and the token lacks.
    func claims(
        for code: String, from provider: OIDCProvider, _ state: FederationState, redirectURI: String
    ) async throws(ProviderFailure) -> IDToken {
        let metadata = try await published(by: provider).metadata
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("code_verifier", state.codeVerifier),
        ]
        var headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")]
        let secret = try secret(of: provider)
        if let secret, !metadata.takesSecretInForm {
            let pair = "\(Percent.encode(provider.clientID)):\(Percent.encode(secret))"
            headers.append(("Authorization", "Basic \(Base64.encode(Array(pair.utf8)))"))
        } else {
            form.append(("client_id", provider.clientID))
            if let secret { form.append(("client_secret", secret)) }
        }
        let text = form.map { "\($0.0)=\(Percent.encode($0.1))" }.joined(separator: "&")
        let tokens = try await object(.init(url: metadata.tokenEndpoint, headers: headers, form: Array(text.utf8)))
        guard let idToken = tokens["id_token"]?.stringValue else {
            throw ProviderFailure(reason: "its token endpoint answered without an ID token")
        }
        let published = try await published(by: provider, for: idToken)
        let token: IDToken
        do throws(IDToken.Refusal) {
            token = try await IDToken(
                idToken, keys: published.keys, issuer: metadata.issuer, clientID: provider.clientID, nonce: state.nonce,
                now: nowSeconds)
        } catch {
            throw ProviderFailure(reason: error.reason)
        }
        let isComplete = provider.attributeMapping.values.allSatisfy { token.claims[$0] != nil }
        guard !isComplete, let url = metadata.userInfoEndpoint, let access = tokens["access_token"]?.stringValue else {
            return token
        }
        var more = try await object(
            .init(url: url, headers: [("Authorization", "Bearer \(access)"), ("Accept", "application/json")]))
        // OpenID Connect Core 1.0 §5.3.2: those of another subject must not be used.
        guard more["sub"]?.stringValue == token.subject else {
            throw ProviderFailure(reason: "its user info is that of another person")
        }
        // That an address there is verified says nothing of another one in the token.
        for name in ["email", "phone_number"] {
            if let own = token.claims[name], more[name] != own { more["\(name)_verified"] = nil }
        }
        return token.adding(more)
    }

    /// The client's secret at a provider.
    private func secret(of provider: OIDCProvider) throws(ProviderFailure) -> String? {
        switch provider.secret {
        case nil: return nil
        case .text(let text): return text
        case .key(let team, let id, let pem):
            let claims: JSONValue = [
                "iss": .string(team), "iat": .number(String(nowSeconds)), "exp": .number(String(nowSeconds + 300)),
                "aud": .string(provider.issuer), "sub": .string(provider.clientID),
            ]
            let header: JSONValue = ["alg": "ES256", "kid": .string(id)]
            let input =
                Base64.encodeURL(Array(header.description.utf8)) + "."
                + Base64.encodeURL(Array(claims.description.utf8))
            guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem),
                let signature = try? key.signature(for: Array(input.utf8))
            else { throw ProviderFailure(reason: "the key of its client cannot be used") }
            return input + "." + Base64.encodeURL(Array(signature.rawRepresentation))
        }
    }

    /// The object that a provider answers with.
    private func object(_ request: UserPoolServices.ProviderRequest) async throws(ProviderFailure) -> JSONObject {
        let path = request.url.split(separator: "?").first.map(String.init) ?? request.url
        switch await services.askProvider(request) {
        case .failure(let failure): throw ProviderFailure(reason: "\(path): \(failure.reason)")
        case .success(let answer):
            guard let object = (try? JSONReader.read(answer.body))?.objectValue else {
                throw ProviderFailure(reason: "\(path) answered with status \(answer.status) and no JSON object")
            }
            guard answer.status == 200 else {
                let error = object["error"]?.stringValue.map { " and \($0.prefix(100))" } ?? ""
                throw ProviderFailure(reason: "\(path) answered with status \(answer.status)\(error)")
            }
            return object
        }
    }
}
