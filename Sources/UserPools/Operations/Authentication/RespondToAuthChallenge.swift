import JSON

extension Operation {
    /// RespondToAuthChallenge: answers a challenge of a sign-in (reference: auth, "Authentication flows").
    static let respondToAuthChallenge = Operation(
        "RespondToAuthChallenge", .open,
        [
            .enumeration("ChallengeName", Authentication.challenges).required, .clientID, .object("ChallengeResponses"),
            .session, .object("ClientMetadata"),
        ]
    ) { call throws(CognitoError) in
        let (pool, client) = try call.client()
        let authentication = Authentication(
            pools: call.pools, pool: pool, client: client, caller: call.caller, channel: .api,
            metadata: try call.input.texts("ClientMetadata"))
        return try await authentication.respond(
            to: call.input.required("ChallengeName"), session: call.input.string("Session"), call,
            try call.input.texts("ChallengeResponses"))
    }
}
