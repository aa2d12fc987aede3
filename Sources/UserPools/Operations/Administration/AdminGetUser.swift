import JSON

extension Operation {
    /// AdminGetUser: a user with all attributes (reference: auth, "User-pool operations").
    static let adminGetUser = Operation(
        "AdminGetUser", .signed, [.userPoolID, .username]
    ) { call throws(CognitoError) in
        let user = try await call.namedUser(try call.pool())
        var output = user.json
        output["UserAttributes"] = output["Attributes"]
        output["Attributes"] = nil
        user.addMFA(to: &output)
        return output
    }
}
