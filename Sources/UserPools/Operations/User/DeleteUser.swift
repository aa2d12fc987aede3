import JSON

extension Operation {
    /// DeleteUser: a user removes the own account (reference: auth, "User-pool operations").
    static let deleteUser = Operation(
        "DeleteUser", .token, [.accessToken]
    ) { call throws(CognitoError) in
        let owner = try await call.tokenOwner()
        try await call.pools.remove(owner.user, in: owner.pool)
        return [:]
    }
}
