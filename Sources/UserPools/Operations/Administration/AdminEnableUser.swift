import JSON

extension Operation {
    /// AdminEnableUser: a disabled user may sign in again (reference: auth, "User-pool operations").
    static let adminEnableUser = Operation(
        "AdminEnableUser", .signed, [.userPoolID, .username]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let user = try await call.namedUser(pool)
        try await call.pools.setEnabled(true, user, in: pool)
        return [:]
    }
}
