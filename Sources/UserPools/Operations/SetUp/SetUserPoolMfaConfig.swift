import JSON

extension Operation {
    /// SetUserPoolMfaConfig: the second factors of a pool (reference: auth, "User-pool operations").
    static let setUserPoolMfaConfig = Operation(
        "SetUserPoolMfaConfig", .signed,
        [
            .userPoolID, .enumeration("MfaConfiguration", ["OFF", "ON", "OPTIONAL"]), .object("SmsMfaConfiguration"),
            .object("SoftwareTokenMfaConfiguration"), .object("EmailMfaConfiguration"),
        ]
    ) { call throws(CognitoError) in
        let input = call.input
        let pool = try await call.changePool { pool, _ throws(CognitoError) in try pool.setMFA(input) }
        return pool.mfaJSON
    }
}
