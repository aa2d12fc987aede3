import JSON

extension Operation {
    /// ResendConfirmationCode: sends a new code for a sign-up (reference: auth, "User-pool operations").
    static let resendConfirmationCode = Operation(
        "ResendConfirmationCode", .open, [.clientID, .username, .secretHash, .object("ClientMetadata")]
    ) { call throws(CognitoError) in
        let (pool, client) = try call.client()
        let username = call.input.required("Username")
        let user = try await call.pools.findUser(username, in: pool)
        try call.checkSecretHash(call.input.string("SecretHash"), of: [username, user?.username ?? username], client)
        let delivery = try await call.pools.resendCode(
            to: user, named: username, in: pool, by: client, metadata: try call.input.texts("ClientMetadata"),
            from: call.caller)
        return ["CodeDeliveryDetails": delivery.json]
    }
}
