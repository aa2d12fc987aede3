import JSON

/// The body of a request to an operation, checked against the operation's members.
struct OperationInput: Sendable {
    let object: JSONObject

    /// Validates a body. One message reports all problems, as the service does (reference: auth, "Errors").
    init(_ object: JSONObject, for members: [Member]) throws(CognitoError) {
        var problems: [String] = []
        for member in members {
            guard let value = object[member.name], !value.isNull else {
                if member.isRequired { problems.append(Self.problem(member, "Member must not be null")) }
                continue
            }
            if let problem = try Self.problem(of: value, member) { problems.append(problem) }
        }
        if !problems.isEmpty {
            let count = problems.count == 1 ? "1 validation error" : "\(problems.count) validation errors"
            throw .invalidParameter("\(count) detected: \(problems.joined(separator: "; "))")
        }
        self.object = object
    }

    private static func problem(_ member: Member, _ constraint: String) -> String {
        "Value at '\(SettingsReader.lowerFirst(member.name))' failed to satisfy constraint: \(constraint)"
    }

    private static func problem(of value: JSONValue, _ member: Member) throws(CognitoError) -> String? {
        switch member.kind {
        case .string(let length):
            guard let text = value.stringValue else { throw misfit(value, "STRING") }
            let count = text.utf16.count
            if count < length.lowerBound {
                return problem(member, "Member must have length greater than or equal to \(length.lowerBound)")
            }
            if count > length.upperBound {
                return problem(member, "Member must have length less than or equal to \(length.upperBound)")
            }
        case .enumeration(let values):
            guard let text = value.stringValue else { throw misfit(value, "STRING") }
            if !values.contains(text) {
                return
                    "Value '\(text.prefix(128))' at '\(SettingsReader.lowerFirst(member.name))' failed to satisfy constraint: "
                    + "Member must satisfy enum value set: [\(values.joined(separator: ", "))]"
            }
        case .boolean:
            guard value.boolValue != nil else { throw misfit(value, "BOOLEAN") }
        case .integer(let range):
            guard let number = value.intValue else { throw misfit(value, "INTEGER") }
            if number < range.lowerBound {
                return problem(member, "Member must have value greater than or equal to \(range.lowerBound)")
            }
            if number > range.upperBound {
                return problem(member, "Member must have value less than or equal to \(range.upperBound)")
            }
        case .list:
            guard value.arrayValue != nil else { throw misfit(value, "LIST") }
        case .object:
            guard value.objectValue != nil else { throw misfit(value, "STRUCTURE") }
        }
        return nil
    }

    private static func misfit(_ value: JSONValue, _ type: String) -> CognitoError {
        let found =
            switch value {
            case .null: "NULL"
            case .bool: "TRUE_VALUE"
            case .number: "NUMBER_VALUE"
            case .string: "STRING_VALUE"
            case .array: "START_ARRAY"
            case .object: "START_OBJECT"
            }
        return CognitoError("SerializationException", "\(found) can not be converted to \(type)")
    }

    // MARK: Members

    func string(_ name: String) -> String? { object[name]?.stringValue }

    /// A member that the operation requires.
    func required(_ name: String) -> String { object[name]?.stringValue ?? "" }

    func bool(_ name: String) -> Bool? { object[name]?.boolValue }
    func integer(_ name: String) -> Int64? { object[name]?.intValue }
    func object(_ name: String) -> JSONObject? { object[name]?.objectValue }

    func strings(_ name: String) -> [String] { object[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }

    /// A map of texts.
    func texts(_ name: String) throws(CognitoError) -> [String: String] {
        var texts: [String: String] = [:]
        for (key, value) in object(name) ?? [:] where !value.isNull {
            guard let text = value.stringValue else { throw Self.misfit(value, "STRING") }
            texts[key] = text
        }
        return texts
    }

    /// A list of attributes with their values.
    func attributes(_ list: String) throws(CognitoError) -> [Attribute] {
        var attributes: [Attribute] = []
        for (index, element) in (object[list]?.arrayValue ?? []).prefix(2 * AttributeSchema.countMax).enumerated() {
            guard let name = element["Name"]?.stringValue, !name.isEmpty, name.utf8.count <= 128 else {
                throw .invalidParameter(
                    "1 validation error detected: Value at '\(SettingsReader.lowerFirst(list)).\(index + 1).member.name' "
                        + "failed to satisfy constraint: Member must not be null")
            }
            // Otherwise one value could be validated and the other one stored.
            guard !attributes.contains(where: { $0.name == name }) else {
                throw .invalidParameter("Attribute \(name) is given twice.")
            }
            attributes.append(Attribute(name: name, value: element["Value"]?.stringValue ?? ""))
        }
        return attributes
    }
}
