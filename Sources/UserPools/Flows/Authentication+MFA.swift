import Encodings
import JSON

extension Authentication {
    typealias Factor = MFAPreference.Factor

    /// The second factors that are available to the user.
    private func factors(of user: User) -> [Factor] { Self.factors(of: user, in: pool) }

    /// The second factors that a sign-in of the user asks for.
    static func factors(of user: User, in pool: UserPool) -> [Factor] {
        let mfa = user.mfa
        return pool.enabledMFAs.filter { factor in
            let isUsable =
                switch factor {
                case .softwareToken: mfa.isTOTPVerified
                case .sms: !(user["phone_number"] ?? "").isEmpty
                case .email: !(user["email"] ?? "").isEmpty
                }
            return isUsable && mfa.isOn(factor, isRequired: pool.mfaConfiguration == .on)
        }
    }

    /// Issues the challenge for a second factor; nil if none is required.
    func askForSecondFactor(_ user: User, deviceKey: String?) async throws(CognitoError) -> JSONObject? {
        guard pool.mfaConfiguration != .off else { return nil }
        let factors = factors(of: user)
        if let preferred = user.mfa.preferred, factors.contains(preferred) {
            return try await ask(preferred, user, deviceKey: deviceKey)
        }
        switch factors.count {
        case 0: return pool.mfaConfiguration == .on ? askForSetup(user, deviceKey: deviceKey) : nil
        case 1: return try await ask(factors[0], user, deviceKey: deviceKey)
        default:
            var state = makeState("SELECT_MFA_TYPE", user)
            state.deviceKey = deviceKey
            return pools.ask(
                state,
                [
                    "MFAS_CAN_CHOOSE": .string(JSONValue.array(factors.map { .string($0.rawValue) }).description),
                    "USER_ID_FOR_SRP": .string(user.username),
                ])
        }
    }

    private func askForSetup(_ user: User, deviceKey: String?) -> JSONObject {
        var state = makeState("MFA_SETUP", user)
        state.deviceKey = deviceKey
        let names = pool.enabledMFAs.map { JSONValue.string($0.rawValue) }
        return pools.ask(
            state,
            [
                "MFAS_CAN_SETUP": .string(JSONValue.array(names).description),
                "USER_ID_FOR_SRP": .string(user.username),
            ])
    }

    /// Issues the challenge for this factor, and sends a code if the factor needs one.
    func ask(_ factor: Factor, _ user: User, deviceKey: String?) async throws(CognitoError) -> JSONObject {
        var state = makeState(factor.rawValue, user)
        state.deviceKey = deviceKey
        var parameters: JSONObject = ["USER_ID_FOR_SRP": .string(user.username)]
        if factor == .softwareToken {
            parameters["FRIENDLY_DEVICE_NAME"] = .string(user.mfa.deviceName ?? "")
        } else {
            let delivery = try await sendChallengeCode(&state, user, factor == .sms ? "phone_number" : "email")
            parameters["CODE_DELIVERY_DELIVERY_MEDIUM"] = .string(delivery.medium)
            parameters["CODE_DELIVERY_DESTINATION"] = .string(delivery.destination)
        }
        return pools.ask(state, parameters)
    }

    /// Sends the code of a challenge.
    func sendChallengeCode(
        _ state: inout ChallengeState, _ user: User, _ attribute: String
    ) async throws(CognitoError) -> UserPools.Delivery {
        guard let address = user[attribute], !address.isEmpty else {
            throw .invalidParameter("User has no \(attribute) that a code could be sent to.")
        }
        let delivery = UserPools.Delivery(attribute: attribute, address: address)
        var isSent = true
        if state.isFirstFactor {
            isSent = try pools.takeRequestedMessage(delivery, to: user, client, from: caller)
        } else {
            try pools.checkSecondFactorRate(delivery, to: user, from: caller)
        }
        let code = pools.randomness.code()
        (state.codeHash, state.addressHash) = (hash(code, state), UserPools.hash(address))
        guard isSent else {
            await pools.writeDecoy(in: pool.id)
            return delivery
        }
        try await pools.send(
            code: code, to: user, delivery, in: pool, client: client, trigger: "CustomMessage_Authentication",
            metadata: metadata)
        return delivery
    }

    private func hash(_ code: String, _ state: ChallengeState) -> String {
        Base64.encodeURL(pools.sealer.authenticationCode(of: "challenge:\(state.id):\(code)"))
    }

