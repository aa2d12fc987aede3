import Tables
public import Transformer

extension Diagnostic {
    /// Maximum number of errors, and of warnings, that are printed or logged at once. The rest is counted.
    public static let textsMax = 100

    /// Diagnostics for a terminal or the log, one text for each up to `textsMax`, and the number of further ones.
    ///
    /// - Parameters:
    ///   - noun: What they are, for that number: `error` or `warning`.
    ///   - text: The text of one.
    public static func texts(
        _ diagnostics: [Diagnostic], _ noun: String, by text: (Diagnostic) -> String = { $0.render() }
    ) -> [String] {
        let rest = diagnostics.count - textsMax
        return diagnostics.prefix(textsMax).map(text)
            + (rest > 0 ? ["\(Counted.text(rest, "more \(noun)")), not shown."] : [])
    }
}
