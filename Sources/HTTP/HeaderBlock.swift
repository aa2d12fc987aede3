/// Header lines made once and shared by many answers: `name: value` and CRLF, as the bytes that leave.
///
/// The fields that frame a message (Content-Length, Transfer-Encoding, Connection, Date) are not among them: the
/// server writes those itself, and a block that names one breaks our own belief.
public struct HeaderBlock: Sendable {
    /// The lines.
    private(set) var bytes: [UInt8]
    /// `name: ` of each field that carries an answer's own `RequestID`.
    private(set) var requestIDPrefixes: [[UInt8]]
    /// Whether an answer's own `RequestID` is among its fields.
    var hasRequestID: Bool { !requestIDPrefixes.isEmpty }
    /// Whether the body is already packed in some way and must not be compressed again.
    private(set) var hasContentEncoding: Bool

    /// No lines.
    public static let empty = HeaderBlock([:])

    /// Lines of these fields, in this order. An answer that has a `RequestID` carries it under each of `requestIDNames`.
    /// A control character in a value becomes a space.
    public init(_ fields: KeyValuePairs<String, String>, requestIDNames: [String] = []) {
        bytes = []
        hasContentEncoding = false
        requestIDPrefixes = requestIDNames.map { name in
            HeaderBlock.check(name)
            return Array("\(name): ".utf8)
        }
        append(fields)
    }

    /// These lines and more.
    public func appending(_ fields: KeyValuePairs<String, String>) -> HeaderBlock {
        var block = self
        block.append(fields)
        return block
    }

    private mutating func append(_ fields: KeyValuePairs<String, String>) {
        for (name, value) in fields {
            HeaderBlock.check(name)
            bytes += name.utf8
            bytes += ": ".utf8
            bytes += value.utf8.lazy.map(\.sanitizedFieldContent)
            bytes += "\r\n".utf8
            if name.lowercased() == "content-encoding" { hasContentEncoding = true }
        }
    }

    private static func check(_ name: String) {
        precondition(isFieldName(name), "a header block is written with field names that are tokens: \(name)")
        precondition(!framesMessage(name), "the server writes the fields that frame a message itself: \(name)")
    }

    private static func isFieldName(_ name: String) -> Bool { unsafe Array(name.utf8).withUnsafeBytes(isFieldName) }

    private static func framesMessage(_ name: String) -> Bool { unsafe Array(name.utf8).withUnsafeBytes(framesMessage) }

    /// RFC 9110 §5.1: a field name is a token.
    static func isFieldName(_ name: UnsafeRawBufferPointer) -> Bool {
        unsafe !name.isEmpty && name.allSatisfy { $0.isToken }
    }

    /// Whether a field of that name says where messages begin and end, or is written by the server anyway.
    static func framesMessage(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 4: unsafe name.isEqual(lowercased: "date")
        case 10: unsafe name.isEqual(lowercased: "connection")
        case 14: unsafe name.isEqual(lowercased: "content-length")
        case 17: unsafe name.isEqual(lowercased: "transfer-encoding")
        default: false
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these are the bytes of a text in lower case, in any case.
    ///
    /// Memory safety: the text has as many bytes as are compared.
    func isEqual(lowercased text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        let text = unsafe text.utf8Start
        for index in indices where unsafe self[index].lowercased != text[index] { return false }
        return true
    }
}

extension UInt8 {
    /// The byte itself, or a space in place of a control character, which could end the line.
    var sanitizedFieldContent: UInt8 { isFieldContent ? self : ASCII.space }
}