    /// Verifies the code that was sent for a challenge, and marks the challenge as used.
    func check(_ code: String?, _ name: String, _ state: ChallengeState) throws(CognitoError) {
        guard let code else { throw .missingParameter(name) }
        try pools.beginAttempt(of: state.attemptsName, from: caller)
        // Concurrent attempts may have failed since the session was opened.
        guard pools.singleUse.isUsable(state.id) else { throw .sessionUsed }
        guard let expected = state.codeHash, ConstantTime.isEqual(hash(code, state), expected) else {
            pools.fail(state, from: caller)
            throw .wrongChallengeCode
        }
        try pools.use(state)
        pools.attempts.succeed(state.attemptsName)
    }

    /// The answer to SMS_MFA or EMAIL_OTP.
    func verifySentCode(
        _ state: ChallengeState, _ user: User, _ responses: [String: String]
    ) async throws(CognitoError) -> JSONObject {
        try checkSentCode(state, responses)
        if state.isFirstFactor {
            let attribute = state.challenge == "SMS_OTP" ? "phone_number" : "email"
            try checkState(of: user)
            let verified = try await pools.update(user, in: pool) { user throws(CognitoError) in
                guard user[attribute].map(UserPools.hash) == state.addressHash else { throw .expiredCode }
                user["\(attribute)_verified"] = "true"
            }
            return try await continueAfterFirstFactor(verified, deviceKey: state.deviceKey)
        }
        return try await continueAfterSecondFactor(user, state)
    }

    /// Verifies the code of a message in a response, and marks the challenge as used.
    func checkSentCode(_ state: ChallengeState, _ responses: [String: String]) throws(CognitoError) {
        let name =
            state.challenge == "SMS_MFA" || state.challenge == "SMS_OTP" ? "\(state.challenge)_CODE" : "EMAIL_OTP_CODE"
        try check(responses[name], name, state)
    }

    /// The answer to SOFTWARE_TOKEN_MFA.
    func verifySoftwareToken(
        _ state: ChallengeState, _ user: User, _ responses: [String: String]
    ) async throws(CognitoError) -> JSONObject {
        guard let code = responses["SOFTWARE_TOKEN_MFA_CODE"] else {
            throw .missingParameter("SOFTWARE_TOKEN_MFA_CODE")
        }
        try pools.beginAttempt(of: state.attemptsName, from: caller)
        guard pools.singleUse.isUsable(state.id) else { throw .sessionUsed }
        guard let secret = pools.totpSecret(user.mfa.totpSecret, of: user) else { throw .wrongChallengeCode }
        guard let step = TOTP.step(of: code, secret: secret, now: now / 1_000, after: user.mfa.lastStep) else {
            pools.fail(state, from: caller)
            throw .wrongChallengeCode
        }
        try pools.use(state)
        let changed = try await pools.update(user, in: pool) { user throws(CognitoError) in
            guard user.mfa.lastStep < step else { throw .wrongChallengeCode }
            user.mfa.lastStep = step
        }
        pools.attempts.succeed(state.attemptsName)
        return try await continueAfterSecondFactor(changed, state)
    }

    private func continueAfterSecondFactor(
        _ user: User, _ state: ChallengeState
    ) async throws(CognitoError) -> JSONObject {
        if let key = state.deviceKey, let device = try await pools.records.get(Device.self, user.reference, key),
            device.verifier != nil
        {
            return askForDevice(user, device)
        }
        return try await finish(user, deviceKey: nil)
    }

    /// The answer to SELECT_MFA_TYPE.
    func selectFactor(
        _ state: ChallengeState, _ user: User, _ responses: [String: String]
    ) async throws(CognitoError) -> JSONObject {
        guard let answer = responses["ANSWER"] else { throw .missingParameter("ANSWER") }
        guard let factor = Factor(rawValue: answer), factors(of: user).contains(factor) else {
            throw .invalidParameter("Invalid answer to SELECT_MFA_TYPE: \(answer.prefix(64))")
        }
        try pools.use(state)
        return try await ask(factor, user, deviceKey: state.deviceKey)
    }

    /// Handles the response to MFA_SETUP, which carries the session from `VerifySoftwareToken`.
    func finishSetup(_ state: ChallengeState, _ user: User) async throws(CognitoError) -> JSONObject {
        guard state.challenge == "VERIFIED" else { throw .notAuthorized("Software token has not been verified.") }
        try pools.use(state)
        return try await continueAfterSecondFactor(user, state)
    }
}
