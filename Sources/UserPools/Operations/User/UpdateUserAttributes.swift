import JSON

extension Operation {
    /// UpdateUserAttributes: a user changes attributes; changed addresses are verified anew (reference: auth, "User-pool operations").
    static let updateUserAttributes = Operation(
        "UpdateUserAttributes", .token, [.accessToken, .list("UserAttributes").required, .object("ClientMetadata")]
    ) { call throws(CognitoError) in
        let owner = try await call.tokenOwner()
        let attributes = try call.input.attributes("UserAttributes")
        let deliveries = try await call.pools.change(
            attributes, of: owner, metadata: try call.input.texts("ClientMetadata"), from: call.caller)
        return ["CodeDeliveryDetailsList": .array(deliveries.map(\.json))]
    }
}
