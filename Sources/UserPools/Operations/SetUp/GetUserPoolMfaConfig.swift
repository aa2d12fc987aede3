import JSON

extension Operation {
    /// GetUserPoolMfaConfig: the second factors of a pool (reference: auth, "User-pool operations").
    static let getUserPoolMfaConfig = Operation(
        "GetUserPoolMfaConfig", .signed, [.userPoolID]
    ) { call throws(CognitoError) in
        return try call.pool().mfaJSON
    }
}
