import JSON

extension User {
    /// The user as `UserType`.
    var json: JSONObject { json(attributes: nil) }

    /// The user as `UserType`, with only these attributes; nil for all.
    func json(attributes wanted: Set<String>?) -> JSONObject {
        var object: JSONObject = ["Username": .string(username)]
        object["Attributes"] = UserPools.json(
            allAttributes.filter { wanted?.contains($0.name) ?? true }, readBy: nil)
        object["UserCreateDate"] = Timestamp.json(created)
        object["UserLastModifiedDate"] = Timestamp.json(modified)
        object["Enabled"] = .bool(isEnabled)
        object["UserStatus"] = .string(status.rawValue)
        let options = mfaOptions
        if !options.isEmpty { object["MFAOptions"] = .array(options) }
        return object
    }

    private var mfaOptions: [JSONValue] {
        mfa.enabled.contains(.sms) ? [["DeliveryMedium": "SMS", "AttributeName": "phone_number"]] : []
    }

    /// Adds the second factors, as `GetUser` and `AdminGetUser` show them.
    func addMFA(to object: inout JSONObject) {
        let options = mfaOptions
        if !options.isEmpty { object["MFAOptions"] = .array(options) }
        if let preferred = mfa.preferred { object["PreferredMfaSetting"] = .string(preferred.rawValue) }
        if !mfa.enabled.isEmpty {
            object["UserMFASettingList"] = .array(mfa.enabled.map { .string($0.rawValue) })
        }
    }

    /// Sets attributes. A changed address becomes unverified, unless the same call sets `…_verified`.
    mutating func change(_ attributes: [Attribute]) {
        for attribute in attributes where ["email", "phone_number"].contains(attribute.name) {
            if self[attribute.name]?.isExactly(attribute.value) != true { self["\(attribute.name)_verified"] = "false" }
        }
        for attribute in attributes {
            // An empty value removes the attribute.
            self[attribute.name] = attribute.value.isEmpty ? nil : attribute.value
        }
    }

    mutating func remove(_ names: [String]) {
        for name in names {
            self[name] = nil
            if name == "email" || name == "phone_number" { self["\(name)_verified"] = nil }
        }
    }
}
