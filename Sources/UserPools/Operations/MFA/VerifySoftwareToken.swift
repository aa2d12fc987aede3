import JSON

extension Operation {
    /// VerifySoftwareToken: a user shows that an authenticator app has the secret (reference: auth, "User-pool operations").
    static let verifySoftwareToken = Operation(
        "VerifySoftwareToken", .open,
        [
            .string("UserCode", 1...64).required, .string("AccessToken"), .session,
            .string("FriendlyDeviceName", 0...256),
        ]
    ) { call throws(CognitoError) in
        let code = call.input.required("UserCode")
        let name = call.input.string("FriendlyDeviceName")
        if call.input.string("AccessToken") != nil {
            let owner = try await call.tokenOwner()
            try await call.pools.verifySoftwareToken(
                code, owner.user.mfa.pendingSecret ?? owner.user.mfa.totpSecret, name, of: owner.user, in: owner.pool,
                from: call.caller)
            return ["Status": "SUCCESS"]
        }
        var (state, user, pool) = try await call.setupState()
        try await call.pools.verifySoftwareToken(
            code, state.totpSecret, name, of: user, in: pool, from: call.caller, isFirst: true)
        try call.pools.use(state)
        (state.challenge, state.id, state.run) = ("VERIFIED", call.pools.randomness.uuid(), call.pools.run)
        return ["Status": "SUCCESS", "Session": .string(call.pools.seal(state))]
    }
}
