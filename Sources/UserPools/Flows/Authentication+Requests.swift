import JSON

extension Authentication {
    /// Starts the requested flow (reference: auth, "Authentication flows").
    func begin(_ flow: String, _ call: OperationCall, _ parameters: [String: String]) async throws(CognitoError)
        -> JSONObject
    {
        try checkFlow(flow)
        try Self.checkUsername(parameters)
        if flow.hasPrefix("REFRESH_TOKEN") { return try await refresh(call, parameters) }
        if let username = parameters["USERNAME"] {
            let user = client.secret == nil ? nil : try await pools.findUser(username, in: pool)
            try call.checkSecretHash(
                parameters["SECRET_HASH"], of: [username, user?.username ?? username], client)
        }
        func parameter(_ name: String) throws(CognitoError) -> String {
            guard let value = parameters[name], !value.isEmpty else { throw .missingParameter(name) }
            return value
        }
        let username = try parameter("USERNAME")
        switch flow {
        case "USER_SRP_AUTH":
            return try await beginSRP(username: username, clientPublic: try parameter("SRP_A"))
        case "CUSTOM_AUTH": return try await beginCustom(username, parameters)
        case "USER_AUTH": return try await beginChoice(parameters)
        default:
            return try await signIn(
                username: username, password: try parameter("PASSWORD"), deviceKey: parameters["DEVICE_KEY"])
        }
    }

    /// Throws if the user name is longer than operations take it.
    private static func checkUsername(_ texts: [String: String]) throws(CognitoError) {
        guard let username = texts["USERNAME"], !username.isEmpty else { return }
        _ = try OperationInput(["Username": .string(username)], for: [.username])
    }

    /// All flows of the interface.
    static let flows = [
        "USER_SRP_AUTH", "REFRESH_TOKEN_AUTH", "REFRESH_TOKEN", "CUSTOM_AUTH", "ADMIN_NO_SRP_AUTH",
        "USER_PASSWORD_AUTH", "ADMIN_USER_PASSWORD_AUTH", "USER_AUTH",
    ]

    private func checkFlow(_ flow: String) throws(CognitoError) {
        let needed: UserPoolClient.Flow
        switch flow {
        case "USER_SRP_AUTH": needed = .srp
        case "REFRESH_TOKEN_AUTH", "REFRESH_TOKEN": needed = .refresh
        case "CUSTOM_AUTH": needed = .custom
        case "USER_PASSWORD_AUTH": needed = .password
        case "USER_AUTH": needed = .user
        default:
            guard channel == .administration else {
                throw .invalidParameter("Initiate Auth method not supported.")
            }
            guard client.flows.contains(.admin) else {
                throw .invalidParameter("Auth flow not enabled for this client")
            }
            return
        }
        // Flows that a client lists are allowed whatever its providers are (Amazon Cognito API Reference,
        // `SupportedIdentityProviders`). Of the flows that are allowed by default, a client whose people sign in by other
        // providers only has refresh.
        let isAllowed = client.explicitAuthFlows != nil || client.allowsPasswords || needed == .refresh
        // A client that rotates its tokens refreshes by GetTokensFromRefreshToken alone (AWS Cognito Developer Guide, "Refresh
        // token rotation").
        let isReplaced = needed == .refresh && client.rotationGraceSeconds != nil
        guard isAllowed, !isReplaced, client.flows.contains(needed) else {
            throw .invalidParameter("\(flow) flow not enabled for this client")
        }
    }

    private func refresh(_ call: OperationCall, _ parameters: [String: String]) async throws(CognitoError) -> JSONObject
    {
        guard let token = parameters["REFRESH_TOKEN"], !token.isEmpty else { throw .missingParameter("REFRESH_TOKEN") }
        let client = client
        let result = try await pools.refresh(
            token, pool, client, deviceKey: parameters["DEVICE_KEY"], metadata: metadata
        ) { user throws(CognitoError) in
            // Clients compute it with the name that was typed, the user name, or the `sub`.
            let names =
                [user.username, user.sub]
                + user.attributes.filter {
                    ["email", "phone_number", "preferred_username"].contains($0.name)
                }.map(\.value)
            try call.checkSecretHash(parameters["SECRET_HASH"], of: names, client, isRefresh: true)
        }
        return ["AuthenticationResult": .object(result), "ChallengeParameters": [:]]
    }

