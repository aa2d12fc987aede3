import JSON

extension Operation {
    /// ListUserPoolClients: a page of a pool's clients (reference: auth, "User-pool operations").
    static let listUserPoolClients = Operation(
        "ListUserPoolClients", .signed, [.userPoolID, .integer("MaxResults", 1...60), .string("NextToken")]
    ) { call throws(CognitoError) in
        let last = call.input.string("NextToken") ?? ""
        let clients = call.pools.directory.clients(of: try call.pool().id).filter { $0.id > last }
        let page = clients.prefix(Int(call.input.integer("MaxResults") ?? 60))
        var output: JSONObject = [
            "UserPoolClients": .array(
                page.map { client in
                    [
                        "ClientId": .string(client.id), "UserPoolId": .string(client.poolID),
                        "ClientName": .string(client.name),
                    ]
                })
        ]
        if let end = page.last, page.count < clients.count { output["NextToken"] = .string(end.id) }
        return output
    }
}
