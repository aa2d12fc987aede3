import JSON

extension Operation {
    /// AdminGetDevice: a device of a user.
    static let adminGetDevice = Operation(
        "AdminGetDevice", .signed, [.userPoolID, .username, .deviceKey]
    ) { call throws(CognitoError) in
        let user = try await call.namedUser(try call.pool())
        guard let device = try await call.records.get(Device.self, user.reference, call.input.required("DeviceKey"))
        else {
            throw .deviceDoesNotExist
        }
        return ["Device": .object(device.json)]
    }
}
