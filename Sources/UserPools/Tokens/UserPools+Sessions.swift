import Crypto
import Encodings
import JSON

extension UserPools {
    /// The hash of a text of enough random bytes.
    static func hash(_ text: String) -> String { Base64.encodeURL(Array(SHA256.hash(data: Array(text.utf8)))) }

    /// What a sign-in is about, beside the user.
    struct SignIn: Sendable {
        var pool: UserPool
        var client: UserPoolClient
        var scopes = [UserPoolClient.adminScope]
        /// The session's id, if it was given out before.
        var sessionID: String?
        var isOAuth = false
        var nonce: String?
        var deviceKey: String?
        /// What tells PreTokenGeneration why there are tokens.
        var source = "TokenGeneration_Authentication"
        var metadata: [String: String] = [:]
        /// When the user signed in, in milliseconds since 1970; nil for now.
        var authenticated: Int64?
    }

    /// Begins a session.
    /// - Returns: `AuthenticationResultType`.
    func beginSession(of user: User, _ signIn: SignIn) async throws(CognitoError) -> JSONObject {
        let id = signIn.sessionID ?? randomness.uuid()
        let token = RefreshToken(sessionID: id, rotationCount: 0, secret: randomness.bytes(32), by: sealer).text
        let now = now
        var session = Session(
            id: id, user: user.reference, clientID: signIn.client.id, created: now,
            expires: now + signIn.client.refreshTokenSeconds * 1_000, generation: user.generation,
            scopes: signIn.scopes, refreshHash: Self.hash(token))
        (session.isOAuth, session.nonce, session.deviceKey) = (signIn.isOAuth, signIn.nonce, signIn.deviceKey)
        if let authenticated = signIn.authenticated { session.authenticated = authenticated }
        var result = try await tokens(of: session, user, signIn)
        guard try await records.insert(session) else { throw .internalError }
        result["RefreshToken"] = .string(token)
        try await boundSessions(of: user, keeping: id)
        return result
    }

    /// Ends the oldest session of a user who has too many, but never the one that was just made.
    private func boundSessions(of user: User, keeping newest: String) async throws(CognitoError) {
        let max = limits.sessionsPerUserMax
        let sessions = try await records.query(Session.self, "byUser", of: user.reference, limit: max + 10).records
        for session in sessions.dropLast(max) where session.id != newest {
            _ = try await records.delete(session)
            forget(session)
        }
    }

    /// Makes new tokens of a session by its refresh token (reference: auth, "Refresh").
    func refresh(
        _ token: String, _ pool: UserPool, _ client: UserPoolClient, deviceKey: String?, metadata: [String: String],
        checkSecret: (User) throws(CognitoError) -> Void
    ) async throws(CognitoError) -> JSONObject {
        for _ in 0..<RecordStore.attemptsMax {
            let result = try await refreshOnce(
                token, pool, client, deviceKey: deviceKey, metadata: metadata, checkSecret: checkSecret)
            if let result { return result }
        }
        throw .tooManyRequests
    }

    /// - Returns: Nil if another refresh replaced the token meanwhile, which is then within its grace period.
    private func refreshOnce(
        _ token: String, _ pool: UserPool, _ client: UserPoolClient, deviceKey: String?, metadata: [String: String],
        checkSecret: (User) throws(CognitoError) -> Void
    ) async throws(CognitoError) -> JSONObject? {
        guard let parsed = RefreshToken(token),
            let session = try await records.get(Session.self, parsed.sessionID), session.clientID == client.id
        else { throw .notAuthorized("Invalid Refresh Token") }
        let hash = Self.hash(token)
        let isCurrent = ConstantTime.isEqual(hash, session.refreshHash)
        let replaced = isCurrent ? nil : session.replacedToken(hash)
        guard isCurrent || replaced != nil || parsed.wasCurrent(in: session, by: sealer) else {
            throw .notAuthorized("Invalid Refresh Token")
        }
        let usernameKey = User.usernameKey(inReference: session.user)
        guard let user = try await records.get(User.self, pool.id, usernameKey) else {
            throw .notAuthorized("Invalid Refresh Token")
        }
        try checkSecret(user)
        // Disabling a user ends the sessions, too.
        guard user.isEnabled else { throw .userIsDisabled }
        guard session.generation == user.generation, !session.isRevoked else {
            throw .notAuthorized("Refresh Token has been revoked")
        }
        guard session.expires > now else { throw .notAuthorized("Refresh Token has expired") }
        if let known = session.deviceKey {
            guard let device = try await records.get(Device.self, user.reference, known) else {
                throw .deviceDoesNotExist
            }
            // Clients name the devices that they have confirmed.
            guard device.verifier == nil || deviceKey == known else { throw .notAuthorized("Invalid Refresh Token") }
        }
        if !isCurrent, (replaced?.until ?? .min) <= now {
            // The token may have been stolen, so the session ends for both holders.
            try await end(session)
            throw CognitoError("RefreshTokenReuseException", "Refresh token reuse is not allowed.")
        }
        var signIn = SignIn(pool: pool, client: client, scopes: session.scopes)
        (signIn.isOAuth, signIn.metadata) = (session.isOAuth, metadata)
        signIn.source = "TokenGeneration_RefreshTokens"
        var result = try await tokens(of: session, user, signIn)
        let now = now
        if let grace = client.rotationGraceSeconds, isCurrent, session.canRotate(now: now) {
            var rotated = session
            let next = RefreshToken(after: parsed, rotationCount: session.rotationCount + 1, by: sealer)
            rotated.rotate(to: Self.hash(next.text), acceptingReplacedUntil: now + grace * 1_000, now: now)
            guard try await records.replace(rotated) else {
                // Without a grace period, another attempt would count as reuse and end the session.
                guard grace > 0 else { throw .tooManyRequests }
                return nil
            }
            result["RefreshToken"] = .string(next.text)
        } else if client.rotationGraceSeconds != nil, !isCurrent, let current = current(after: parsed, in: session) {
            result["RefreshToken"] = .string(current.text)
        }
        return result
    }

    /// The current token of a session, for a client that shows a replaced one within its grace period, because it did not
    /// receive the answer or another client of the session was faster. Nil if another sealing key, or an earlier version,
    /// made one of the tokens between them.
    private func current(after replaced: RefreshToken, in session: Session) -> RefreshToken? {
        guard var count = replaced.rotationCount.map(Int64.init) else { return nil }
        var token = replaced
        for _ in 0..<Session.replacedTokensMax {
            count += 1
            token = RefreshToken(after: token, rotationCount: count, by: sealer)
            if ConstantTime.isEqual(Self.hash(token.text), session.refreshHash) { return token }
        }
        return nil
    }

    /// Ends a session: its tokens are refused from now on.
    func end(_ session: Session) async throws(CognitoError) {
        guard !session.isRevoked else { return }
        _ = try await records.update(Session.self, session.id) { $0.isRevoked = true }
        forget(session)
    }

    private func forget(_ session: Session) {
        services.endSessions(.session(session.id))
    }

    /// Ends all sessions of a user.
    ///
    /// - Returns: The user as it is stored now.
    @discardableResult
    func endSessions(of user: User, in pool: UserPool) async throws(CognitoError) -> User {
        let changed = try await records.update(User.self, pool.id, user.usernameKey) { $0.generation += 1 }
        services.endSessions(.user(user.sub))
        return changed ?? user
    }
}
