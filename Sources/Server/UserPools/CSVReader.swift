/// Reads text of comma-separated values (RFC 4180), record by record, each with the lines on which it stands.
///
/// Lines end with LF, CRLF or CR. Fields in quotes hold commas, line breaks and doubled quotes. Outside of quotes, a backslash
/// before a comma, a quote or a backslash is left out, as in Cognito's files. What is malformed is a problem of its record,
/// and the next record is read on.
struct CSVReader {
    /// A record, or why it cannot be read.
    struct Record: Hashable {
        /// The first and the last line of the record, from 1 on.
        var lines: ClosedRange<Int>
        var fields: [String]
        /// What is wrong, as a sentence.
        var problem: String?

        /// Whether it is a line with nothing on it.
        var isEmpty: Bool { problem == nil && fields == [""] }
    }

    /// The most bytes of a record.
    static let recordBytesMax = 256 << 10

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1

    /// A reader of UTF-8, with or without a byte order mark.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// The next record; nil at the end.
    mutating func next() -> Record? {
        guard position < bytes.count else { return nil }
        let (start, first) = (position, line)
        var fields: [String] = []
        var problem: String?
        repeat {
            let field = field()
            problem = problem ?? field.problem
            // What cannot be read is not kept either.
            if problem == nil, position - start > Self.recordBytesMax {
                problem = "The record has more than \(Self.recordBytesMax) bytes."
                fields = []
            }
            if problem == nil { fields.append(field.text) }
        } while takeComma()
        let last = line
        takeLineBreak()
        return Record(lines: first...last, fields: fields, problem: problem)
    }

    // MARK: Fields

    private mutating func field() -> (text: String, problem: String?) {
        guard peek == UInt8(ascii: "\"") else { return plainField() }
        position += 1
        var text: [UInt8] = []
        while let byte = peek {
            position += 1
            if byte == UInt8(ascii: "\"") {
                guard peek == UInt8(ascii: "\"") else { return afterQuote(text) }
                position += 1
            } else if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") && peek != UInt8(ascii: "\n") {
                line += 1
            }
            if text.count <= Self.recordBytesMax { text.append(byte) }
        }
        return ("", "A quote is not closed.")
    }

    /// The end of a field after its closing quote: a comma or the end of the line.
    private mutating func afterQuote(_ text: [UInt8]) -> (text: String, problem: String?) {
        guard isAtEnd else {
            skipField()
            return ("", "Text follows a closing quote.")
        }
        return Self.decode(text)
    }

    private mutating func plainField() -> (text: String, problem: String?) {
        var text: [UInt8] = []
        while !isAtEnd {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") {
                skipField()
                return ("", "A quote stands inside of a field that does not begin with one.")
            }
            if byte == UInt8(ascii: "\\"), let escaped = peek, [0x22, 0x2C, 0x5C].contains(escaped) {
                byte = escaped
                position += 1
            }
            if text.count <= Self.recordBytesMax { text.append(byte) }
        }
        return Self.decode(text)
    }

    /// Goes to the end of the line, so that no part of a malformed record is taken for another record.
    private mutating func skipField() {
        while let byte = peek, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") { position += 1 }
    }

    private static func decode(_ bytes: [UInt8]) -> (text: String, problem: String?) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return ("", "The text is not UTF-8.") }
        return text.utf8.contains(0) ? ("", "The text holds a NUL.") : (text, nil)
    }

    // MARK: Bytes

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Whether a field ends here.
    private var isAtEnd: Bool {
        guard let byte = peek else { return true }
        return byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    private mutating func takeComma() -> Bool {
        guard peek == UInt8(ascii: ",") else { return false }
        position += 1
        return true
    }

    private mutating func takeLineBreak() {
        guard let byte = peek else { return }
        position += 1
        if byte == UInt8(ascii: "\r"), peek == UInt8(ascii: "\n") { position += 1 }
        line += 1
    }
}
