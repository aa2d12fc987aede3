import JSON

extension Operation {
    /// InitiateAuth: begins a sign-in, or makes new tokens (reference: auth, "Authentication flows").
    static let initiateAuth = Operation(
        "InitiateAuth", .open,
        [
            .enumeration("AuthFlow", Authentication.flows).required, .clientID, .object("AuthParameters"),
            .object("ClientMetadata"), .session,
        ]
    ) { call throws(CognitoError) in
        let (pool, client) = try call.client()
        let authentication = Authentication(
            pools: call.pools, pool: pool, client: client, caller: call.caller, channel: .api,
            metadata: try call.input.texts("ClientMetadata"))
        let flow = call.input.required("AuthFlow")
        if flow.hasPrefix("ADMIN_") { throw .invalidParameter("Initiate Auth method not supported.") }
        return try await authentication.begin(flow, call, try call.input.texts("AuthParameters"))
    }
}
