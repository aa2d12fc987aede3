import JSON

extension Operation {
    /// GetDevice: a device of the user's (reference: auth, "User-pool operations").
    static let getDevice = Operation(
        "GetDevice", .open, [.string("AccessToken"), .deviceKey]
    ) { call throws(CognitoError) in
        let owner = try await call.tokenOwner()
        guard
            let device = try await call.records.get(Device.self, owner.user.reference, call.input.required("DeviceKey"))
        else {
            throw .deviceDoesNotExist
        }
        return ["Device": .object(device.json)]
    }
}
