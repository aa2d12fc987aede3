import JSON

extension Operation {
    /// StartWebAuthnRegistration: passkeys are not served.
    static let startWebAuthnRegistration = Operation(
        "StartWebAuthnRegistration", .token, [.accessToken]
    ) { call throws(CognitoError) in
        _ = try await call.tokenOwner()
        throw CognitoError("WebAuthnNotEnabledException", "Passkeys are not served.")
    }
}
