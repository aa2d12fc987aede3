import JSON

extension Operation {
    /// AdminResetUserPassword: a user must set a new password by a code (reference: auth, "User-pool operations").
    static let adminResetUserPassword = Operation(
        "AdminResetUserPassword", .signed, [.userPoolID, .username, .object("ClientMetadata")]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let user = try await call.namedUser(pool)
        try await call.pools.requireReset(
            of: user, in: pool, metadata: try call.input.texts("ClientMetadata"), from: call.caller)
        return [:]
    }
}
