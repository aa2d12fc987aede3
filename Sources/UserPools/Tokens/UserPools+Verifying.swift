import JSON

extension UserPools {
    /// Authenticates an access or id token: checks signature, issuer, expiry, client, session and user.
    ///
    /// - Parameter acceptsRevoked: Whether to skip the checks of client, session and user.
    public func authenticate(
        _ token: String, acceptsRevoked: Bool = false
    ) async throws(TokenRefusal) -> TokenIdentity {
        let (identity, pool) = try await verify(token)
        if acceptsRevoked { return identity }
        guard let client = identity.clientID.flatMap(directory.client), client.poolID == pool.id else {
            throw .noClient
        }
        _ = try await aliveOwner(identity, pool)
        return identity
    }

    /// Whether a token's `iss` is an issuer of a pool here.
    public func isIssuer(_ issuer: String) -> Bool {
        guard let slash = issuer.lastIndex(of: "/") else { return false }
        let id = String(issuer[issuer.index(after: slash)...])
        return directory.pool(id) != nil && directory.issuers(of: id).contains(String(issuer[..<slash]))
    }

    /// Verifies a token's form, signature, issuer, use and time, in this order (reference: authorization, "User pool tokens").
    func verify(_ text: String) async throws(TokenRefusal) -> (identity: TokenIdentity, pool: UserPool) {
        guard let token = JSONWebToken(text), let issuer = token.claims["iss"]?.stringValue,
            let slash = issuer.lastIndex(of: "/"),
            let pool = directory.pool(String(issuer[issuer.index(after: slash)...])),
            let identity = TokenIdentity(token.claims, poolID: pool.id)
        else { throw .malformed }
        let keys: [SigningKey]
        do throws(CognitoError) { keys = try self.keys.stored(of: pool.id) ?? [] } catch { throw .unavailable }
        let use = token.claims["token_use"]?.stringValue.flatMap(SigningKey.Use.init)
        guard await token.isSigned(by: keys.filter({ $0.use == use ?? $0.use }), at: now) else { throw .signature }
        guard directory.issuers(of: pool.id).contains(String(issuer[..<slash])) else { throw .issuer }
        guard use != nil else { throw .use }
        let notBefore = token.claims["nbf"]?.intValue ?? 0
        guard identity.expires > now, notBefore <= now / 1_000 else { throw .expired }
        return (identity, pool)
    }

    /// The enabled user and the active session of a token.
    private func aliveOwner(
        _ identity: TokenIdentity, _ pool: UserPool
    ) async throws(TokenRefusal) -> (user: User, session: Session) {
        let (user, session): (User?, Session?)
        do throws(CognitoError) {
            user = try await self.user(named: identity.username, in: pool)
            session = try await records.get(Session.self, identity.sessionID)
        } catch {
            throw .unavailable
        }
        guard let user, user.sub.isExactly(identity.sub) else { throw .noUser }
        // Disabling a user ends the sessions, too.
        guard user.isEnabled else { throw .disabled }
        guard let session, session.generation == user.generation, !session.isRevoked else { throw .revoked }
        return (user, session)
    }

    /// The owner of an access token that may be used for an operation of its user
    /// (reference: auth, "User-pool operations").
    func owner(ofAccessToken text: String, needing scope: String?) async throws(CognitoError) -> TokenOwner {
        let (identity, pool) = try await Self.answering { () throws(TokenRefusal) in try await verify(text) }
        guard identity.claims["token_use"] == "access",
            let client = identity.claims["client_id"]?.stringValue.flatMap(directory.client), client.poolID == pool.id
        else { throw .notAuthorized("Invalid Access Token") }
        let (user, session) = try await Self.answering { () throws(TokenRefusal) in
            try await aliveOwner(identity, pool)
        }
        let scopes = (identity.claims["scope"]?.stringValue ?? "").split(separator: " ").map(String.init)
        if let scope, !scopes.contains(scope) { throw .notAuthorized("Access Token does not have required scopes") }
        return TokenOwner(pool: pool, client: client, user: user, session: session, scopes: scopes)
    }

    /// Answers a refusal as an operation of the token's user does.
    private static func answering<Value>(
        _ body: () async throws(TokenRefusal) -> Value
    ) async throws(CognitoError) -> Value {
        do throws(TokenRefusal) {
            return try await body()
        } catch {
            switch error {
            case .signature: throw .notAuthorized("Could not verify signature for Access Token")
            case .expired: throw .notAuthorized("Access Token has expired")
            case .revoked: throw .notAuthorized("Access Token has been revoked")
            case .noUser: throw .userDoesNotExist
            case .disabled: throw .userIsDisabled
            case .unavailable: throw .internalError
            case .malformed, .issuer, .use, .noClient: throw .notAuthorized("Invalid Access Token")
            }
        }
    }
}
