import JSON

extension Operation {
    /// DeleteGroup: removes a group; its members stay (reference: auth, "User-pool operations").
    static let deleteGroup = Operation(
        "DeleteGroup", .signed, [.userPoolID, .groupName]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        try await call.pools.remove(try await call.group(pool))
        return [:]
    }
}
