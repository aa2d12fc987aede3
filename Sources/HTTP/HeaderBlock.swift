/// Header lines made once and shared by many answers: `name: value` and CRLF, as the bytes that leave.
///
/// The fields that frame a message (Content-Length, Transfer-Encoding, Connection, Date) are not among them: the
/// server writes those itself, and a block that names one breaks our own belief.
public struct HeaderBlock: Sendable {
    /// The lines.
    private(set) var bytes: [UInt8]
    /// `name: ` of the field that carries an answer's own `RequestID`, or empty.
    private(set) var requestIDPrefix: [UInt8]
    /// Whether an answer's own `RequestID` is among its fields.
    var hasRequestID: Bool { !requestIDPrefix.isEmpty }
    /// Whether the body is already packed in some way and must not be compressed again.
    private(set) var hasContentEncoding: Bool

    /// No lines.
    public static let empty = HeaderBlock([:])

    /// Lines of these fields, in this order. With `requestIDName`, an answer that has a `RequestID` carries it under
    /// that name. A control character in a value becomes a space.
    public init(_ fields: KeyValuePairs<String, String>, requestIDName: String? = nil) {
        bytes = []
        requestIDPrefix = []
        hasContentEncoding = false
        if let requestIDName {
            HeaderBlock.check(requestIDName)
            requestIDPrefix = Array("\(requestIDName): ".utf8)
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

    /// RFC 9110 §5.1: a field name is a token.
    static func isFieldName(_ name: String) -> Bool { !name.isEmpty && name.utf8.allSatisfy(\.isToken) }

    /// Whether a field of that name says where messages begin and end, or is written by the server anyway.
    static func framesMessage(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: name.lowercased() == "date"
        case 10: name.lowercased() == "connection"
        case 14: name.lowercased() == "content-length"
        case 17: name.lowercased() == "transfer-encoding"
        default: false
        }
    }
}

extension UInt8 {
    /// The byte itself, or a space in place of a control character, which could end the line.
    var sanitizedFieldContent: UInt8 { isFieldContent ? self : ASCII.space }
}
