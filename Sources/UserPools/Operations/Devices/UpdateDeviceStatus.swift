import JSON

extension Operation {
    /// UpdateDeviceStatus: a user has a device remembered, or not (reference: auth, "User-pool operations").
    static let updateDeviceStatus = Operation(
        "UpdateDeviceStatus", .token,
        [.accessToken, .deviceKey, .enumeration("DeviceRememberedStatus", ["remembered", "not_remembered"])]
    ) { call throws(CognitoError) in
        let owner = try await call.tokenOwner()
        let isRemembered = call.input.string("DeviceRememberedStatus") == "remembered"
        let now = call.now
        let device = try await call.records.update(Device.self, owner.user.reference, call.input.required("DeviceKey"))
        { device in
            (device.isRemembered, device.modified) = (isRemembered, now)
        }
        guard device != nil else { throw .deviceDoesNotExist }
        return [:]
    }
}
