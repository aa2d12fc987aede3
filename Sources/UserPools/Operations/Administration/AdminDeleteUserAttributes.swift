import JSON

extension Operation {
    /// AdminDeleteUserAttributes: removes attributes of a user (reference: auth, "User-pool operations").
    static let adminDeleteUserAttributes = Operation(
        "AdminDeleteUserAttributes", .signed, [.userPoolID, .username, .list("UserAttributeNames").required]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let user = try await call.namedUser(pool)
        let names = call.input.strings("UserAttributeNames")
        try UserPools.checkRemoval(of: names, in: pool, by: nil)
        try await call.pools.remove(names, of: user, in: pool)
        return [:]
    }
}
