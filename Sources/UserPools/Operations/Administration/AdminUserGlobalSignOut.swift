import JSON

extension Operation {
    /// AdminUserGlobalSignOut: ends all sessions of a user (reference: auth, "User-pool operations").
    static let adminUserGlobalSignOut = Operation(
        "AdminUserGlobalSignOut", .signed, [.userPoolID, .username]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let user = try await call.namedUser(pool)
        try await call.pools.endSessions(of: user, in: pool)
        return [:]
    }
}
