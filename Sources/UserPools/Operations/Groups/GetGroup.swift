import JSON

extension Operation {
    /// GetGroup: a group (reference: auth, "User-pool operations").
    static let getGroup = Operation(
        "GetGroup", .signed, [.userPoolID, .groupName]
    ) { call throws(CognitoError) in
        return ["Group": .object(try await call.group(try call.pool()).json)]
    }
}
