/// The descriptions of a schema as comments in code. The author of a schema is not the author of the app that it is compiled
/// into: a comment ends where its line ends, in each language's opinion.
enum CommentText {
    /// Lines of a comment that begin with `mark`; none for no description.
    static func lines(_ description: String?, mark: String) -> [String] {
        guard let description else { return [] }
        return description.split(whereSeparator: \.isNewline).map { line in
            let text = String(line.unicodeScalars.filter { !isControl($0) }.map(Character.init))
            return "\(mark) \(text)"
        }
    }

    /// Control characters, and marks of direction, which show other text than the compiler reads.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t": false
        case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}",
            "\u{2066}"..."\u{2069}":
            true
        default: false
        }
    }
}
