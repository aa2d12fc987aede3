import JSON

extension Authentication {
    /// CUSTOM_AUTH: the function of DefineAuthChallenge says what comes next (AWS Cognito Developer Guide, "Custom
    /// authentication challenge Lambda triggers").
    func continueCustom(_ user: User?, named name: String? = nil, _ results: [JSONValue]) async throws(CognitoError)
        -> JSONObject
    {
        guard pool.lambdaConfig[.defineAuthChallenge] != nil else {
            throw CognitoError(
                "InvalidLambdaResponseException",
                "DefineAuthChallenge is not configured: CUSTOM_AUTH needs its function.")
        }
        guard results.count < Self.customRoundsMax else { throw .wrongCredentials }
        let attributes = user.map(UserPools.triggerAttributes) ?? [:]
        let decision = try await pools.call(
            .defineAuthChallenge, "DefineAuthChallenge_Authentication", for: user, named: name, in: pool,
            client: client,
            request: [
                "userAttributes": attributes, "session": .array(results), "clientMetadata": UserPools.json(metadata),
                "userNotFound": .bool(user == nil),
            ], response: ["challengeName": nil, "issueTokens": nil, "failAuthentication": nil])
        let issuesTokens = try decision.bool("issueTokens") == true
        if try decision.bool("failAuthentication") == true { throw .wrongCredentials }
        if issuesTokens {
            guard let user, !results.isEmpty else { throw .wrongCredentials }
            pools.attempts.succeed(ChallengeState.attemptsName(of: user.countedName, isFirstFactor: true))
            return try await continueAfterFirstFactor(user, deviceKey: nil)
        }
        guard let challenge = try decision.text("challengeName") else { throw TriggerResponse.unrecognizable }
        guard challenge == "CUSTOM_CHALLENGE" else {
            throw TriggerResponse.invalid(
                "DefineAuthChallenge asked for \(challenge.prefix(64)), which cannot follow.")
        }
        return try await askCustom(user, named: name, results)
    }

    /// Rounds of challenges before a sign-in fails.
    static let customRoundsMax = 20

    private func askCustom(_ user: User?, named name: String?, _ results: [JSONValue]) async throws(CognitoError)
        -> JSONObject
    {
        let created = try await pools.call(
            .createAuthChallenge, "CreateAuthChallenge_Authentication", for: user, named: name, in: pool,
            client: client,
            request: [
                "userAttributes": user.map(UserPools.triggerAttributes) ?? [:], "challengeName": "CUSTOM_CHALLENGE",
                "session": .array(results), "clientMetadata": UserPools.json(metadata),
                "userNotFound": .bool(user == nil),
            ],
            response: ["publicChallengeParameters": nil, "privateChallengeParameters": nil, "challengeMetadata": nil])
        var parameters = JSONObject(
            (try created.texts("publicChallengeParameters") ?? []).map { ($0.name, JSONValue.string($0.value)) })
        let username = name.map { pools.username(of: user, named: $0, in: pool) } ?? user?.username ?? ""
        parameters["USERNAME"] = .string(username)
        if !results.isEmpty { parameters["USER_ID_FOR_SRP"] = .string(username) }
        var state = makeState("CUSTOM_CHALLENGE", user, named: username)
        state.customResults = results
        state.privateParameters = try created.response("privateChallengeParameters")?.object ?? [:]
        state.challengeMetadata = try created.text("challengeMetadata")
        let answer = pools.ask(state, parameters)
        guard (answer["Session"]?.stringValue ?? "").utf8.count <= 2_048 else {
            throw TriggerResponse.invalid("The challenge's parameters are too long.")
        }
        return answer
    }

    /// The answer to CUSTOM_CHALLENGE.
    func verifyCustom(
        _ state: ChallengeState, _ responses: [String: String]
    ) async throws(CognitoError) -> JSONObject {
        guard let answer = responses["ANSWER"] else { throw .missingParameter("ANSWER") }
        try pools.beginAttempt(of: state.attemptsName, from: caller)
        try pools.use(state)
        // Counted before the function judges the answer, so that attempts at the same time are bounded like sequential ones.
        // The count is reset when the function of DefineAuthChallenge is satisfied: an answer may be one of several.
        pools.attempts.fail(state.attemptsName, now: now)
        let user = try await pools.user(of: state)
        if let user { try checkStateBeforeFactor(of: user) }
        let verified = try await pools.call(
            .verifyAuthChallengeResponse, "VerifyAuthChallengeResponse_Authentication", for: user,
            named: state.usernameKey, in: pool, client: client,
            request: [
                "userAttributes": user.map(UserPools.triggerAttributes) ?? [:],
                "privateChallengeParameters": .object(state.privateParameters), "challengeAnswer": .string(answer),
                "clientMetadata": UserPools.json(metadata), "userNotFound": .bool(user == nil),
            ], response: ["answerCorrect": nil])
        let isRight = try verified.bool("answerCorrect") == true && user != nil
        if isRight {
            pools.attempts.withdraw(state.attemptsName)
        } else {
            pools.countNetworkFailure(from: caller)
        }
        let result: JSONValue = [
            "challengeName": "CUSTOM_CHALLENGE", "challengeResult": .bool(isRight),
            "challengeMetadata": state.challengeMetadata.map(JSONValue.string) ?? .null,
        ]
        return try await continueCustom(user, named: state.usernameKey, state.customResults + [result])
    }
}