    private func beginCustom(_ username: String, _ parameters: [String: String]) async throws(CognitoError)
        -> JSONObject
    {
        if parameters["CHALLENGE_NAME"] == "SRP_A" {
            guard let clientPublic = parameters["SRP_A"] else { throw .missingParameter("SRP_A") }
            guard pool.lambdaConfig[.defineAuthChallenge] != nil else {
                throw CognitoError(
                    "InvalidLambdaResponseException",
                    "DefineAuthChallenge is not configured: CUSTOM_AUTH needs its function.")
            }
            let first: JSONValue = ["challengeName": "SRP_A", "challengeResult": true, "challengeMetadata": nil]
            return try await beginSRP(username: username, clientPublic: clientPublic, customResults: [first])
        }
        let user = try await pools.findUser(username, in: pool)
        if user == nil, !client.preventsUserExistenceErrors { throw .userDoesNotExist }
        if let user { try checkStateBeforeFactor(of: user) }
        try await callPreAuthentication(user, named: username)
        return try await continueCustom(user, named: username, [])
    }

    /// All challenges that a client answers.
    static let challenges = [
        "SMS_MFA", "EMAIL_OTP", "SOFTWARE_TOKEN_MFA", "SELECT_MFA_TYPE", "MFA_SETUP", "PASSWORD_VERIFIER",
        "CUSTOM_CHALLENGE", "SELECT_CHALLENGE", "DEVICE_SRP_AUTH", "DEVICE_PASSWORD_VERIFIER", "ADMIN_NO_SRP_AUTH",
        "NEW_PASSWORD_REQUIRED", "SMS_OTP", "PASSWORD", "WEB_AUTHN", "PASSWORD_SRP",
    ]

    /// Handles the response to a challenge.
    func respond(
        to challenge: String, session: String?, _ call: OperationCall, _ responses: [String: String]
    ) async throws(CognitoError) -> JSONObject {
        guard let username = responses["USERNAME"], !username.isEmpty else { throw .missingParameter("USERNAME") }
        try Self.checkUsername(responses)
        if client.secret != nil {
            // Computed with the name that was typed, or the one in the challenge.
            let user = try await pools.findUser(username, in: pool)
            let names = [username, user?.username ?? username] + (user?.allAttributes.map(\.value) ?? [])
            try call.checkSecretHash(responses["SECRET_HASH"], of: names, client)
        }
        switch challenge {
        case "PASSWORD_VERIFIER": return try await verifyPassword(responses)
        case "DEVICE_PASSWORD_VERIFIER": return try await verifyDevice(responses)
        case "DEVICE_SRP_AUTH" where session == nil: return try await beginDeviceSRP(responses)
        case "WEB_AUTHN": throw CognitoError("WebAuthnNotEnabledException", "Passkeys are not served.")
        default: break
        }
        let state = try pools.open(session: session, client, channel)
        guard state.challenge == challenge || (challenge == "MFA_SETUP" && state.challenge == "VERIFIED") else {
            throw .notAuthorized("Invalid session for the user.")
        }
        switch challenge {
        case "CUSTOM_CHALLENGE": return try await verifyCustom(state, responses)
        case "SELECT_CHALLENGE": return try await choose(state, responses)
        case "PASSWORD": return try await answerPassword(state, responses)
        default: break
        }
        guard let user = try await pools.user(of: state) else {
            guard state.isFirstFactor else { throw .notAuthorized("Invalid session for the user.") }
            // Nobody received a code.
            try checkSentCode(state, responses)
            throw .wrongChallengeCode
        }
        if !state.isFirstFactor { try checkState(of: user) }
        switch challenge {
        case "NEW_PASSWORD_REQUIRED": return try await setNewPassword(state, user, responses)
        case "SMS_MFA", "EMAIL_OTP", "SMS_OTP": return try await verifySentCode(state, user, responses)
        case "SOFTWARE_TOKEN_MFA": return try await verifySoftwareToken(state, user, responses)
        case "SELECT_MFA_TYPE": return try await selectFactor(state, user, responses)
        case "MFA_SETUP": return try await finishSetup(state, user)
        case "DEVICE_SRP_AUTH": return try await beginDeviceSRP(state, user, responses)
        default: throw .invalidParameter("Challenge \(challenge) cannot be answered.")
        }
    }
}
