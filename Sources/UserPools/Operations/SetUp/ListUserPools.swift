import JSON

extension Operation {
    /// ListUserPools: a page of the pools (reference: auth, "User-pool operations").
    static let listUserPools = Operation(
        "ListUserPools", .signed, [.integer("MaxResults", 1...60).required, .string("NextToken")]
    ) { call throws(CognitoError) in
        let last = call.input.string("NextToken") ?? ""
        let pools = call.pools.directory.pools.filter { $0.id > last }
        let page = pools.prefix(Int(call.input.integer("MaxResults") ?? 60))
        var output: JSONObject = [
            "UserPools": .array(
                page.map { pool in
                    [
                        "Id": .string(pool.id), "Name": .string(pool.name),
                        "LambdaConfig": .object(pool.lambdaConfig.json),
                        "LastModifiedDate": Timestamp.json(pool.modified), "CreationDate": Timestamp.json(pool.created),
                    ]
                })
        ]
        if let end = page.last, page.count < pools.count { output["NextToken"] = .string(end.id) }
        return output
    }
}
