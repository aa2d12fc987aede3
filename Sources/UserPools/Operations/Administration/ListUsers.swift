import JSON

extension Operation {
    /// ListUsers: a page of a pool's users, by an index if they are filtered (reference: auth, "User-pool operations").
    static let listUsers = Operation(
        "ListUsers", .signed,
        [.userPoolID, .list("AttributesToGet"), .limit, .string("PaginationToken"), .string("Filter", 0...256)]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let filter = try UserFilter(call.input.string("Filter") ?? "")
        let (users, token) = try await call.pools.listUsers(
            in: pool, filter, limit: Int(call.input.integer("Limit") ?? 60), after: call.input.string("PaginationToken")
        )
        let wanted = call.input.object["AttributesToGet"].map { _ in Set(call.input.strings("AttributesToGet")) }
        var output: JSONObject = ["Users": .array(users.map { .object($0.json(attributes: wanted)) })]
        if let token { output["PaginationToken"] = .string(token) }
        return output
    }
}
