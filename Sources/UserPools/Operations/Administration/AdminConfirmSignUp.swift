import JSON

extension Operation {
    /// AdminConfirmSignUp: confirms a user's sign-up without a code (reference: auth, "User-pool operations").
    static let adminConfirmSignUp = Operation(
        "AdminConfirmSignUp", .signed, [.userPoolID, .username, .object("ClientMetadata")]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let user = try await call.namedUser(pool)
        try await call.pools.confirm(
            user, in: pool, client: nil, verifying: nil, metadata: try call.input.texts("ClientMetadata"))
        return [:]
    }
}
