import JSON

extension Operation {
    /// ConfirmSignUp: a user shows the code that was sent at the sign-up (reference: auth, "User-pool operations").
    static let confirmSignUp = Operation(
        "ConfirmSignUp", .open,
        [
            .clientID, .username, .string("ConfirmationCode", 1...2_048).required, .secretHash,
            .boolean("ForceAliasCreation"), .object("ClientMetadata"), .session,
        ]
    ) { call throws(CognitoError) in
        let (pool, client) = try call.client()
        let username = call.input.required("Username")
        let user = try await call.pools.findUser(username, in: pool)
        try call.checkSecretHash(call.input.string("SecretHash"), of: [username, user?.username ?? username], client)
        _ = try await call.pools.confirmSignUp(
            of: user, named: username, code: call.input.required("ConfirmationCode"), in: pool, by: client,
            takesOver: call.input.bool("ForceAliasCreation") ?? false, metadata: try call.input.texts("ClientMetadata"),
            from: call.caller)
        return [:]
    }
}
