import JSON
import Synchronization
import Tables

extension UserPools {
    /// A login that was proven by an id token.
    struct Login: Sendable {
        var token: TokenIdentity
        /// When the session of the token was still active, in milliseconds since 1970.
        var checked: Int64
        /// What finds the identity: the user pool and the `sub`.
        var key: String { "\(token.poolID):\(token.sub)" }
    }

    /// The identity pool of an id.
    func identityPool(_ id: String) throws(CognitoError) -> IdentityPool {
        guard let pool = directory.identityPool(id) else {
            throw .resourceNotFound("IdentityPool '\(id)' not found.")
        }
        return pool
    }

    /// The logins of a request, each with its id token (reference: auth, "Identity pools").
    func logins(_ texts: [String: String], in pool: IdentityPool) async throws(CognitoError) -> [Login] {
        guard texts.count <= Self.loginsMax else {
            throw .invalidParameter(
                "1 validation error detected: Value at 'logins' failed to satisfy constraint: "
                    + "Member must have length less than or equal to \(Self.loginsMax)")
        }
        let checked = now
        var logins: [Login] = []
        for (provider, text) in texts.sorted(by: { $0.key < $1.key }) {
            guard let token = JSONWebToken(text) else { throw .notAuthorized("Invalid login token.") }
            let identity: TokenIdentity
            do throws(TokenRefusal) {
                (identity, _) = try await verify(text)
            } catch {
                switch error {
                case .expired:
                    let exp = token.claims["exp"].map { "\($0)" } ?? ""
                    throw .notAuthorized("Invalid login token. Token expired: \(exp) >= \(now / 1_000)")
                case .unavailable: throw .internalError
                case .malformed where token.claims["iss"]?.stringValue != nil:
                    throw .notAuthorized("Token is not from a supported provider of this identity pool.")
                default: throw .notAuthorized("Invalid login token.")
                }
            }
            guard identity.claims["token_use"] == "id", let audience = identity.claims["aud"]?.stringValue else {
                throw .notAuthorized("Invalid login token.")
            }
            // Clients write the provider's host as it is at AWS, or as it is here; the pool's id counts.
            let isNamed = provider.split(separator: "/").last.map(String.init) == identity.poolID
            let isTaken =
                pool.providers.isEmpty
                || pool.providers.contains { $0.poolID == identity.poolID && $0.clientID ?? audience == audience }
            guard isNamed, isTaken, directory.client(audience)?.poolID == identity.poolID else {
                throw .notAuthorized("Token is not from a supported provider of this identity pool.")
            }
            do throws(TokenRefusal) {
                _ = try await authenticate(text)
            } catch {
                throw .notAuthorized("Invalid login token.")
            }
            logins.append(Login(token: identity, checked: checked))
        }
        return logins
    }

    /// Logins of a request (Amazon Cognito Federated Identities API Reference, "GetId").
    static let loginsMax = 10

    /// The identity of logins, the same for ever; without logins a new guest.
    func identity(
        of logins: [Login], in pool: IdentityPool, from caller: Caller
    ) async throws(CognitoError) -> Identity {
        guard let login = logins.first else {
            guard pool.allowsUnauthenticatedIdentities else {
                throw .notAuthorized("Unauthenticated access is not supported for this identity pool.")
            }
            guard rates.take("guest:\(caller.network)", max: limits.guestsPerAddressPerHour, now: now) else {
                throw .tooManyRequests
            }
            return try await makeIdentity(in: pool, login: nil)
        }
        for _ in 0..<RecordStore.attemptsMax {
            if let alias = try await records.get(Alias.self, pool.id, login.key),
                let identity = try await records.get(Identity.self, alias.target)
            {
                return identity
            }
            if let made = try? await makeIdentity(in: pool, login: login) { return made }
        }
        throw .tooManyRequests
    }

    private func makeIdentity(in pool: IdentityPool, login: Login?) async throws(CognitoError) -> Identity {
        var identity = Identity(id: "\(pool.region):\(randomness.uuid())", poolID: pool.id, created: now)
        var writes: [RecordWrite] = []
        if let login {
            identity.logins = [login.key]
            writes.append(.insert(Alias(poolID: pool.id, alias: login.key, target: identity.id)))
        }
        guard try await records.write(writes + [.insert(identity)]) else { throw .tooManyRequests }
        return identity
    }

    /// The identity that a request names, with its logins; a guest who signs in keeps the identity if the login is new.
    func identity(
        _ id: String, _ logins: [Login], in pool: IdentityPool
    ) async throws(CognitoError) -> Identity {
        guard var identity = try await records.get(Identity.self, id), identity.poolID == pool.id else {
            throw .resourceNotFound("Identity '\(id)' not found.")
        }
        guard let login = logins.first else {
            guard identity.logins.isEmpty else { throw .notAuthorized("Access to Identity '\(id)' is forbidden.") }
            guard pool.allowsUnauthenticatedIdentities else {
                throw .notAuthorized("Unauthenticated access is not supported for this identity pool.")
            }
            return identity
        }
        if identity.logins.contains(where: login.key.isExactly) { return identity }
        if let alias = try await records.get(Alias.self, pool.id, login.key) {
            guard let known = try await records.get(Identity.self, alias.target) else { throw .internalError }
            guard identity.logins.isEmpty else {
                throw .notAuthorized(
                    "Logins don't match. Please include at least one valid login for this identity or identity pool.")
            }
            return known
        }
        guard identity.logins.isEmpty else {
            throw .notAuthorized(
                "Logins don't match. Please include at least one valid login for this identity or identity pool.")
        }
        (identity.logins, identity.modified) = ([login.key], now)
        let alias = Alias(poolID: pool.id, alias: login.key, target: identity.id)
        guard try await records.write([.insert(alias), .replace(identity)]) else { throw .tooManyRequests }
        return identity
    }

