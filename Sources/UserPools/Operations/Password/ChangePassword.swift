import JSON

extension Operation {
    /// ChangePassword: a user who is signed in sets another password (reference: auth, "User-pool operations").
    static let changePassword = Operation(
        "ChangePassword", .token,
        [.accessToken, .string("PreviousPassword", 0...256), .string("ProposedPassword", 0...256).required]
    ) { call throws(CognitoError) in
        let owner = try await call.tokenOwner()
        try owner.pool.passwordPolicy.check(call.input.required("ProposedPassword"), member: "proposedPassword")
        guard owner.user.status != .externalProvider else {
            throw .notAuthorized("The password of a federated user is that of the identity provider.")
        }
        if owner.user.password != nil {
            guard let previous = call.input.string("PreviousPassword") else {
                throw .missingParameter("PreviousPassword")
            }
            let isRight: Bool
            do throws(CognitoError) {
                isRight = try call.pools.isRight(
                    password: previous, of: owner.user, named: owner.user.username, in: owner.pool, from: call.caller)
            } catch { throw .limitExceeded }
            guard isRight else { throw .wrongCredentials }
        }
        try await call.pools.changePassword(
            of: owner.user, to: call.input.required("ProposedPassword"), in: owner.pool)
        return [:]
    }
}
