import JSON

extension Operation {
    /// DeleteWebAuthnCredential: passkeys are not served.
    static let deleteWebAuthnCredential = Operation(
        "DeleteWebAuthnCredential", .token, [.accessToken]
    ) { call throws(CognitoError) in
        _ = try await call.tokenOwner()
        throw CognitoError("WebAuthnNotEnabledException", "Passkeys are not served.")
    }
}
