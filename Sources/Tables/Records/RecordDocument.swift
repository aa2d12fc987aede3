package import JSON

/// Typed access to the members of a JSON object: those of a record without a column of their own, or a sealed state.
package struct RecordDocument {
    /// The members.
    package var object: JSONObject

    /// A document of these members.
    package init(_ object: JSONObject = [:]) { self.object = object }

    /// Reads a document; nil of what is none.
    package init?(_ text: String?) {
        guard let text, let object = try? JSONReader.read(text).objectValue else { return nil }
        self.object = object
    }

    /// The document as it is stored.
    package var text: String { JSONValue.object(object).description }
}

// MARK: - Members

extension RecordDocument {
    /// A text; nil where there is none of that name.
    package func string(_ name: String) -> String? { object[name]?.stringValue }
    /// A whole number; nil where there is none of that name.
    package func integer(_ name: String) -> Int64? { object[name]?.intValue }
    /// Whether a member is there and true.
    package func bool(_ name: String) -> Bool { object[name]?.boolValue ?? false }
    /// Texts, in their order.
    package func strings(_ name: String) -> [String] { object[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }

    /// Pairs of texts, in their order.
    package func pairs(_ name: String) -> [(name: String, value: String)] {
        (object[name]?.arrayValue ?? []).compactMap { pair in
            guard let parts = pair.arrayValue, parts.count == 2, let name = parts[0].stringValue,
                let value = parts[1].stringValue
            else { return nil }
            return (name, value)
        }
    }

    /// Sets a text, if it is there.
    package mutating func set(_ name: String, _ value: String?) { if let value { object[name] = .string(value) } }
    /// Sets a number, if it is there.
    package mutating func set(_ name: String, _ value: Int64?) {
        if let value { object[name] = .number(String(value)) }
    }
    /// Sets a truth value, if it is true.
    package mutating func set(_ name: String, _ value: Bool) { if value { object[name] = .bool(true) } }
    /// Sets texts, if there are any.
    package mutating func set(_ name: String, _ value: [String]) {
        if !value.isEmpty { object[name] = .array(value.map(JSONValue.string)) }
    }
    /// Sets pairs of texts, if there are any.
    package mutating func set(_ name: String, _ pairs: [(name: String, value: String)]) {
        guard !pairs.isEmpty else { return }
        object[name] = .array(pairs.map { .array([.string($0.name), .string($0.value)]) })
    }
}
