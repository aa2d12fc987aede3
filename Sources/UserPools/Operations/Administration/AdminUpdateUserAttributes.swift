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
        try await call.pools.change(
            attributes, of: user, in: pool, metadata: try call.input.texts("ClientMetadata"), from: call.caller)
        return [:]
    }
}
