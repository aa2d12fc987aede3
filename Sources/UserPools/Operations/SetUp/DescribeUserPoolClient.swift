import JSON

extension Operation {
    /// DescribeUserPoolClient: a client's settings (reference: auth, "User-pool operations").
    static let describeUserPoolClient = Operation(
        "DescribeUserPoolClient", .signed, [.userPoolID, .clientID]
    ) { call throws(CognitoError) in
        var settings = try call.client(of: try call.pool()).json
        // Viewers read everything but secrets.
        if call.caller.role < .owner { settings["ClientSecret"] = nil }
        return ["UserPoolClient": .object(settings)]
    }
}
