import JSON

extension Operation {
    /// CompleteWebAuthnRegistration: passkeys are not served.
    static let completeWebAuthnRegistration = Operation(
        "CompleteWebAuthnRegistration", .token, [.accessToken]
    ) { call throws(CognitoError) in
        _ = try await call.tokenOwner()
        throw CognitoError("WebAuthnNotEnabledException", "Passkeys are not served.")
    }
}