    /// The role of an identity: a group's by the token, or the pool's.
    func role(of logins: [Login], in pool: IdentityPool, custom: String?) throws(CognitoError) -> String {
        guard let claims = logins.first?.token.claims else { return pool.unauthenticatedRole }
        let roles = claims["cognito:roles"]?.arrayValue?.compactMap(\.stringValue) ?? []
        if let custom {
            guard pool.usesTokenRoles, roles.contains(custom) else {
                throw .notAuthorized("Custom role is not allowed for this identity.")
            }
            return custom
        }
        guard pool.usesTokenRoles, !roles.isEmpty else { return pool.authenticatedRole }
        return claims["cognito:preferred_role"]?.stringValue ?? pool.authenticatedRole
    }

    /// Temporary credentials of an identity.
    func credentials(
        of identity: Identity, _ logins: [Login], in pool: IdentityPool, customRole: String?
    ) async throws(CognitoError) -> TemporaryCredentials {
        let role = try role(of: logins, in: pool, custom: customRole)
        if identity.logins.isEmpty { try await noteUse(of: identity) }
        // Not from now on: sessions that have ended since the check end these credentials, too.
        let issued = logins.first?.checked ?? now
        let temporary = TemporaryIdentity(
            poolID: pool.id, identityID: identity.id, isAuthenticated: !logins.isEmpty, role: role,
            group: try await group(of: logins, withRole: role), userPoolID: logins.first?.token.poolID,
            sub: logins.first?.token.sub, expires: issued + TemporaryCredentials.lifetime)
        return TemporaryCredentials(temporary, by: sealer, randomness)
    }

    /// Notes that a guest is used, so that `removeUnusedGuests` keeps it.
    private func noteUse(of guest: Identity) async throws(CognitoError) {
        let now = now
        if let used = guest.used, now - used < Identity.usePrecision { return }
        let noted = try await records.update(Identity.self, guest.id) { $0.used = max($0.used ?? now, now) }
        if noted == nil { throw .resourceNotFound("Identity '\(guest.id)' not found.") }
    }

    /// The first group of the caller that has a role; nil if none of them has it.
    private func group(of logins: [Login], withRole role: String) async throws(CognitoError) -> String? {
        guard let token = logins.first?.token else { return nil }
        for name in (token.claims["cognito:groups"]?.arrayValue ?? []).compactMap(\.stringValue) {
            if try await records.get(Group.self, token.poolID, name)?.roleARN == role { return name }
        }
        return nil
    }

    /// The credentials with an access key's id and a session token, also those that have ended; nil of others.
    public func issuedCredentials(accessKeyID: String, sessionToken: String) -> TemporaryCredentials? {
        TemporaryCredentials(accessKeyID: accessKeyID, sessionToken: sessionToken, by: sealer)
    }

    /// Whether credentials are not valid any more, by their time or because the sessions of their user have ended.
    public func hasEnded(_ credentials: TemporaryCredentials) -> Bool {
        let expires = credentials.identity.expires
        guard expires > now else { return true }
        return credentials.identity.sub.map { endedUsers.hasEnded($0, since: expires - TemporaryCredentials.lifetime) }
            ?? false
    }

    /// The configured access key of an id.
    public func accessKey(_ id: String) -> AccessKey? { accessKeys.withLock { $0[id] } }

    /// The token of OpenID Connect that says who an identity is.
    func openIDToken(
        of identity: Identity, _ logins: [Login], in pool: IdentityPool
    ) async throws(CognitoError) -> String {
        if identity.logins.isEmpty { try await noteUse(of: identity) }
        let issued = now / 1_000
        let methods: [JSONValue] =
            logins.first.map { login in
                let provider =
                    "cognito-idp.\(login.token.poolID.prefix { $0 != "_" }).amazonaws.com/\(login.token.poolID)"
                return [
                    "authenticated", .string(provider), .string("\(provider):CognitoSignIn:\(login.token.sub)"),
                ]
            } ?? ["unauthenticated"]
        let claims: JSONObject = [
            "sub": .string(identity.id), "aud": .string(pool.id), "amr": .array(methods),
            "iss": .string(issuerBase.withLock { $0 } ?? "https://cognito-identity.amazonaws.com"),
            "exp": .number(String(issued + 600)), "iat": .number(String(issued)),
        ]
        return try await keys.current(.id, of: Self.keyName(pool)).sign(claims)
    }

    /// The name of an identity pool's keys: as its id, without the colon, which not every file system has.
    static func keyName(_ pool: IdentityPool) -> String {
        "identity-\(String(pool.id.map { $0 == ":" ? "-" : $0 }))"
    }
}
