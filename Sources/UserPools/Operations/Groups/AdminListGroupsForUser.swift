import JSON

extension Operation {
    /// AdminListGroupsForUser: the groups of a user, those that count most first (reference: auth, "User-pool operations").
    static let adminListGroupsForUser = Operation(
        "AdminListGroupsForUser", .signed, [.userPoolID, .username, .limit, .string("NextToken")]
    ) { call throws(CognitoError) in
        let user = try await call.namedUser(try call.pool())
        let groups = try await call.pools.groups(of: user)
        let start = min(max(0, call.input.string("NextToken").flatMap { Int($0) } ?? 0), groups.count)
        let page = groups[start...].prefix(call.pageSize)
        var output: JSONObject = ["Groups": .array(page.map { .object($0.json) })]
        if page.endIndex < groups.count { output["NextToken"] = .string(String(page.endIndex)) }
        return output
    }
}
