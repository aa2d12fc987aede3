import JSON

extension Operation {
    /// DeleteUserAttributes: a user removes attributes (reference: auth, "User-pool operations").
    static let deleteUserAttributes = Operation(
        "DeleteUserAttributes", .token, [.accessToken, .list("UserAttributeNames").required]
    ) { call throws(CognitoError) in
        let owner = try await call.tokenOwner()
        let names = call.input.strings("UserAttributeNames")
        try UserPools.checkRemoval(of: names, in: owner.pool, by: owner.client)
        try await call.pools.remove(names, of: owner.user, in: owner.pool)
        return [:]
    }
}
