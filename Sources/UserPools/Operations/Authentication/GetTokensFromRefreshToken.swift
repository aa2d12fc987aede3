import JSON

extension Operation {
    /// GetTokensFromRefreshToken: makes new tokens, as current Amplify clients ask for them (reference: auth, "Refresh").
    static let getTokensFromRefreshToken = Operation(
        "GetTokensFromRefreshToken", .open,
        [
            .string("RefreshToken").required, .clientID, .string("ClientSecret"), .string("DeviceKey", 1...55),
            .object("ClientMetadata"),
        ]
    ) { call throws(CognitoError) in
        let (pool, client) = try call.client()
        // A client that rotates its tokens has ALLOW_REFRESH_TOKEN_AUTH off at Cognito, and refreshes by this operation alone
        // (AWS Cognito Developer Guide, "Refresh token rotation").
        guard client.flows.contains(.refresh) || client.rotationGraceSeconds != nil else {
            throw .notAuthorized("Refresh token flow not enabled for this client")
        }
        try call.checkSecret(call.input.string("ClientSecret"), client)
        let result = try await call.pools.refresh(
            call.input.required("RefreshToken"), pool, client, deviceKey: call.input.string("DeviceKey"),
            metadata: try call.input.texts("ClientMetadata")
        ) { _ throws(CognitoError) in }
        return ["AuthenticationResult": .object(result)]
    }
}
