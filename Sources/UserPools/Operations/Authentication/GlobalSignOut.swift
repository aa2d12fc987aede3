import JSON

extension Operation {
    /// GlobalSignOut: ends all sessions of a user (reference: auth, "User-pool operations").
    static let globalSignOut = Operation(
        "GlobalSignOut", .token, [.accessToken]
    ) { call throws(CognitoError) in
        let owner = try await call.tokenOwner()
        try await call.pools.endSessions(of: owner.user, in: owner.pool)
        return [:]
    }
}
