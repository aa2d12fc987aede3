extension UserPools {
    /// Sends a code to set a new password.
    func forgotPassword(
        _ known: User?, named username: String, in pool: UserPool, by client: UserPoolClient,
        metadata: [String: String], from caller: Caller
    ) async throws(CognitoError) -> Delivery {
        var known = known
        if known == nil {
            let authentication = Authentication(
                pools: self, pool: pool, client: client, caller: caller, channel: .api, metadata: metadata)
            known = try await authentication.migrate(username, password: nil)
        }
        let hidesUser = client.preventsUserExistenceErrors
        let (user, delivery): (User, Delivery)
        do throws(CognitoError) {
            let preferred = Self.typedDelivery(username)?.attribute ?? Self.onlyUsernameAttribute(pool)
            (user, delivery) = try recovery(of: known, preferring: hidesUser ? preferred : nil)
        } catch {
            guard hidesUser else { throw error }
            return try await sendDecoyCode(to: known, named: username, for: .password, in: pool, from: caller)
        }
        try await sendRequestedCode(
            to: user, delivery, for: .password, in: pool, client: client, trigger: "CustomMessage_ForgotPassword",
            metadata: metadata, from: caller)
        return hidesUser ? shownDelivery(to: user, named: username, in: pool) : delivery
    }

    /// The user who can set a new password by a code, and where the code goes.
    private func recovery(
        of known: User?, preferring attribute: String? = nil
    ) throws(CognitoError) -> (user: User, delivery: Delivery) {
        guard let user = known else { throw .combinationNotFound }
        guard user.isEnabled else { throw .userIsDisabled }
        guard user.status != .forceChangePassword, user.status != .externalProvider else {
            throw .notAuthorized("User password cannot be reset in the current state.")
        }
        guard let delivery = recoveryDelivery(of: user, preferring: attribute) else {
            throw .invalidParameter(
                "Cannot reset password for the user as there is no registered/verified email or phone_number")
        }
        return (user, delivery)
    }

    /// Sets a new password by a code. All sessions of the user end.
    func resetPassword(
        of known: User?, named username: String, code: String, to password: String, in pool: UserPool,
        by client: UserPoolClient, metadata: [String: String], from caller: Caller
    ) async throws(CognitoError) {
        if client.preventsUserExistenceErrors {
            // The name is derived for everybody, so that the answer takes the same time for users and for nobody.
            let counted = countedName(of: known, named: username, in: pool)
            if (try? recovery(of: known)) == nil {
                throw await decoyCodeError(of: counted, for: .password, in: pool.id, from: caller)
            }
        }
        guard let user = known else { throw .combinationNotFound }
        guard user.isEnabled else { throw .userIsDisabled }
        try await take(
            try await checkCode(
                code, of: user, for: .password, from: caller, hidesUser: client.preventsUserExistenceErrors))
        try await setPassword(
            password, of: user, in: pool, status: .confirmed, ifUnchangedSince: user.credentialGeneration)
        attempts.succeed(user.countedName)
        try await callPostConfirmation(
            user, in: pool, client, metadata, source: "PostConfirmation_ConfirmForgotPassword")
    }

    /// Sets a user's password and status. All sessions, sessions of browsers, authorization codes and sign-ins that are under way
    /// end, and addresses that wait for their verification are given up.
    ///
    /// - Parameter generation: The `credentialGeneration` for which a code was valid; nil where none is needed.
    func setPassword(
        _ password: String, of user: User, in pool: UserPool, status: User.Status,
        ifUnchangedSince generation: Int64? = nil
    ) async throws(CognitoError) {
        let (sealed, now) = (seal(password: password, of: user, in: pool), now)
        let changed = try await update(user, in: pool) { user throws(CognitoError) in
            if let generation, user.credentialGeneration != generation { throw .expiredCode }
            (user.password, user.passwordSetAt, user.status) = (sealed, now, status)
            user.passwordCount += 1
            user.generation += 1
        }
        services.endSessions(.user(changed.sub))
        // The new generation has invalidated their codes, except those of earlier versions, which store no generation.
        for attribute in ["email", "phone_number"] { try await removePendingAddress(attribute, of: changed) }
    }

    /// Replaces the password of a user who proved to know the old one. Sessions of browsers, authorization codes and sign-ins
    /// that are under way end; other sessions do not. A password that was set meanwhile stays.
    func changePassword(of user: User, to password: String, in pool: UserPool) async throws(CognitoError) {
        let (sealed, now, known) = (seal(password: password, of: user, in: pool), now, user.credentialGeneration)
        _ = try await update(user, in: pool) { user throws(CognitoError) in
            guard user.credentialGeneration == known else { throw .wrongCredentials }
            (user.password, user.passwordSetAt) = (sealed, now)
            user.passwordCount += 1
        }
    }
}
