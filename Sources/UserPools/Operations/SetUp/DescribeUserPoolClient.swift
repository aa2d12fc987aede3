import JSON

extension Operation {
    /// DescribeUserPoolClient: a client's settings (reference: auth, "User-pool operations").
    static let describeUserPoolClient = Operation(
        "DescribeUserPoolClient", .signed, [.userPoolID, .clientID]
    ) { call throws(CognitoError) in
        return ["UserPoolClient": .object(try call.client(of: try call.pool()).json)]
    }
}
