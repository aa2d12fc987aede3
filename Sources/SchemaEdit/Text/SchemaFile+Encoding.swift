extension SchemaFile {
    /// The byte at which the text is not UTF-8, with its line from 1; nil if all of it is.
    public var firstInvalidByte: (offset: Int, line: Int)? {
        // Nearly every text is valid, which is known in one pass.
        guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while case .valid(let scalar) = parser.parseScalar(from: &iterator) { offset += scalar.count }
        return (offset, LineTable(bytes).location(of: offset).line)
    }
}
