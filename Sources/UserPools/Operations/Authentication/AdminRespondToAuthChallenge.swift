import JSON

extension Operation {
    /// AdminRespondToAuthChallenge: answers a challenge on behalf of a user (reference: auth, "User-pool operations").
    static let adminRespondToAuthChallenge = Operation(
        "AdminRespondToAuthChallenge", .signed,
        [
            .enumeration("ChallengeName", Authentication.challenges).required, .clientID, .object("ChallengeResponses"),
            .session, .object("ClientMetadata"), .userPoolID,
        ]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let client = try call.client(of: pool)
        let authentication = Authentication(
            pools: call.pools, pool: pool, client: client, caller: call.caller, channel: .administration,
            metadata: try call.input.texts("ClientMetadata"))
        return try await authentication.respond(
            to: call.input.required("ChallengeName"), session: call.input.string("Session"), call,
            try call.input.texts("ChallengeResponses"))
    }
}
