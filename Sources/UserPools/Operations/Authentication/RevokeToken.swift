import JSON

extension Operation {
    /// RevokeToken: ends the session of a refresh token (reference: auth, "User-pool operations").
    static let revokeToken = Operation(
        "RevokeToken", .open, [.string("Token").required, .clientID, .string("ClientSecret")]
    ) { call throws(CognitoError) in
        let (_, client) = try call.client()
        do throws(CognitoError) {
            try call.checkSecret(call.input.string("ClientSecret"), client)
        } catch {
            // The service model has no NotAuthorizedException for this operation.
            throw CognitoError("UnauthorizedException", error.message)
        }
        try await call.pools.revoke(call.input.required("Token"), client)
        return [:]
    }
}
