import JSON

extension Authentication {
    /// First factors that a user can choose from in USER_AUTH.
    private func choices(of user: User?) -> [String] {
        guard let user else { return ["PASSWORD", "PASSWORD_SRP"] }
        var choices: [String] = user.password == nil ? [] : ["PASSWORD", "PASSWORD_SRP"]
        let allowed = pool.others["SignInPolicy"]?["AllowedFirstAuthFactors"]?.arrayValue?.compactMap(\.stringValue)
        if user.isVerified("email"), allowed?.contains("EMAIL_OTP") ?? false { choices.append("EMAIL_OTP") }
        if user.isVerified("phone_number"), allowed?.contains("SMS_OTP") ?? false { choices.append("SMS_OTP") }
        return choices
    }

    /// Starts USER_AUTH: the client names the first factor, or receives SELECT_CHALLENGE.
    func beginChoice(_ parameters: [String: String]) async throws(CognitoError) -> JSONObject {
        guard let username = parameters["USERNAME"] else { throw .missingParameter("USERNAME") }
        let user = try await pools.findUser(username, in: pool)
        if user == nil, !client.preventsUserExistenceErrors { throw .userDoesNotExist }
        if let user { try checkState(of: user) }
        let choices = choices(of: user)
        if let preferred = parameters["PREFERRED_CHALLENGE"], choices.contains(preferred) {
            return try await begin(preferred, user, username, parameters)
        }
        var state = ChallengeState(
            challenge: "SELECT_CHALLENGE", poolID: pool.id, clientID: client.id,
            usernameKey: user?.usernameKey ?? pool.usernameKey(username), id: pools.randomness.uuid(),
            expires: now + client.authSessionMinutes * 60_000)
        state.sub = user?.sub
        var answer = pools.ask(state, ["USERNAME": .string(user?.username ?? username)])
        answer["AvailableChallenges"] = .array(choices.map(JSONValue.string))
        return answer
    }

    /// The answer to SELECT_CHALLENGE.
    func choose(_ state: ChallengeState, _ responses: [String: String]) async throws(CognitoError) -> JSONObject {
        guard let answer = responses["ANSWER"] else { throw .missingParameter("ANSWER") }
        let user = try await pools.user(of: state)
        if let user { try checkState(of: user) }
        guard choices(of: user).contains(answer) else {
            throw answer == "WEB_AUTHN"
                ? CognitoError("WebAuthnNotEnabledException", "Passkeys are not served.")
                : .invalidParameter("Selected challenge is not available")
        }
        if answer != "PASSWORD" { try pools.use(state) }
        return try await begin(answer, user, state.usernameKey, responses)
    }

    private func begin(
        _ choice: String, _ user: User?, _ username: String, _ parameters: [String: String]
    ) async throws(CognitoError) -> JSONObject {
        let name = user?.username ?? username
        switch choice {
        case "PASSWORD_SRP":
            guard let clientPublic = parameters["SRP_A"] else { throw .missingParameter("SRP_A") }
            return try await beginSRP(username: name, clientPublic: clientPublic)
        case "PASSWORD":
            if let password = parameters["PASSWORD"] {
                return try await signIn(username: name, password: password, deviceKey: parameters["DEVICE_KEY"])
            }
            var state = ChallengeState(
                challenge: "PASSWORD", poolID: pool.id, clientID: client.id,
                usernameKey: user?.usernameKey ?? pool.usernameKey(username), id: pools.randomness.uuid(),
                expires: now + client.authSessionMinutes * 60_000)
            state.sub = user?.sub
            return pools.ask(state, ["USERNAME": .string(name)])
        default:
            guard let user else { throw .wrongCredentials }
            var state = pools.makeState(choice, user, pool, client)
            state.isFirstFactor = true
            let delivery = try await sendChallengeCode(&state, user, choice == "SMS_OTP" ? "phone_number" : "email")
            return pools.ask(
                state,
                [
                    "CODE_DELIVERY_DELIVERY_MEDIUM": .string(delivery.medium),
                    "CODE_DELIVERY_DESTINATION": .string(delivery.destination), "USERNAME": .string(name),
                ])
        }
    }

    /// The answer to PASSWORD.
    func answerPassword(_ state: ChallengeState, _ responses: [String: String]) async throws(CognitoError) -> JSONObject
    {
        guard let password = responses["PASSWORD"] else { throw .missingParameter("PASSWORD") }
        let user = try await pools.user(of: state)
        return try await signIn(
            username: user?.username ?? state.usernameKey, password: password, deviceKey: responses["DEVICE_KEY"])
    }
}
