import JSON

extension Operation {
    /// ConfirmForgotPassword: sets a new password by a code (reference: auth, "User-pool operations").
    static let confirmForgotPassword = Operation(
        "ConfirmForgotPassword", .open,
        [
            .clientID, .username, .string("ConfirmationCode", 1...2_048).required,
            .string("Password", 0...256).required, .secretHash, .object("ClientMetadata"),
        ]
    ) { call throws(CognitoError) in
        let (pool, client) = try call.client()
        let username = call.input.required("Username")
        let user = try await call.pools.findUser(username, in: pool)
        try call.checkSecretHash(call.input.string("SecretHash"), of: [username, user?.username ?? username], client)
        try pool.passwordPolicy.check(call.input.required("Password"))
        try await call.pools.resetPassword(
            of: user, named: username, code: call.input.required("ConfirmationCode"),
            to: call.input.required("Password"), in: pool, by: client, metadata: try call.input.texts("ClientMetadata"),
            from: call.caller)
        return [:]
    }
}
