import Encodings

extension UserPools {
    /// The associated data of a sealed verifier, which binds it to this user.
    private static func context(_ pool: UserPool, _ username: String) -> String { "password:\(pool.id):\(username)" }

    /// The sealed verifier of a user's new password. It takes milliseconds.
    func seal(password: String, of user: User, in pool: UserPool) -> String {
        let verifier = SRPVerifier(
            salt: SRPVerifier.makeSalt(randomness), identity: pool.srpName + user.username, password: password)
        return sealer.seal(verifier.salt + verifier.verifier, context: Self.context(pool, user.username))
    }

    /// Opens the verifier of a user's password; nil if the user has none or its sealing key is missing.
    func verifier(of user: User, in pool: UserPool) -> SRPVerifier? {
        guard let sealed = user.password,
            let bytes = sealer.open(sealed, context: Self.context(pool, user.username)),
            bytes.count == 16 + SRPGroup.byteCount
        else { return nil }
        return SRPVerifier(salt: Array(bytes[..<16]), verifier: Array(bytes[16...]))
    }

    /// A fake verifier for an unknown user, stable per name, which is that of `decoyUsername`. No password matches it.
    func fakeVerifier(of username: String, in pool: UserPool) -> SRPVerifier {
        // A user has one in any letter case of the name.
        let username = pool.usernameKey(username)
        var salt = Array(sealer.authenticationCode(of: "salt:\(pool.id):\(username)").prefix(16))
        if salt.isEmpty || salt[0] == 0 { salt = [1] + salt.dropFirst() }
        let verifier = (0..<12).flatMap { sealer.authenticationCode(of: "verifier:\($0):\(pool.id):\(username)") }
        return SRPVerifier(salt: salt, verifier: [0] + verifier.dropFirst())
    }

    /// Verifies a password and counts the attempt. Takes the same time for an unknown user.
    func isRight(
        password: String, of user: User?, named name: String, in pool: UserPool, from caller: Caller
    ) throws(CognitoError) -> Bool {
        let counted = countedName(of: user, named: name, in: pool)
        try beginAttempt(of: counted, from: caller)
        let verifier = user.flatMap { self.verifier(of: $0, in: pool) }
        let username = self.username(of: user, named: name, in: pool)
        let isRight = (verifier ?? fakeVerifier(of: username, in: pool))
            .isOf(identity: pool.srpName + username, password: password)
        guard isRight, verifier != nil else {
            countFailure(of: counted, from: caller)
            return false
        }
        attempts.succeed(counted)
        return true
    }

    /// Starts an attempt, which `countFailure` or `attempts.succeed` completes. Throws if the user is locked or the
    /// caller's network had too many failures.
    func beginAttempt(of counted: String, from caller: Caller) throws(CognitoError) {
        try attempts.begin(counted, now: now)
        try checkFailures(from: caller)
    }

    /// Throws if an attempt would be refused now, without starting one.
    func checkAttempts(of counted: String, from caller: Caller) throws(CognitoError) {
        try attempts.check(counted, now: now)
        try checkFailures(from: caller)
    }

    private func checkFailures(from caller: Caller) throws(CognitoError) {
        guard rates.allows("failures:\(caller.network)", max: limits.failuresPerAddressPerHour, now: now) else {
            throw .notAuthorized("Password attempts exceeded")
        }
    }

    func countFailure(of counted: String, from caller: Caller) {
        attempts.fail(counted, now: now)
        countNetworkFailure(from: caller)
    }

    /// Counts a failure of the caller's network alone; false if its limit was reached meanwhile.
    @discardableResult
    func countNetworkFailure(from caller: Caller) -> Bool {
        rates.take("failures:\(caller.network)", max: limits.failuresPerAddressPerHour, now: now)
    }

    /// Takes back a failure of the caller's network that was counted before the answer was known.
    func withdrawNetworkFailure(from caller: Caller) { rates.withdraw("failures:\(caller.network)", now: now) }

    /// Whether a temporary password has expired.
    func isExpired(temporaryPasswordOf user: User, in pool: UserPool) -> Bool {
        user.status == .forceChangePassword
            && now > user.passwordSetAt + pool.passwordPolicy.temporaryValidityDays * 86_400_000
    }
}
