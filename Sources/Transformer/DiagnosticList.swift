import GraphQL

/// What a transform found, errors and warnings, each with its place.
struct DiagnosticList {
    /// The kinds of diagnostics, as Amplify names them.
    enum Kind: String {
        /// The text cannot be read.
        case syntax = "SyntaxError"
        /// The schema is not one, whatever its directives mean.
        case schemaValidation = "SchemaValidationError"
        /// A directive is used against its rules.
        case invalidDirective = "InvalidDirectiveError"
        /// A feature that is known and that this version does not support.
        case notServed = "NotServedError"
        /// The schema is served, but perhaps not as its author expects.
        case warning = "Warning"
    }

    private let sources: [Source]
    private var found: [(place: Place?, isError: Bool, diagnostic: Diagnostic)] = []

    init(sources: [Source]) { self.sources = sources }

    mutating func report(_ kind: Kind, _ message: String, at place: Place?, hint: String? = nil) {
        let diagnostic = Diagnostic(
            kind: kind.rawValue, message: message, place: place.flatMap(resolve), hint: hint)
        found.append((place, kind != .warning, diagnostic))
    }

    mutating func report(_ error: SyntaxError, in sources: [Source]) {
        let source = sources.firstIndex { $0 === error.source } ?? 0
        report(.syntax, error.message, at: Place(source: source, offset: error.offset), hint: error.hint)
    }

    /// Adds what another list of the same sources found.
    mutating func add(_ other: DiagnosticList) { found += other.found }

    mutating func warn(_ message: String, at place: Place?, hint: String? = nil) {
        report(.warning, message, at: place, hint: hint)
    }

    var hasErrors: Bool { found.contains(where: \.isError) }
    var errors: [Diagnostic] { inPlaceOrder(isError: true) }
    var warnings: [Diagnostic] { inPlaceOrder(isError: false) }

    /// In the order of the sources and their text, what has no place first; what shares a place as it was found.
    private func inPlaceOrder(isError: Bool) -> [Diagnostic] {
        found.filter { $0.isError == isError }.enumerated().sorted { first, second in
            let left = first.element.place, right = second.element.place
            return (left?.source ?? -1, left?.offset ?? -1, first.offset)
                < (right?.source ?? -1, right?.offset ?? -1, second.offset)
        }.map(\.element.diagnostic)
    }

    /// A place by source, line and column; `nil` for what was generated.
    func resolve(_ place: Place) -> Diagnostic.Place? {
        guard sources.indices.contains(place.source) else { return nil }
        let source = sources[place.source]
        let location = source.location(of: place.offset)
        return Diagnostic.Place(
            sourceName: source.name, line: location.line, column: location.column,
            sourceLine: source.line(location.line))
    }
}
