import JSON

extension Operation {
    /// AdminForgetDevice: has a device of a user forgotten.
    static let adminForgetDevice = Operation(
        "AdminForgetDevice", .signed, [.userPoolID, .username, .deviceKey]
    ) { call throws(CognitoError) in
        let user = try await call.namedUser(try call.pool())
        guard let device = try await call.records.get(Device.self, user.reference, call.input.required("DeviceKey"))
        else {
            throw .deviceDoesNotExist
        }
        _ = try await call.records.delete(device)
        return [:]
    }
}
