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

    /// Pairs of texts, in their order.
    func pairs(_ name: String) -> [(name: String, value: String)] {
        (object[name]?.arrayValue ?? []).compactMap { pair in
            guard let parts = pair.arrayValue, parts.count == 2, let name = parts[0].stringValue,
                let value = parts[1].stringValue
            else { return nil }
            return (name, value)
        }
    }

    /// Sets members that are there.
    mutating func set(_ name: String, _ value: String?) { if let value { object[name] = .string(value) } }
    mutating func set(_ name: String, _ value: Int64?) { if let value { object[name] = .number(String(value)) } }
    mutating func set(_ name: String, _ value: Bool) { if value { object[name] = .bool(true) } }
    mutating func set(_ name: String, _ pairs: [(name: String, value: String)]) {
        guard !pairs.isEmpty else { return }
        object[name] = .array(pairs.map { .array([.string($0.name), .string($0.value)]) })
    }
}

extension Document {
    /// A checksum that was set under this name.
    func checksum(_ name: String) -> ObjectChecksum? {
        guard let stored = object[name]?.objectValue.map({ Document($0) }),
            let algorithm = stored.string("algorithm").flatMap(ChecksumAlgorithm.init),
            let value = stored.string("value"), var checksum = ObjectChecksum(algorithm, text: value)
        else { return nil }
        if let count = stored.integer("parts") { (checksum.type, checksum.partCount) = (.composite, Int(count)) }
        return checksum
    }

    mutating func set(_ name: String, _ checksum: ObjectChecksum?) {
        guard let checksum else { return }
        var stored = Document()
        stored.set("algorithm", checksum.algorithm.rawValue)
        stored.set("value", ObjectChecksum(checksum.algorithm, checksum.bytes).text)
        if checksum.type == .composite { stored.set("parts", Int64(checksum.partCount)) }
        object[name] = .object(stored.object)
    }
}
