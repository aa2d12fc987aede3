import JSON

extension Operation {
    /// ListWebAuthnCredentials: passkeys are not served.
    static let listWebAuthnCredentials = Operation(
        "ListWebAuthnCredentials", .token, [.accessToken]
    ) { call throws(CognitoError) in
        _ = try await call.tokenOwner()
        throw CognitoError("WebAuthnNotEnabledException", "Passkeys are not served.")
    }
}
