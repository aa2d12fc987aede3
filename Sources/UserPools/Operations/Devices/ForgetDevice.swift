import JSON

extension Operation {
    /// ForgetDevice: a user has a device forgotten (reference: auth, "User-pool operations").
    static let forgetDevice = Operation(
        "ForgetDevice", .open, [.string("AccessToken"), .deviceKey]
    ) { call throws(CognitoError) in
        let owner = try await call.tokenOwner()
        guard
            let device = try await call.records.get(Device.self, owner.user.reference, call.input.required("DeviceKey"))
        else {
            throw .deviceDoesNotExist
        }
        _ = try await call.records.delete(device)
        return [:]
    }
}
