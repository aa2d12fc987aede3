import JSON

extension UserPools {
    /// Verifies the first code of an authenticator app, which proves that the app has the secret.
    ///
    /// - Parameter isFirst: Whether a sign-in sets the app up, which a user without a second factor alone may do.
    func verifySoftwareToken(
        _ code: String, _ sealed: String?, _ name: String?, of user: User, in pool: UserPool, from caller: Caller,
        isFirst: Bool = false
    ) async throws(CognitoError) {
        guard let secret = totpSecret(sealed, of: user) else {
            throw .invalidParameter("User has not been given a software token: AssociateSoftwareToken comes first.")
        }
        // Not under the names of passwords and of sign-ins, whose counts a right code of an app of one's own must not reset.
        let attemptsName = "setup:\(user.countedName)"
        try beginAttempt(of: attemptsName, from: caller)
        guard let step = TOTP.step(of: code, secret: secret, now: now / 1_000, after: user.mfa.lastStep) else {
            countFailure(of: attemptsName, from: caller)
            throw CognitoError("EnableSoftwareTokenMFAException", "Code mismatch")
        }
        let isRequired = pool.mfaConfiguration == .on
        _ = try await update(user, in: pool) { user throws(CognitoError) in
            if isFirst { try Self.refuseSetup(of: user, in: pool) }
            (user.mfa.totpSecret, user.mfa.isTOTPVerified, user.mfa.deviceName) = (sealed, true, name)
            user.mfa.pendingSecret = nil
            user.mfa.lastStep = step
            if isRequired { user.mfa.disabled.removeAll { $0 == .softwareToken } }
        }
        attempts.succeed(attemptsName)
    }
}

extension UserPools {
    /// Throws if a user has a second factor already: a sign-in that sets one up has proved the password alone. An app that was
    /// switched off, such as one that was lost, is replaced.
    static func refuseSetup(of user: User, in pool: UserPool) throws(CognitoError) {
        let hasApp = user.mfa.isTOTPVerified && !user.mfa.disabled.contains(.softwareToken)
        guard !hasApp, Authentication.factors(of: user, in: pool).isEmpty else {
            throw .notAuthorized("Invalid session for the user.")
        }
    }
}

extension OperationCall {
    /// The state in the input's `Session`, for a sign-in that sets up an authenticator app.
    func setupState() async throws(CognitoError) -> (state: ChallengeState, user: User, pool: UserPool) {
        guard let session = input.string("Session") else {
            throw .invalidParameter("Either AccessToken or Session is required.")
        }
        guard let state = try pools.openSetup(session: session), let pool = pools.directory.pool(state.poolID),
            let user = try await pools.user(of: state)
        else { throw .notAuthorized("Invalid session for the user.") }
        // Otherwise anybody who knows the password could set up an app that the pool never asks for as a second factor.
        guard pool.enabledMFAs.contains(.softwareToken) else { throw .softwareTokenIsOff }
        try UserPools.refuseSetup(of: user, in: pool)
        return (state, user, pool)
    }

    /// Switches the second factors on and off that the input names.
    ///
    /// - Parameter keepsOne: Whether the last factor cannot be switched off where MFA is required: a user who did so could not
    ///   sign in any more without setting up another one.
    func setMFAPreference(of user: User, in pool: UserPool, keepsOne: Bool) async throws(CognitoError) {
        let factors: [(String, MFAPreference.Factor)] = [
            ("SMSMfaSettings", .sms), ("SoftwareTokenMfaSettings", .softwareToken), ("EmailMfaSettings", .email),
        ]
        let input = input
        if factors.filter({ input.object($0.0)?["PreferredMfa"]?.boolValue == true }).count > 1 {
            throw .invalidParameter("Only one MFA method can be preferred.")
        }
        _ = try await pools.update(user, in: pool) { user throws(CognitoError) in
            let hadFactor = !Authentication.factors(of: user, in: pool).isEmpty
            for (name, factor) in factors {
                guard let settings = input.object(name) else { continue }
                let isEnabled = settings["Enabled"]?.boolValue ?? false
                if isEnabled, factor == .softwareToken, !user.mfa.isTOTPVerified {
                    throw .invalidParameter("User has not verified software token mfa")
                }
                if isEnabled, factor == .sms, (user["phone_number"] ?? "").isEmpty {
                    throw .invalidParameter("User does not have delivery config set to turn on SMS_MFA")
                }
                if isEnabled, factor == .email, (user["email"] ?? "").isEmpty {
                    throw .invalidParameter("User does not have delivery config set to turn on EMAIL_OTP")
                }
                user.mfa.set(
                    factor, isEnabled: isEnabled, isPreferred: settings["PreferredMfa"]?.boolValue ?? false)
            }
            guard keepsOne, hadFactor, pool.mfaConfiguration == .on else { return }
            guard !Authentication.factors(of: user, in: pool).isEmpty else {
                throw .invalidParameter("The last MFA method cannot be disabled, because the user pool requires MFA.")
            }
        }
    }
}

extension UserPools {
    /// The state in a `Session` whose sign-in sets up an authenticator app; nil of any other, and of the hosted pages,
    /// which set it up themselves.
    func openSetup(session: String) throws(CognitoError) -> ChallengeState? {
        guard let bytes = sealer.open(session, context: "session"),
            let object = (try? JSONReader.read(bytes))?.objectValue, let state = ChallengeState(object),
            state.challenge == "MFA_SETUP", state.channel != .hosted
        else { return nil }
        guard state.expires > now else { throw .sessionExpired }
        guard singleUse.isUsable(state.id) else { throw .sessionUsed }
        return state
    }
}
