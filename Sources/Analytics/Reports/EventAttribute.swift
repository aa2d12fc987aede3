import JSON

/// Reads an attribute of a stored event.
struct EventAttribute {
    let names: [String]

    /// - Parameter names: The attribute; of several the first that an event has.
    init(_ names: [String]) { self.names = names }

    /// The attribute's value in an event's content; nil where it has none.
    func value(in content: String) -> String? {
        var content = content
        return content.withUTF8 { bytes in
            var scanner = unsafe JSONScanner(UnsafeRawBufferPointer(bytes), depthMax: 32)
            // What is stored was read before.
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
