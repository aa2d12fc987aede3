import JSON

extension Operation {
    /// SignUp: a user registers (reference: auth, "User-pool operations").
    static let signUp = Operation(
        "SignUp", .open,
        [
            .clientID, .username, .string("Password", 0...256), .secretHash, .list("UserAttributes"),
            .list("ValidationData"), .object("ClientMetadata"),
        ]
    ) { call throws(CognitoError) in
        let (pool, client) = try call.client()
        try call.checkSecretHash(call.input.string("SecretHash"), of: [call.input.required("Username")], client)
        let registration = Registration(
            username: call.input.required("Username"), password: call.input.string("Password"),
            attributes: try call.input.attributes("UserAttributes"),
            validationData: Dictionary(
                try call.input.attributes("ValidationData").map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }),
            metadata: try call.input.texts("ClientMetadata"))
        let (user, delivery) = try await call.pools.signUp(registration, in: pool, by: client, from: call.caller)
        var output: JSONObject = ["UserConfirmed": .bool(user.status == .confirmed), "UserSub": .string(user.sub)]
        if let delivery { output["CodeDeliveryDetails"] = delivery.json }
        return output
    }
}
