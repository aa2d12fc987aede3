/// The text a document is parsed from: UTF-8 bytes with a name for messages.
///
/// A document points into its source by byte offsets, and only who reports an error asks for line and column; so
/// neither lexer nor parser counts lines. One reference is shared by all who point into it.
public final class Source: Sendable {
    /// What messages call it, for example `schema.graphql`.
    public let name: String
    /// The text as UTF-8; whether it is well-formed is found by the lexer where it matters.
    public let bytes: [UInt8]

    /// A source of bytes.
    public init(_ bytes: [UInt8], name: String = "GraphQL request") {
        self.bytes = bytes
        self.name = name
    }

    /// A source of text.
    public convenience init(_ text: String, name: String = "GraphQL request") {
        self.init(Array(text.utf8), name: name)
    }

    /// The line and column of a byte; an offset beyond the end means the end. Linear in the offset: for many places use a
    /// `SourceCursor`.
    public func location(of offset: Int) -> SourceLocation {
        var cursor = SourceCursor(self)
        return cursor.location(of: offset)
    }

    /// The text of a line, from 1, without its end; empty when there is no such line.
    public func line(_ number: Int) -> String {
        var line = 1
        var start = textStart
        var position = start
        while position < bytes.count {
            let isBreak = bytes[position] == UInt8(ascii: "\n") || bytes[position] == UInt8(ascii: "\r")
            if isBreak {
                if line == number { break }
                if bytes[position] == UInt8(ascii: "\r"), isLineFeed(position + 1) { position += 1 }
                line += 1
                start = position + 1
            }
            position += 1
        }
        return line == number ? String(decoding: bytes[start..<position], as: UTF8.self) : ""
    }

    var hasByteOrderMark: Bool { bytes.starts(with: [0xEF, 0xBB, 0xBF]) }

    /// The first byte after a byte order mark.
    var textStart: Int { hasByteOrderMark ? 3 : 0 }

    func isLineFeed(_ position: Int) -> Bool {
        position < bytes.count && bytes[position] == UInt8(ascii: "\n")
    }
}
