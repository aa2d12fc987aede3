import JSON

extension Operation {
    /// AdminSetUserPassword: sets a user's password (reference: auth, "User-pool operations").
    static let adminSetUserPassword = Operation(
        "AdminSetUserPassword", .signed,
        [.userPoolID, .username, .string("Password", 0...256).required, .boolean("Permanent")]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let user = try await call.namedUser(pool)
        try pool.passwordPolicy.check(call.input.required("Password"))
        let isPermanent = call.input.bool("Permanent") ?? false
        try await call.pools.setPassword(
            call.input.required("Password"), of: user, in: pool, status: isPermanent ? .confirmed : .forceChangePassword
        )
        return [:]
    }
}
