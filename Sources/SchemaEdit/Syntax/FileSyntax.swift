import GraphQL

/// A file of a schema with its tokens, its definitions and its lines.
struct FileSyntax {
    let name: String
    /// Its index among the files of the schema.
    let index: Int
    let source: Source
    let tokens: [SourceToken]
    let definitions: [Syntax.Definition]

    var bytes: [UInt8] { source.bytes }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    // MARK: - Tokens

    /// The last token that ends at or before a byte.
    func token(endingBy offset: Int) -> SourceToken? {
        let index = tokens.bisection { $0.end > offset }
        return index > 0 ? tokens[index - 1] : nil
    }

    /// The first token that begins at or after a byte.
    func token(startingFrom offset: Int) -> SourceToken? {
        let index = tokens.bisection { $0.start >= offset }
        return index < tokens.count ? tokens[index] : nil
    }

    /// The tokens within a range, each as it is written.
    func tokenTexts(in range: Range<Int>) -> [String] {
        tokens[tokens.bisection { $0.start >= range.lowerBound }...].prefix { $0.end <= range.upperBound }
            .map { text($0.start..<$0.end) }
    }

    /// Whether a range that does not begin or end within a token contains a comment.
    func hasComment(in range: Range<Int>) -> Bool {
        var position = range.lowerBound
        while position < range.upperBound {
            if let token = token(startingFrom: position), token.start < range.upperBound {
                if bytes[position..<token.start].contains(UInt8(ascii: "#")) { return true }
                position = token.end
            } else {
                return bytes[position..<range.upperBound].contains(UInt8(ascii: "#"))
            }
        }
        return false
    }

    // MARK: - Lines

    /// The first byte of the line of a byte, after a byte order mark.
    func lineStart(at offset: Int) -> Int {
        var position = offset
        while position > 0, !isLineEnd(position - 1) { position -= 1 }
        return position == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? min(3, offset) : position
    }

    /// The end of the line of a byte, without its terminator.
    func lineEnd(at offset: Int) -> Int {
        var position = offset
        while position < bytes.count, !isLineEnd(position) { position += 1 }
        return position
    }

    /// The first byte after the terminator that begins at a byte.
    func afterTerminator(at lineEnd: Int) -> Int {
        guard lineEnd < bytes.count else { return lineEnd }
        let isPair = bytes[lineEnd] == 0x0D && lineEnd + 1 < bytes.count && bytes[lineEnd + 1] == 0x0A
        return lineEnd + (isPair ? 2 : 1)
    }

    /// A byte after CR and before LF is within a terminator, which no edit splits.
    private func isLineEnd(_ position: Int) -> Bool { bytes[position] == 0x0A || bytes[position] == 0x0D }

    func hasLineEnd(in range: Range<Int>) -> Bool { range.contains(where: isLineEnd) }

    /// Whether only white space and commas stand there.
    func isBlank(_ range: Range<Int>) -> Bool {
        bytes[range].allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
    }

    func isFirstOnLine(_ offset: Int) -> Bool { isBlank(lineStart(at: offset)..<offset) }

    /// The white space that the line of a byte begins with.
    func indentation(at offset: Int) -> String {
        let start = lineStart(at: offset)
        return String(decoding: bytes[start...].prefix { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
    }

    /// The terminator of the line of a byte, else the first of the file, else LF.
    func newline(at offset: Int) -> String {
        let end = lineEnd(at: offset)
        if end < bytes.count { return text(end..<afterTerminator(at: end)) }
        let first = lineEnd(at: 0)
        return first < bytes.count ? text(first..<afterTerminator(at: first)) : "\n"
    }

    /// What members of a type are indented by, in addition to the type: as the file has it, else two spaces.
    var indentationUnit: String {
        for definition in definitions {
            for member in definition.members where definition.braces != nil && isFirstOnLine(member.range.lowerBound) {
                let outer = indentation(at: definition.keyword.lowerBound)
                let inner = indentation(at: member.range.lowerBound)
                if inner.hasPrefix(outer), inner.utf8.count > outer.utf8.count {
                    return String(inner.dropFirst(outer.count))
                }
            }
        }
        return "  "
    }

    // MARK: - Comments

    /// Where what belongs to a node begins: the comments on the lines directly above it, if it is the first on its line.
    func ownedStart(of offset: Int) -> Int {
        guard isFirstOnLine(offset) else { return offset }
        let floor = token(endingBy: offset)?.end ?? 0
        var start = offset
        var line = lineStart(at: offset)
        while line > floor {
            var end = line - 1
            if end > 0, bytes[end] == 0x0A, bytes[end - 1] == 0x0D { end -= 1 }
            let previous = lineStart(at: end)
            guard previous >= floor, previous < line else { break }
            guard let hash = bytes[previous..<end].firstIndex(where: { $0 != 0x20 && $0 != 0x09 }),
                bytes[hash] == UInt8(ascii: "#")
            else { break }
            (start, line) = (hash, previous)
        }
        return start
    }

    /// Where what belongs to a node ends: after a comment that follows it on its line.
    func ownedEnd(of offset: Int) -> Int {
        let end = lineEnd(at: offset)
        let hash = bytes[offset..<end].firstIndex { $0 != 0x20 && $0 != 0x09 && $0 != UInt8(ascii: ",") }
        guard let hash, bytes[hash] == UInt8(ascii: "#") else { return offset }
        return end
    }

    /// Whether a comment on its lines or above belongs to a node.
    func hasOwnComment(_ range: Range<Int>) -> Bool {
        ownedStart(of: range.lowerBound) != range.lowerBound || ownedEnd(of: range.upperBound) != range.upperBound
    }
}

extension Array {
    /// The index of the first element that meets a condition that all later elements meet too.
    func bisection(_ isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
