import JSON

extension Operation {
    /// AdminAddUserToGroup: puts a user into a group (reference: auth, "User-pool operations").
    static let adminAddUserToGroup = Operation(
        "AdminAddUserToGroup", .signed, [.userPoolID, .username, .groupName]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let user = try await call.namedUser(pool)
        let group = try await call.group(pool)
        try await call.pools.add(user, to: group)
        return [:]
    }
}
