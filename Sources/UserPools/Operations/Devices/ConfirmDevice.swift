import JSON

extension Operation {
    /// ConfirmDevice: a client says that it keeps a device (reference: auth, "Device SRP").
    static let confirmDevice = Operation(
        "ConfirmDevice", .token,
        [.accessToken, .deviceKey, .object("DeviceSecretVerifierConfig"), .string("DeviceName", 1...1_024)]
    ) { call throws(CognitoError) in
        let owner = try await call.tokenOwner()
        let isNecessary = try await call.pools.confirmDevice(
            call.input.required("DeviceKey"), call.input.object("DeviceSecretVerifierConfig") ?? [:],
            name: call.input.string("DeviceName"), of: owner)
        return ["UserConfirmationNecessary": .bool(isNecessary)]
    }
}
