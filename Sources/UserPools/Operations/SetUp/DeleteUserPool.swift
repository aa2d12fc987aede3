import JSON

extension Operation {
    /// DeleteUserPool: removes a pool that calls have made, with its users (reference: auth, "User-pool operations").
    static let deleteUserPool = Operation(
        "DeleteUserPool", .signed, [.userPoolID]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        try call.refuseConfigured(pool)
        try await call.pools.remove(pool)
        return [:]
    }
}
