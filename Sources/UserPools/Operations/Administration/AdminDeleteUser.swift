import JSON

extension Operation {
    /// AdminDeleteUser: removes a user (reference: auth, "User-pool operations").
    static let adminDeleteUser = Operation(
        "AdminDeleteUser", .signed, [.userPoolID, .username]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let user = try await call.namedUser(pool)
        try await call.pools.remove(user, in: pool)
        return [:]
    }
}
