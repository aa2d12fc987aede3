import GraphQL
import JSON

/// Reads the members of a JSON object, and refuses unknown ones.
struct EditReader {
    let object: JSONObject
    /// What messages call the object: `addField`, `field`.
    let subject: String
    let limits: SchemaEditLimits
    private var known: Set<String> = []

    init(_ value: JSONValue, _ subject: String, limits: SchemaEditLimits) throws(EditRefusal) {
        guard let object = value.objectValue else {
            throw EditRefusal(.invalid, "'\(subject)' is not an object.")
        }
        self.object = object
        self.subject = subject
        self.limits = limits
    }

    /// Refuses members that were not read.
    func finish() throws(EditRefusal) {
        for key in object.keys where !known.contains(key) {
            throw EditRefusal(
                .invalid, "'\(subject)' has no member '\(key.prefix(limits.nameBytesMax))'.",
                hint: "Its members are \(known.sorted().joined(separator: ", ")).")
        }
    }

    mutating func value(_ key: String) -> JSONValue? {
        known.insert(key)
        return object[key]
    }

    mutating func has(_ key: String) -> Bool { value(key) != nil }

    mutating func required(_ key: String) throws(EditRefusal) -> JSONValue {
        guard let value = value(key) else { throw EditRefusal(.invalid, "'\(subject)' lacks the member '\(key)'.") }
        return value
    }

    // MARK: - Scalars

    mutating func name(_ key: String) throws(EditRefusal) -> String {
        try checkedName(try required(key), key)
    }

    mutating func optionalName(_ key: String) throws(EditRefusal) -> String? {
        guard let value = value(key), !value.isNull else { return nil }
        return try checkedName(value, key)
    }

    mutating func names(_ key: String) throws(EditRefusal) -> [String] {
        var names: [String] = []
        for element in try elements(try required(key), key) { names.append(try checkedName(element, key)) }
        return names
    }

    /// A GraphQL name: a text that is not one could inject other syntax into the schema.
    private func checkedName(_ value: JSONValue, _ key: String) throws(EditRefusal) -> String {
        guard let name = value.stringValue, name.isName else {
            throw EditRefusal(
                .invalid, "'\(key)' of '\(subject)' is not a name.",
                hint: "A name has letters, digits and underscores, and does not begin with a digit.")
        }
        guard name.utf8.count <= limits.nameBytesMax else {
            throw EditRefusal(.limit, "'\(key)' of '\(subject)' has more than \(limits.nameBytesMax) bytes.")
        }
        return name
    }

    mutating func optionalText(_ key: String) throws(EditRefusal) -> String? {
        guard let value = value(key), !value.isNull else { return nil }
        guard let text = value.stringValue else {
            throw EditRefusal(.invalid, "'\(key)' of '\(subject)' is not a string.")
        }
        guard text.utf8.count <= limits.valueBytesMax else {
            throw EditRefusal(.limit, "'\(key)' of '\(subject)' has more than \(limits.valueBytesMax) bytes.")
        }
        return text
    }

    mutating func optionalFlag(_ key: String) throws(EditRefusal) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let flag = value.boolValue else {
            throw EditRefusal(.invalid, "'\(key)' of '\(subject)' is not true or false.")
        }
        return flag
    }

    mutating func flag(_ key: String, default standard: Bool) throws(EditRefusal) -> Bool {
        try optionalFlag(key) ?? standard
    }

    mutating func word<Word: RawRepresentable & CaseIterable>(
        _ key: String, default standard: Word? = nil
    ) throws(EditRefusal) -> Word where Word.RawValue == String {
        if value(key) == nil, let standard { return standard }
        guard let word = try required(key).stringValue.flatMap(Word.init(rawValue:)) else {
            let words = Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw EditRefusal(.invalid, "'\(key)' of '\(subject)' is not one of \(words).")
        }
        return word
    }

    // MARK: - Parts

    func elements(_ value: JSONValue, _ key: String) throws(EditRefusal) -> [JSONValue] {
        guard let elements = value.arrayValue else {
            throw EditRefusal(.invalid, "'\(key)' of '\(subject)' is not a list.")
        }
        guard elements.count <= limits.membersMax else {
            throw EditRefusal(.limit, "'\(key)' of '\(subject)' has more than \(limits.membersMax) elements.")
        }
        return elements
    }

    /// `after`: absent for the last place, null for the first one.
    mutating func position() throws(EditRefusal) -> Edit.Position? {
        guard let value = value("after") else { return nil }
        return value.isNull ? .first : .after(try checkedName(value, "after"))
    }
}

extension String {
    /// Whether the text is a name (spec §2.1.9) that introspection does not reserve (spec §4.1 Reserved Names).
    var isName: Bool {
        guard let first = utf8.first, first == UInt8(ascii: "_") || first.isLetter, !hasPrefix("__") else {
            return false
        }
        return utf8.allSatisfy { $0 == UInt8(ascii: "_") || $0.isLetter || (0x30...0x39).contains($0) }
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
}
