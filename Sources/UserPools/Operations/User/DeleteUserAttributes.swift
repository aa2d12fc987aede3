import JSON

extension Operation {
    /// DeleteUserAttributes: a user removes attributes (reference: auth, "User-pool operations").
    static let deleteUserAttributes = Operation(
        "DeleteUserAttributes", .token, [.accessToken, .list("UserAttributeNames").required]
    ) { call throws(CognitoError) in
        let owner = try await call.tokenOwner()
        let names = call.input.strings("UserAttributeNames")
        try UserPools.checkRemoval(of: names, in: owner.pool, by: owner.client)
        _ = try await call.pools.update(owner.user, in: owner.pool) { $0.remove(names) }
        return [:]
    }
}
