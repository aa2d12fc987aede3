import JSON

/// The members of a record that are in no column of their own, as JSON.
struct Document {
    var object: JSONObject

    init(_ object: JSONObject = [:]) { self.object = object }

    /// Reads a document; nil of what is none.
    init?(_ text: String?) {
        guard let text, let object = try? JSONReader.read(text).objectValue else { return nil }
        self.object = object
    }

    var text: String { JSONValue.object(object).description }

    func string(_ name: String) -> String? { object[name]?.stringValue }
    func integer(_ name: String) -> Int64? { object[name]?.intValue }
    func bool(_ name: String) -> Bool { object[name]?.boolValue ?? false }
    func strings(_ name: String) -> [String] { object[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }

    /// Sets members that are there.
    mutating func set(_ name: String, _ value: String?) { if let value { object[name] = .string(value) } }
    mutating func set(_ name: String, _ value: Int64?) { if let value { object[name] = .number(String(value)) } }
    mutating func set(_ name: String, _ value: Bool) { if value { object[name] = .bool(true) } }
    mutating func set(_ name: String, _ value: [String]) {
        if !value.isEmpty { object[name] = .array(value.map(JSONValue.string)) }
    }
}
