/// The lines of a text, for the places of many of its bytes in any order.
///
/// A line ends with LF, CR LF or a lone CR (spec §2.1.2). A byte order mark at the start has no width. A place is found in a time
/// that does not depend on the length of its line: a schema of one long line has as many places as it has fields.
public struct LineTable: Sendable {
    /// The bytes between two counts of `widths`.
    private static let blockBytes = 256

    private let bytes: [UInt8]
    /// The byte at which each line starts.
    private let starts: [Int]
    /// The width of all bytes before each block of `blockBytes`, and of all bytes at the end.
    private let widths: [Int]

    /// Reads the lines of a text.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var starts = [bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0]
        for (index, byte) in bytes.enumerated() {
            let isPair = byte == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A
            if byte == 0x0A || byte == 0x0D, !isPair { starts.append(index + 1) }
        }
        self.starts = starts
        var widths = [0]
        var width = 0
        for start in stride(from: 0, to: bytes.count, by: Self.blockBytes) {
            width += Self.width(of: bytes[start..<min(start + Self.blockBytes, bytes.count)])
            widths.append(width)
        }
        self.widths = widths
    }

    /// The line, from 1, and the column, from 1 in UTF-16 code units, of a byte. An offset beyond the end means the end.
    public func location(of offset: Int) -> (line: Int, column: Int) {
        let offset = min(max(offset, starts[0]), bytes.count)
        let next = starts.bisection { $0 > offset }
        let start = starts[max(0, next - 1)]
        return (max(1, next), width(before: offset) - width(before: start) + 1)
    }

    /// The width of all bytes before an offset.
    private func width(before offset: Int) -> Int {
        let block = offset / Self.blockBytes
        return widths[block] + Self.width(of: bytes[block * Self.blockBytes..<offset])
    }

    /// The end of a line without what ends it.
    private func contentEnd(ofLine line: Int) -> Int {
        guard line < starts.count else { return bytes.count }
        let last = starts[line] - 1
        let isPair = bytes[last] == 0x0A && last > starts[line - 1] && bytes[last - 1] == 0x0D
        return isPair ? last - 1 : last
    }

    /// The byte at a line and column; nil if there is no such line.
    public func offset(line: Int, column: Int) -> Int? {
        guard starts.indices.contains(line - 1), column > 0 else { return nil }
        var offset = starts[line - 1]
        var left = column - 1
        // Begins at the last block of the line that is not beyond the column.
        let target = width(before: offset) + left
        let (first, end) = (offset / Self.blockBytes + 1, contentEnd(ofLine: line) / Self.blockBytes + 1)
        if first < end {
            let block = first + Array(widths[first..<end]).bisection { $0 > target } - 1
            if block >= first {
                (offset, left) = (block * Self.blockBytes, target - widths[block])
                while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
            }
        }
        while left > 0, offset < bytes.count, bytes[offset] != 0x0A, bytes[offset] != 0x0D {
            left -= Self.width(of: bytes[offset..<offset + 1])
            offset += 1
            while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
        }
        return offset
    }

    /// The first place, from a byte on, of a name that is no part of another one; nil if there is none.
    public func offset(ofName name: String, from start: Int) -> Int? {
        let word = Array(name.utf8)
        guard !word.isEmpty, start >= 0, bytes.count >= word.count else { return nil }
        func isPart(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
            default: false
            }
        }
        var position = start
        while position + word.count <= bytes.count {
            let end = position + word.count
            if bytes[position..<end].elementsEqual(word), position == 0 || !isPart(bytes[position - 1]),
                end == bytes.count || !isPart(bytes[end])
            {
                return position
            }
            position += 1
        }
        return nil
    }

    /// The number of UTF-16 code units that UTF-8 bytes stand for. A scalar beyond U+FFFF has two.
    private static func width(of bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 + ($1 >= 0xF0 ? 2 : $1 & 0xC0 == 0x80 ? 0 : 1) }
    }
}
