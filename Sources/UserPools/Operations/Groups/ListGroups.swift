import JSON

extension Operation {
    /// ListGroups: a page of a pool's groups (reference: auth, "User-pool operations").
    static let listGroups = Operation(
        "ListGroups", .signed, [.userPoolID, .limit, .string("NextToken")]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let page = try await call.records.query(
            Group.self, of: pool.id, after: try call.position("NextToken"), limit: call.pageSize)
        var output: JSONObject = ["Groups": .array(page.records.map { .object($0.json) })]
        call.add(page.next, to: &output, as: "NextToken")
        return output
    }
}
