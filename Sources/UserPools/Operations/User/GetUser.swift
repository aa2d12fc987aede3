import JSON

extension Operation {
    /// GetUser: a user's own attributes (reference: auth, "User-pool operations").
    static let getUser = Operation(
        "GetUser", .token, [.accessToken]
    ) { call throws(CognitoError) in
        let owner = try await call.tokenOwner()
        var output: JSONObject = ["Username": .string(owner.user.username)]
        output["UserAttributes"] = UserPools.json(owner.user.allAttributes, readBy: owner.client)
        owner.user.addMFA(to: &output)
        return output
    }
}
