import JSON

extension Operation {
    /// ListUsersInGroup: a page of a group's members (reference: auth, "User-pool operations").
    static let listUsersInGroup = Operation(
        "ListUsersInGroup", .signed, [.userPoolID, .groupName, .limit, .string("NextToken")]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let group = try await call.group(pool)
        let page = try await call.records.query(
            Membership.self, "byGroup", of: Membership.groupReference(poolID: pool.id, group: group.name),
            after: try call.position("NextToken"), limit: call.pageSize)
        var users: [JSONValue] = []
        for membership in page.records {
            let user = try await call.records.get(User.self, pool.id, membership.usernameKey)
            if let user, membership.isOf(user, in: group) { users.append(.object(user.json)) }
        }
        var output: JSONObject = ["Users": .array(users)]
        call.add(page.next, to: &output, as: "NextToken")
        return output
    }
}
