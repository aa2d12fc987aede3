/// JSON text to a value, in one pass.
public enum JSONReader {
    /// Reads exactly one value by the grammar of RFC 8259: UTF-8 without byte order mark, no comments.
    public static func read(_ bytes: UnsafeRawBufferPointer, depthMax: Int = 64) throws(JSONError) -> JSONValue {
        try unsafe read(JSONScanner(bytes, depthMax: depthMax))
    }

    /// Reads exactly one value by the grammar of RFC 8259.
    public static func read(_ bytes: [UInt8], depthMax: Int = 64) throws(JSONError) -> JSONValue {
        try withScanner(bytes, depthMax: depthMax, isRelaxed: false, read)
    }

    /// Reads exactly one value by the grammar of RFC 8259.
    public static func read(_ text: String, depthMax: Int = 64) throws(JSONError) -> JSONValue {
        try read(Array(text.utf8), depthMax: depthMax)
    }

    /// Reads one value out of a file that people write: comments and a comma after the last element are welcome.
    public static func readRelaxed(_ bytes: [UInt8], depthMax: Int = 64) throws(JSONError) -> JSONValue {
        try withScanner(bytes, depthMax: depthMax, isRelaxed: true, read)
    }

    /// Reads one value out of a text that people write.
    public static func readRelaxed(_ text: String, depthMax: Int = 64) throws(JSONError) -> JSONValue {
        try readRelaxed(Array(text.utf8), depthMax: depthMax)
    }

    private static func read(_ scanner: JSONScanner) throws(JSONError) -> JSONValue {
        var scanner = scanner
        let value = try scanner.readValue()
        try scanner.finish()
        return value
    }

    // The scanner is used inside the closure that borrows the bytes.
    private static func withScanner(
        _ bytes: [UInt8], depthMax: Int, isRelaxed: Bool, _ body: (JSONScanner) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) -> JSONValue in
            try unsafe body(JSONScanner(UnsafeRawBufferPointer(bytes), depthMax: depthMax, isRelaxed: isRelaxed))
        }
    }
}
