/// The modules of the console as they are sent: without their comments, which are a tenth of what a browser would load. Each line
/// keeps its number, so that an error in a browser names the line of the source. Strings and templates are not recognized: a module
/// of ours has no `/**` in them, and no line of a template begins with `//`. `scripts/console-test/types` compares both programs.
enum ConsoleSource {
    /// A module of ours begins with a comment that says what it is; third-party modules are minified and stay as they are.
    ///
    /// Removed are lines that begin with `//`, and `/** … */` with the space after it.
    static func withoutComments(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.starts(with: "// ".utf8) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        /// The index of the line's first byte, as long as only blanks follow it.
        var lineStart: Int? = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == slash, lineStart != nil, bytes[index...].starts(with: "//".utf8) {
                if let lineStart { result.removeLast(index - lineStart) }
                index = bytes[index...].firstIndex(of: newline) ?? bytes.count
                lineStart = nil
            } else if byte == slash, let end = end(ofBlockAt: index, in: bytes) {
                result += bytes[index..<end].filter { $0 == newline }
                index = end < bytes.count && bytes[end] == space ? end + 1 : end
                lineStart = nil
            } else {
                result.append(byte)
                index += 1
                if byte == newline { lineStart = index } else if byte != space, byte != tab { lineStart = nil }
            }
        }
        return result
    }

    /// The index after the `*/` of a `/** … */`; nil where none begins, or it does not end.
    private static func end(ofBlockAt start: Int, in bytes: [UInt8]) -> Int? {
        guard bytes[start...].starts(with: "/**".utf8) else { return nil }
        var index = start + 3
        while index + 1 < bytes.count {
            if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == slash { return index + 2 }
            index += 1
        }
        return nil
    }

    private static let slash = UInt8(ascii: "/")
    private static let newline = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")
    private static let tab = UInt8(ascii: "\t")
}
