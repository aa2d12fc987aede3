import JSON

extension Operation {
    /// SetUserMFAPreference: a user switches second factors on and off (reference: auth, "User-pool operations").
    static let setUserMFAPreference = Operation(
        "SetUserMFAPreference", .token,
        [.accessToken, .object("SMSMfaSettings"), .object("SoftwareTokenMfaSettings"), .object("EmailMfaSettings")]
    ) { call throws(CognitoError) in
        let owner = try await call.tokenOwner()
        try await call.setMFAPreference(of: owner.user, in: owner.pool, keepsOne: true)
        return [:]
    }
}
