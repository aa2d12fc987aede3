import JSON

extension Operation {
    /// DeleteUserPoolDomain: takes a name from the hosted pages of a pool.
    static let deleteUserPoolDomain = Operation(
        "DeleteUserPoolDomain", .signed, [.string("Domain", 1...63).required, .userPoolID]
    ) { call throws(CognitoError) in
        let domain = call.input.required("Domain")
        _ = try await call.changePool { pool, _ in if pool.domain == domain { pool.domain = nil } }
        return [:]
    }
}
