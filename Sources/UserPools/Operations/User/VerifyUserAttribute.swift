import JSON

extension Operation {
    /// VerifyUserAttribute: a user shows the code that was sent to an address (reference: auth, "User-pool operations").
    static let verifyUserAttribute = Operation(
        "VerifyUserAttribute", .token,
        [.accessToken, .string("AttributeName", 1...32).required, .string("Code", 1...2_048).required]
    ) { call throws(CognitoError) in
        let owner = try await call.tokenOwner()
        let attribute = call.input.required("AttributeName")
        let code = try await call.pools.checkCode(
            call.input.required("Code"), of: owner.user, for: .attribute(attribute), from: call.caller)
        try await call.pools.take(code)
        _ = try await call.pools.update(owner.user, in: owner.pool) { user throws(CognitoError) in
            if code.isPending {
                guard code.isOf(user) else { throw .expiredCode }
                user[attribute] = code.address
            }
            // The address may have been changed since the code was compared.
            guard user[attribute]?.isExactly(code.address) == true else { throw .expiredCode }
            user["\(attribute)_verified"] = "true"
        }
        return [:]
    }
}
