import Encodings
import JSON

extension UserPools {
    /// Keeps the verifier of a device's password.
    /// - Returns: Whether the user is to be asked if the device is remembered.
    func confirmDevice(
        _ key: String, _ configuration: JSONObject, name: String?, of owner: TokenOwner
    ) async throws(CognitoError) -> Bool {
        guard let devices = owner.pool.deviceConfiguration else {
            throw CognitoError(
                "InvalidUserPoolConfigurationException", "Device tracking is not configured for this user pool.")
        }
        guard let verifierText = configuration["PasswordVerifier"]?.stringValue,
            let saltText = configuration["Salt"]?.stringValue, let verifier = Base64.decode(verifierText.utf8),
            let salt = Base64.decode(saltText.utf8), (1...64).contains(salt.count),
            (1...SRPGroup.byteCount + 1).contains(verifier.count)
        else { throw .invalidParameter("DeviceSecretVerifierConfig needs PasswordVerifier and Salt in base64.") }
        let number = SRPGroup.number(verifier)
        guard number > 1, number < SRPGroup.prime else {
            throw .invalidParameter("DeviceSecretVerifierConfig.PasswordVerifier is no verifier.")
        }
        let sealed = sealer.seal(
            [UInt8(salt.count)] + salt + SRPGroup.bytes(number),
            context: Device.context(user: owner.user.reference, deviceKey: key))
        let now = now
        let isRemembered = !devices.deviceOnlyRememberedOnUserPrompt
        let device = try await records.update(Device.self, owner.user.reference, key) { device throws(CognitoError) in
            // Otherwise a stolen access token could replace the password of the user's device.
            guard device.verifier == nil else {
                throw CognitoError("DeviceKeyExistsException", "Device is already confirmed.")
            }
            (device.verifier, device.name, device.modified) = (sealed, name, now)
            device.isRemembered = isRemembered
        }
        guard device != nil else { throw .deviceDoesNotExist }
        return devices.deviceOnlyRememberedOnUserPrompt
    }
}

extension OperationCall {
    /// A page of a user's devices.
    func listDevices(of user: User) async throws(CognitoError) -> JSONObject {
        let page = try await records.query(
            Device.self, of: user.reference, after: try position("PaginationToken"), limit: pageSize)
        var output: JSONObject = [
            "Devices": .array(page.records.filter { $0.verifier != nil }.map { .object($0.json) })
        ]
        add(page.next, to: &output, as: "PaginationToken")
        return output
    }
}

extension Device {
    /// The device as `DeviceType`.
    var json: JSONObject {
        var attributes: [JSONValue] = [
            ["Name": "device_status", "Value": "valid"],
            ["Name": "device_name", "Value": .string(name ?? "")],
        ]
        if let address { attributes.append(["Name": "last_ip_used", "Value": .string(address)]) }
        attributes.append(
            ["Name": "dev:device_remembered_status", "Value": .string(isRemembered ? "remembered" : "not_remembered")])
        return [
            "DeviceKey": .string(deviceKey), "DeviceAttributes": .array(attributes),
            "DeviceCreateDate": Timestamp.json(created), "DeviceLastModifiedDate": Timestamp.json(modified),
            "DeviceLastAuthenticatedDate": Timestamp.json(lastAuthenticated),
        ]
    }
}
