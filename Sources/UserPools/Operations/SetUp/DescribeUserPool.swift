import JSON

extension Operation {
    /// DescribeUserPool: a pool's settings (reference: auth, "User-pool operations").
    static let describeUserPool = Operation(
        "DescribeUserPool", .signed, [.userPoolID]
    ) { call throws(CognitoError) in
        return ["UserPool": .object(try call.pool().json)]
    }
}
