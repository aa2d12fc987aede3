/// An error or a warning about a schema: what, where, and what to do about it.
public struct Diagnostic: Error, Sendable, Hashable {
    /// Where in the schema it is.
    public struct Place: Sendable, Hashable {
        /// The name of the source, as given by the caller.
        public var sourceName: String
        /// The line, from 1.
        public var line: Int
        /// The column, from 1.
        public var column: Int
        /// The text of that line; empty if it is long, or may show a secret.
        public var sourceLine: String

        /// A place in a source.
        public init(sourceName: String, line: Int, column: Int, sourceLine: String) {
            self.sourceName = sourceName
            self.line = line
            self.column = column
            self.sourceLine = sourceLine
        }
    }

    /// The kind, as Amplify names it: `SchemaValidationError`, `InvalidDirectiveError`, `TransformerContractError` …
    public var kind: String
    /// What is wrong, as a sentence.
    public var message: String
    /// Where; `nil` when it concerns no place, such as an option.
    public var place: Place?
    /// What the author can do about it.
    public var hint: String?

    /// A diagnostic of a kind.
    public init(kind: String, message: String, place: Place? = nil, hint: String? = nil) {
        self.kind = kind
        self.message = message
        self.place = place
        self.hint = hint
    }

    /// Whether the schema is served nevertheless.
    public var isWarning: Bool { kind == "Warning" }

    /// The diagnostic for a terminal: `schema.graphql:12:3: error: …`, the line it is on, a caret below, the hint.
    public func render() -> String {
        let severity = isWarning ? "warning" : "error"
        let hintLines = hint.map { ["  hint: \($0)"] } ?? []
        guard let place else { return (["\(severity): \(message)"] + hintLines).joined(separator: "\n") }
        let sentence = "\(place.sourceName):\(place.line):\(place.column): \(severity): \(message)"
        // A line that wraps would leave the caret anywhere; a tab stays a tab, so that the caret stands under its
        // character however wide the terminal shows it.
        let before = place.sourceLine.utf16.prefix(max(place.column - 1, 0)).map { $0 == 9 ? "\t" : " " }
        let isShown = (1...160).contains(place.sourceLine.utf8.count)
        let lines = !isShown ? [] : ["  " + place.sourceLine, "  " + before.joined() + "^"]
        return ([sentence] + lines + hintLines).joined(separator: "\n")
    }
}
