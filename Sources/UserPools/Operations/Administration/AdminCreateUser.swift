import JSON

extension Operation {
    /// AdminCreateUser: makes a user with a temporary password (reference: auth, "User-pool operations").
    static let adminCreateUser = Operation(
        "AdminCreateUser", .signed,
        [
            .userPoolID, .username, .list("UserAttributes"), .list("ValidationData"),
            .string("TemporaryPassword", 0...256), .boolean("ForceAliasCreation"),
            .enumeration("MessageAction", ["RESEND", "SUPPRESS"]), .list("DesiredDeliveryMediums"),
            .object("ClientMetadata"),
        ]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let user = try await call.pools.createUser(
            Invitation(
                username: call.input.required("Username"), attributes: try call.input.attributes("UserAttributes"),
                temporaryPassword: call.input.string("TemporaryPassword"),
                messageAction: call.input.string("MessageAction"),
                mediums: call.input.strings("DesiredDeliveryMediums"),
                takesOver: call.input.bool("ForceAliasCreation") ?? false,
                validationData: Dictionary(
                    try call.input.attributes("ValidationData").map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }),
                metadata: try call.input.texts("ClientMetadata")), in: pool, from: call.caller)
        return ["User": .object(user.json)]
    }
}
