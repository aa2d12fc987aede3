import JSON

extension Operation {
    /// DescribeUserPool: a pool's settings (reference: auth, "User-pool operations").
    static let describeUserPool = Operation(
        "DescribeUserPool", .signed, [.userPoolID]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        var settings = pool.json
        settings["EstimatedNumberOfUsers"] = .number(String(try await call.pools.userCount(of: pool)))
        return ["UserPool": .object(settings)]
    }
}
