import JSON

/// From characters to a string of GraphQL.
enum StringPrinting {
    /// A string in double quotes. GraphQL's escapes are JSON's (spec §2.9.4).
    static func quoted(_ text: String) -> String { JSONValue.string(text).description }

    /// A description in its form.
    static func description(_ description: Description) -> String {
        description.isBlock ? block(description.text) : quoted(description.text)
    }

    /// A string in three double quotes. On one line if it is one, unless its end would run into the closing quotes.
    static func block(_ text: String, indentation: String = "") -> String {
        let isSingleLine = !text.utf8.contains(UInt8(ascii: "\n"))
        let hasLeadingSpace = text.utf8.first == UInt8(ascii: " ") || text.utf8.first == UInt8(ascii: "\t")
        let runsIntoQuotes = text.utf8.last == UInt8(ascii: "\"") || text.utf8.last == UInt8(ascii: "\\")
        let takesLines = !isSingleLine || runsIntoQuotes
        let lead = takesLines && !(isSingleLine && hasLeadingSpace) ? "\n" + indentation : ""
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n" + indentation)
        return "\"\"\"" + lead + escapedQuotes(lines) + (takesLines ? "\n" : "") + "\"\"\""
    }

    /// Whether a block string can hold the characters: no control characters, no blank first or last line, and, of
    /// several lines, one without indentation, for what all share is taken away when it is read.
    static func isBlockPrintable(_ text: String) -> Bool {
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\t") }
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let isBlank = { (line: Substring.UTF8View) in line.allSatisfy { $0 == 0x20 || $0 == 0x09 } }
        guard isPlain, let first = lines.first, let last = lines.last, !isBlank(first), !isBlank(last) else {
            return false
        }
        let startsAtMargin = { (line: Substring.UTF8View) in line.first != 0x20 && line.first != 0x09 }
        return lines.count == 1 || lines.contains { !$0.isEmpty && startsAtMargin($0) }
    }

    private static func escapedQuotes(_ text: String) -> String {
        var result: [UInt8] = []
        var quoteCount = 0
        for byte in text.utf8 {
            quoteCount = byte == UInt8(ascii: "\"") ? quoteCount + 1 : 0
            result.append(byte)
            if quoteCount == 3 {
                result.insert(UInt8(ascii: "\\"), at: result.count - 3)
                quoteCount = 0
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
