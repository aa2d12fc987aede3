/// Makes text safe to show on a terminal: control characters, which may be a terminal's commands, format characters, among
/// them those that reverse the direction of text, and separators of lines are spelt in ASCII. Callers choose parts of what is logged.
enum LogText {
    /// The text with each such character as `\u{…}`, as in Swift.
    ///
    /// - Parameter keepsLineEnds: Whether line feeds and tabs stay: messages of several lines are the server's own.
    static func escape(_ text: String, keepsLineEnds: Bool = false) -> String {
        replace(text) { scalar in
            keepsLineEnds && (scalar == "\n" || scalar == "\t") ? nil : "\\u{\(String(scalar.value, radix: 16))}"
        }
    }

    /// The beginning of a text that a caller chose, escaped.
    static func excerpt(_ text: String) -> String { excerpt(text, charactersMax: excerptCharactersMax) }

    /// The same of so many characters.
    static func excerpt(_ text: String, charactersMax: Int) -> String {
        let scalars = text.unicodeScalars
        let beginning = scalars.prefix(charactersMax)
        return escape(String(String.UnicodeScalarView(beginning))) + (beginning.endIndex < scalars.endIndex ? "…" : "")
    }

    private static let excerptCharactersMax = 100

    /// JSON text of one line with each such character as `\uXXXX` (RFC 8259 §7): it has them in strings only.
    static func escapeJSON(_ text: String) -> String {
        replace(text) { scalar in
            scalar.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }

    /// - Parameter escape: What a character becomes; nil where it stays.
    private static func replace(_ text: String, by escape: (Unicode.Scalar) -> String?) -> String {
        // Nearly every text is of ASCII that can be seen.
        guard !text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar), let replacement = escape(scalar) {
                result.append(contentsOf: replacement.unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// Whether a character is of Unicode's categories Cc, Cf, Zl or Zp.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
