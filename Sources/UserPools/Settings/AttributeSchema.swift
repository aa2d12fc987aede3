import JSON

/// An attribute that users of a pool may have.
package struct AttributeSchema: Sendable, Hashable {
    enum DataType: String, Sendable, CaseIterable {
        case string = "String"
        case number = "Number"
        case dateTime = "DateTime"
        case boolean = "Boolean"
    }

    /// With `custom:` in front for those that are the pool's own.
    package var name: String
    var type = DataType.string
    var isMutable = true
    package var isRequired = false
    var isDeveloperOnly = false
    /// The bounds of a text's length or of a number.
    var minimum: Int64?
    var maximum: Int64?

    /// The most attributes of a pool: twenty standard ones and fifty others.
    static let countMax = 70

    var isCustom: Bool { name.hasPrefix("custom:") || name.hasPrefix("dev:") }

    static let sub = AttributeSchema(name: "sub", isMutable: false, isRequired: true, minimum: 1, maximum: 2_048)

    /// The attributes that every pool has (OpenID Connect Core 1.0 §5.1).
    static let standard: [AttributeSchema] = [
        "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile", "picture",
        "website", "email", "email_verified", "gender", "birthdate", "zoneinfo", "locale", "phone_number",
        "phone_number_verified", "address", "updated_at", "identities",
    ].map { name in
        switch name {
        case "email_verified", "phone_number_verified": AttributeSchema(name: name, type: .boolean)
        case "birthdate": AttributeSchema(name: name, minimum: 10, maximum: 10)
        case "updated_at": AttributeSchema(name: name, type: .number, minimum: 0)
        case "identities": AttributeSchema(name: name)
        default: AttributeSchema(name: name, minimum: 0, maximum: 2_048)
        }
    }

    init(
        name: String, type: DataType = .string, isMutable: Bool = true, isRequired: Bool = false, minimum: Int64? = nil,
        maximum: Int64? = nil
    ) {
        (self.name, self.type, self.isMutable, self.isRequired) = (name, type, isMutable, isRequired)
        (self.minimum, self.maximum) = (minimum, maximum)
    }

    /// Reads `SchemaAttributeType`; nil, and a problem, without a name. Standard attributes keep their type and bounds.
    init?(_ reader: SettingsReader, isConfiguration: Bool) {
        guard var name = reader.string("Name"), !name.isEmpty else {
            reader.report("Name", "An attribute needs a 'name'.")
            return nil
        }
        // `DescribeUserPool` lists it.
        if name == "sub" { return nil }
        let standard = Self.standard.first { $0.name == name }
        if standard == nil, !name.hasPrefix("custom:"), !name.hasPrefix("dev:") {
            name = (reader.bool("DeveloperOnlyAttribute") == true ? "dev:custom:" : "custom:") + name
        }
        let type = reader.choice("AttributeDataType", DataType.self) ?? reader.choice("Type", DataType.self)
        self.init(
            name: name, type: type ?? standard?.type ?? .string, isMutable: reader.bool("Mutable") ?? true,
            isRequired: reader.bool("Required") ?? false, minimum: standard?.minimum, maximum: standard?.maximum)
        isDeveloperOnly = reader.bool("DeveloperOnlyAttribute") ?? false
        if let standard, isDeveloperOnly || self.type != standard.type {
            reader.report(
                isDeveloperOnly ? "DeveloperOnlyAttribute" : "AttributeDataType",
                "You can not change AttributeDataType or set developerOnlyAttribute for standard schema attribute \(name).",
                hint: "Standard attributes have their type; give another attribute another name.")
        }
        readBounds(reader, isConfiguration: isConfiguration)
        if isConfiguration { reader.finish() }
    }

    private mutating func readBounds(_ reader: SettingsReader, isConfiguration: Bool) {
        for (word, low, high, wanted) in [
            ("StringAttributeConstraints", "MinLength", "MaxLength", DataType.string),
            ("NumberAttributeConstraints", "MinValue", "MaxValue", DataType.number),
        ] {
            guard let bounds = reader.section(word) else { continue }
            minimum = bounds.numericText(low) ?? minimum
            maximum = bounds.numericText(high) ?? maximum
            if isConfiguration { bounds.finish() }
            if isConfiguration, type != wanted, !bounds.object.isEmpty {
                reader.report(
                    word,
                    "\(name) is of the type \(type.rawValue), to which '\(SettingsReader.lowerFirst(word))' does not apply.",
                    hint: "Change 'attributeDataType', or remove the constraints.")
            }
            if let minimum, let maximum, minimum > maximum {
                bounds.report(
                    low, "\(name): the minimum \(minimum) is greater than the maximum \(maximum): no value is valid.",
                    hint: "Exchange the two.")
            }
        }
    }

    /// Whether no client writes it: the pool does, when an address has been verified or a provider has signed a user in.
    var isWrittenByPool: Bool { name.hasSuffix("_verified") || name == "identities" }

    var json: JSONObject {
        var object: JSONObject = [
            "Name": .string(name), "AttributeDataType": .string(type.rawValue),
            "DeveloperOnlyAttribute": .bool(isDeveloperOnly), "Mutable": .bool(isMutable),
            "Required": .bool(isRequired),
        ]
        let (low, high) =
            type == .number ? ("MinValue", "MaxValue") : ("MinLength", "MaxLength")
        var bounds = JSONObject()
        if let minimum { bounds[low] = .string(String(minimum)) }
        if let maximum { bounds[high] = .string(String(maximum)) }
        switch type {
        case .string: object["StringAttributeConstraints"] = .object(bounds)
        case .number: object["NumberAttributeConstraints"] = .object(bounds)
        case .dateTime, .boolean: break
        }
        return object
    }

    /// What is wrong with a value; nil when nothing is.
    func problem(of value: String) -> String? {
        switch name {
        case "email":
            return EmailAddress.isValid(value) || value.isEmpty ? nil : "Invalid email address format."
        case "phone_number":
            return PhoneNumber.isValid(value) || value.isEmpty ? nil : "Invalid phone number format."
        default: break
        }
        switch type {
        case .string:
            if let minimum, value.utf16.count < minimum {
                return "\(name): String must be at least \(minimum) characters long\n"
            }
            let maximum = min(maximum ?? 2_048, 2_048)
            if value.utf16.count > maximum { return "\(name): String must be no longer than \(maximum) characters\n" }
        case .number:
            guard let number = Int64(value) else { return "\(name): Attribute value is not a number\n" }
            if let minimum, number < minimum { return "\(name): Number must be greater than or equal to \(minimum)\n" }
            if let maximum, number > maximum { return "\(name): Number must be less than or equal to \(maximum)\n" }
        case .boolean:
            if !["true", "false"].contains(value.lowercased()) { return "\(name): Attribute value is not a boolean\n" }
        case .dateTime:
            if value.utf8.count > 40 { return "\(name): Attribute value is not a date\n" }
        }
        return nil
    }
}
