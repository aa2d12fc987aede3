/// Text from clients or from files of others, made safe to print on a terminal: control characters and marks of text direction are written as JSON escapes,
/// such as `\u001b`. Inside a JSON string the escapes do not change the value.
public enum PrintableText {
    /// One line: line breaks and tabs are escaped too.
    public static func line(_ text: String) -> String { escaped(text) { isControl($0) } }

    /// Several lines: line feeds and tabs are kept.
    public static func lines(_ text: String) -> String { escaped(text) { isControl($0) && $0 != "\n" && $0 != "\t" } }

    private static func escaped(_ text: String, _ isEscaped: (Unicode.Scalar) -> Bool) -> String {
        guard text.unicodeScalars.contains(where: isEscaped) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isEscaped(scalar) else {
                result.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            result.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars)
        }
        return String(result)
    }

    /// C0 and C1 controls and DEL; line and paragraph separators; marks of direction (Unicode Technical Report 36,
    /// "Bidirectional Text Spoofing").
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
