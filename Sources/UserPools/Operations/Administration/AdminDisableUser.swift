import JSON

extension Operation {
    /// AdminDisableUser: a user may not sign in, and the sessions end (reference: auth, "User-pool operations").
    static let adminDisableUser = Operation(
        "AdminDisableUser", .signed, [.userPoolID, .username]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let user = try await call.namedUser(pool)
        try await call.pools.setEnabled(false, user, in: pool)
        return [:]
    }
}
