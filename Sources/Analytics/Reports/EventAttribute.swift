import JSON

/// Reads an attribute of a stored event.
struct EventAttribute {
    let names: [String]

    /// - Parameter names: The attribute, or several, of which the first that an event has is used.
    init(_ names: [String]) { self.names = names }

    /// The attribute's value in an event's content; nil if it is absent.
    func value(in content: String) -> String? {
        var content = content
        return content.withUTF8 { bytes in
            var scanner = unsafe JSONScanner(UnsafeRawBufferPointer(bytes), depthMax: 32)
            // Stored events were validated when they arrived.
            return try? read(&scanner)
        }
    }

    private func read(_ scanner: inout JSONScanner) throws(JSONError) -> String? {
        var found: (rank: Int, value: String)?
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            guard scanner.isEqual(key, "Attributes"), try scanner.peekKind() == .object else {
                try scanner.skipValue()
                continue
            }
            found = nil
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                let name = scanner.string(key)
                guard let rank = names.firstIndex(where: { $0.isExactly(name) }),
                    found.map({ rank <= $0.rank }) ?? true,
                    try scanner.peekKind() == .string
                else {
                    try scanner.skipValue()
                    continue
                }
                found = (rank, scanner.string(try scanner.readString()))
            }
        }
        return found?.value
    }
}
