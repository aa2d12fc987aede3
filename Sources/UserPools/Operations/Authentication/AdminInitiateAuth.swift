import JSON

extension Operation {
    /// AdminInitiateAuth: begins a sign-in on behalf of a user (reference: auth, "User-pool operations").
    static let adminInitiateAuth = Operation(
        "AdminInitiateAuth", .signed,
        [
            .enumeration("AuthFlow", Authentication.flows).required, .clientID, .object("AuthParameters"),
            .object("ClientMetadata"), .session, .userPoolID,
        ]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let client = try call.client(of: pool)
        let authentication = Authentication(
            pools: call.pools, pool: pool, client: client, caller: call.caller, channel: .administration,
            metadata: try call.input.texts("ClientMetadata"))
        return try await authentication.begin(
            call.input.required("AuthFlow"), call, try call.input.texts("AuthParameters"))
    }
}
