import JSON

extension Operation {
    /// AdminUpdateUserAttributes: changes attributes of a user (reference: auth, "User-pool operations").
    static let adminUpdateUserAttributes = Operation(
        "AdminUpdateUserAttributes", .signed,
        [.userPoolID, .username, .list("UserAttributes").required, .object("ClientMetadata")]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let user = try await call.namedUser(pool)
        let attributes = UserPools.normalized(try call.input.attributes("UserAttributes"))
        try UserPools.check(attributes, in: pool, by: nil, isNew: false)
        _ = try await call.pools.update(user, in: pool) { user in
            user.change(attributes)
        }
        return [:]
    }
}
