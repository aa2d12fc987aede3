import JSON

extension Operation {
    /// GetUserAttributeVerificationCode: sends a code to an address of the user's (reference: auth, "User-pool operations").
    static let getUserAttributeVerificationCode = Operation(
        "GetUserAttributeVerificationCode", .token,
        [.accessToken, .string("AttributeName", 1...32).required, .object("ClientMetadata")]
    ) { call throws(CognitoError) in
        let owner = try await call.tokenOwner()
        let attribute = call.input.required("AttributeName")
        guard attribute == "email" || attribute == "phone_number" else {
            throw .invalidParameter("Invalid attribute \(attribute): only email and phone_number can be verified.")
        }
        let purpose = Code.Purpose.attribute(attribute)
        let pending = try await call.records.get(Code.self, owner.user.reference, purpose.text).flatMap { code in
            code.isPending && code.expires > call.now && code.isOf(owner.user) ? code.address : nil
        }
        guard let address = pending ?? owner.user[attribute], !address.isEmpty else {
            throw .invalidParameter("User has no \(attribute) that could be verified.")
        }
        let delivery = UserPools.Delivery(attribute: attribute, address: address)
        try await call.pools.sendCode(
            to: owner.user, delivery, for: purpose, in: owner.pool, client: owner.client,
            trigger: "CustomMessage_VerifyUserAttribute", metadata: try call.input.texts("ClientMetadata"),
            from: call.caller, isPending: pending != nil)
        return ["CodeDeliveryDetails": delivery.json]
    }
}
