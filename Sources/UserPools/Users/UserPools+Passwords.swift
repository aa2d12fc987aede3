import Encodings

extension UserPools {
    /// What a password's verifier is sealed with: it opens for this user alone.
    private static func context(_ pool: UserPool, _ username: String) -> String { "password:\(pool.id):\(username)" }

    /// The sealed verifier of a user's new password. It takes milliseconds.
    func seal(password: String, of user: User, in pool: UserPool) -> String {
        let verifier = SRPVerifier(
            salt: SRPVerifier.makeSalt(randomness), identity: pool.srpName + user.username, password: password)
        return sealer.seal(verifier.salt + verifier.verifier, context: Self.context(pool, user.username))
    }

    /// The verifier of a user's password; nil of a user without one, and where the key that sealed it is gone.
    func verifier(of user: User, in pool: UserPool) -> SRPVerifier? {
        guard let sealed = user.password,
            let bytes = sealer.open(sealed, context: Self.context(pool, user.username)),
            bytes.count == 16 + SRPGroup.byteCount
        else { return nil }
        return SRPVerifier(salt: Array(bytes[..<16]), verifier: Array(bytes[16...]))
    }

    /// What stands for the verifier of a user who does not exist: the same for one name, and nobody's.
    func fakeVerifier(of username: String, in pool: UserPool) -> SRPVerifier {
        var salt = Array(sealer.authenticationCode(of: "salt:\(pool.id):\(username)").prefix(16))
        if salt.isEmpty || salt[0] == 0 { salt = [1] + salt.dropFirst() }
        let verifier = (0..<12).flatMap { sealer.authenticationCode(of: "verifier:\($0):\(pool.id):\(username)") }
        return SRPVerifier(salt: salt, verifier: [0] + verifier.dropFirst())
    }

    /// Whether a password is the user's, counted against those who guess. As long for a user who does not exist.
    func isRight(
        password: String, of user: User?, named name: String, in pool: UserPool, from caller: Caller
    ) throws(CognitoError) -> Bool {
        let reference = "\(pool.id)#\(user?.usernameKey ?? pool.usernameKey(name))"
        try beginAttempt(of: reference, from: caller)
        let verifier = user.flatMap { self.verifier(of: $0, in: pool) }
        let isRight = (verifier ?? fakeVerifier(of: name, in: pool))
            .isOf(identity: pool.srpName + (user?.username ?? name), password: password)
        guard isRight, verifier != nil else {
            countFailure(of: reference, from: caller)
            return false
        }
        attempts.succeed(reference)
        return true
    }

    /// Begins an attempt of a user, which `countFailure` or `attempts.succeed` ends; refuses it where the user or the address
    /// has failed too often.
    func beginAttempt(of reference: String, from caller: Caller) throws(CognitoError) {
        try attempts.begin(reference, now: now)
        try checkFailures(from: caller)
    }

    /// Refuses what precedes an attempt where the attempt would be refused.
    func checkAttempts(of reference: String, from caller: Caller) throws(CognitoError) {
        try attempts.check(reference, now: now)
        try checkFailures(from: caller)
    }

    private func checkFailures(from caller: Caller) throws(CognitoError) {
        guard rates.allows("failures:\(caller.network)", max: limits.failuresPerAddressPerHour, now: now) else {
            throw .notAuthorized("Password attempts exceeded")
        }
    }

    func countFailure(of reference: String, from caller: Caller) {
        attempts.fail(reference, now: now)
        _ = rates.take("failures:\(caller.network)", max: limits.failuresPerAddressPerHour, now: now)
    }

    /// Whether a temporary password has ended.
    func isExpired(temporaryPasswordOf user: User, in pool: UserPool) -> Bool {
        user.status == .forceChangePassword
            && now > user.passwordSetAt + pool.passwordPolicy.temporaryValidityDays * 86_400_000
    }
}
