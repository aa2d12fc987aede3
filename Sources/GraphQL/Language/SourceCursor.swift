/// Lines and columns of many places of a source, in one pass if their offsets ascend.
///
/// `Source.location(of:)` counts from the start of the text each time, so that the places of many errors in one long line
/// would take a time that grows with the square of the text. A smaller offset than the one before begins again.
public struct SourceCursor {
    /// The longest line whose text is given, in bytes: the text is for people.
    public static let lineBytesMax = 1_024

    /// The text.
    public let source: Source
    /// The byte that is counted next, and its place.
    private var position: Int
    private var location = SourceLocation(line: 1, column: 1)
    /// The first byte of the line, and its text once it was asked for.
    private var lineStart: Int
    private var lineText: String?

    /// A cursor at the start of a source.
    public init(_ source: Source) {
        self.source = source
        position = source.textStart
        lineStart = position
    }

    /// The line and column of a byte; an offset beyond the end means the end.
    ///
    /// A line ends with LF, CR LF or a lone CR (spec §2.1.2). A byte order mark at the start has no width.
    public mutating func location(of offset: Int) -> SourceLocation {
        if offset < position { self = SourceCursor(source) }
        let end = min(offset, source.bytes.count)
        while position < end {
            let byte = source.bytes[position]
            position += 1
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") && !source.isLineFeed(position) {
                location = SourceLocation(line: location.line + 1, column: 1)
                (lineStart, lineText) = (position, nil)
            } else if byte >= 0xF0 {
                location.column += 2  // A scalar beyond U+FFFF is a surrogate pair.
            } else if byte & 0xC0 != 0x80 {
                location.column += 1
            }
        }
        return location
    }

    /// The text of the line of the last location, without its end; empty for one of more than `lineBytesMax` bytes.
    public mutating func line() -> String {
        if let lineText { return lineText }
        let rest = source.bytes[lineStart...].prefix(Self.lineBytesMax + 1)
        let end = rest.firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? rest.endIndex
        let text = end - lineStart > Self.lineBytesMax ? "" : String(decoding: rest[..<end], as: UTF8.self)
        lineText = text
        return text
    }
}
