import JSON

extension Operation {
    /// AdminAddUserToGroup: puts a user into a group (reference: auth, "User-pool operations").
    static let adminAddUserToGroup = Operation(
        "AdminAddUserToGroup", .signed, [.userPoolID, .username, .groupName]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let user = try await call.namedUser(pool)
        let group = try await call.group(pool)
        let known = try await call.records.all(Membership.self, of: user.reference)
        if !known.contains(where: { $0.group.isExactly(group.name) }) {
            guard known.count < call.pools.limits.groupsPerUserMax else { throw .limitExceeded }
            _ = try await call.records.insert(Membership(user, group: group.name))
        }
        return [:]
    }
}
