import Encodings
import JSON

extension Authentication {
    /// First factors that a user can choose from in USER_AUTH.
    private func choices(of user: User?) -> [String] {
        let hidesUser = client.preventsUserExistenceErrors
        var choices: [String] = hidesUser || user?.password != nil ? ["PASSWORD", "PASSWORD_SRP"] : []
        let allowed = pool.others["SignInPolicy"]?["AllowedFirstAuthFactors"]?.arrayValue?.compactMap(\.stringValue)
        for (choice, attribute) in Self.codeFactors where allowed?.contains(choice) ?? false {
            if hidesUser || user?.isVerified(attribute) ?? false { choices.append(choice) }
        }
        return choices
    }

    private static let codeFactors = [("EMAIL_OTP", "email"), ("SMS_OTP", "phone_number")]

    /// Starts USER_AUTH: the client names the first factor, or receives SELECT_CHALLENGE.
    func beginChoice(_ parameters: [String: String]) async throws(CognitoError) -> JSONObject {
        guard let username = parameters["USERNAME"] else { throw .missingParameter("USERNAME") }
        let user = try await pools.findUser(username, in: pool)
        if user == nil, !client.preventsUserExistenceErrors { throw .userDoesNotExist }
        if let user { try checkStateBeforeFactor(of: user) }
        let choices = choices(of: user)
        if let preferred = parameters["PREFERRED_CHALLENGE"], choices.contains(preferred) {
            return try await begin(preferred, user, username, parameters)
        }
        var state = makeState("SELECT_CHALLENGE", user, named: username)
        state.givenName = username
        let name = pools.username(of: user, named: username, in: pool)
        var answer = pools.ask(state, ["USERNAME": .string(name)])
        answer["AvailableChallenges"] = .array(choices.map(JSONValue.string))
        return answer
    }

    /// The answer to SELECT_CHALLENGE.
    func choose(_ state: ChallengeState, _ responses: [String: String]) async throws(CognitoError) -> JSONObject {
        guard let answer = responses["ANSWER"] else { throw .missingParameter("ANSWER") }
        let user = try await pools.user(of: state)
        if let user { try checkStateBeforeFactor(of: user) }
        guard choices(of: user).contains(answer) else {
            throw answer == "WEB_AUTHN"
                ? CognitoError("WebAuthnNotEnabledException", "Passkeys are not served.")
                : .invalidParameter("Selected challenge is not available")
        }
        if answer != "PASSWORD" { try pools.use(state) }
        return try await begin(answer, user, state.givenName ?? state.usernameKey, responses)
    }

    private func begin(
        _ choice: String, _ user: User?, _ username: String, _ parameters: [String: String]
    ) async throws(CognitoError) -> JSONObject {
        let name = pools.username(of: user, named: username, in: pool)
        switch choice {
        case "PASSWORD_SRP":
            guard let clientPublic = parameters["SRP_A"] else { throw .missingParameter("SRP_A") }
            return try await beginSRP(username: username, clientPublic: clientPublic)
        case "PASSWORD":
            if let password = parameters["PASSWORD"] {
                return try await signIn(
                    username: username, password: password, deviceKey: parameters["DEVICE_KEY"])
            }
            var state = makeState("PASSWORD", user, named: username)
            state.givenName = username
            return pools.ask(state, ["USERNAME": .string(name)])
        default:
            var state = makeState(choice, user, named: username)
            state.isFirstFactor = true
            let delivery = try await sendFirstCode(&state, user, username)
            return pools.ask(
                state,
                [
                    "CODE_DELIVERY_DELIVERY_MEDIUM": .string(delivery.medium),
                    "CODE_DELIVERY_DESTINATION": .string(delivery.destination), "USERNAME": .string(name),
                ])
        }
    }

    /// Sends the code of a first factor; to nobody if there is no such user, or the user cannot sign in by it.
    private func sendFirstCode(
        _ state: inout ChallengeState, _ user: User?, _ username: String
    ) async throws(CognitoError) -> UserPools.Delivery {
        let attribute = state.challenge == "SMS_OTP" ? "phone_number" : "email"
        if let user, user.isVerified(attribute), (try? checkState(of: user)) != nil {
            let delivery = try await sendChallengeCode(&state, user, attribute)
            guard client.preventsUserExistenceErrors else { return delivery }
            return pools.shownDelivery(to: user, named: username, by: attribute, in: pool)
        }
        state.codeHash = Base64.encodeURL(pools.randomness.bytes(32))
        state.addressHash = Base64.encodeURL(pools.randomness.bytes(32))
        return try await pools.sendDecoyCode(
            to: user, named: username, for: nil, by: attribute, in: pool, from: caller)
    }

    /// The answer to PASSWORD.
    func answerPassword(_ state: ChallengeState, _ responses: [String: String]) async throws(CognitoError) -> JSONObject
    {
        guard let password = responses["PASSWORD"] else { throw .missingParameter("PASSWORD") }
        let user = try await pools.user(of: state)
        return try await signIn(
            username: user?.username ?? state.givenName ?? state.usernameKey, password: password,
            deviceKey: responses["DEVICE_KEY"])
    }
}
