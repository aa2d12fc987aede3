import JSON

extension Operation {
    /// AssociateSoftwareToken: makes a secret for an authenticator app (reference: auth, "User-pool operations").
    static let associateSoftwareToken = Operation(
        "AssociateSoftwareToken", .open, [.string("AccessToken"), .session]
    ) { call throws(CognitoError) in
        if call.input.string("AccessToken") != nil {
            let owner = try await call.tokenOwner()
            let (sealed, code) = call.pools.makeTOTPSecret(of: owner.user)
            _ = try await call.pools.update(owner.user, in: owner.pool) { $0.mfa.pendingSecret = sealed }
            return ["SecretCode": .string(code)]
        }
        var (state, user, _) = try await call.setupState()
        let (sealed, code) = call.pools.makeTOTPSecret(of: user)
        try call.pools.use(state)
        (state.totpSecret, state.id) = (sealed, call.pools.randomness.uuid())
        return ["SecretCode": .string(code), "Session": .string(call.pools.seal(state))]
    }
}
