import JSON

extension Operation {
    /// AdminSetUserMFAPreference: switches second factors of a user on and off (reference: auth, "User-pool operations").
    static let adminSetUserMFAPreference = Operation(
        "AdminSetUserMFAPreference", .signed,
        [
            .userPoolID, .username, .object("SMSMfaSettings"), .object("SoftwareTokenMfaSettings"),
            .object("EmailMfaSettings"),
        ]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        // An administrator resets an authenticator app that was lost: the next sign-in sets up another one.
        try await call.setMFAPreference(of: try await call.namedUser(pool), in: pool, keepsOne: false)
        return [:]
    }
}
