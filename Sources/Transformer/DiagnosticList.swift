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
    /// Without their places, which are resolved together.
    private var found: [(place: Place?, isError: Bool, diagnostic: Diagnostic)] = []

    init(sources: [Source]) { self.sources = sources }

    mutating func report(_ kind: Kind, _ message: String, at place: Place?, hint: String? = nil) {
        found.append((place, kind != .warning, Diagnostic(kind: kind.rawValue, message: message, hint: hint)))
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
        let found = found.filter { $0.isError == isError }
        let ordered = Self.order(of: found.map(\.place)).map { found[$0] }
        return zip(ordered, resolve(ordered.map(\.place))).map { element, place in
            var diagnostic = element.diagnostic
            diagnostic.place = place
            return diagnostic
        }
    }

    /// The indices of places in the order of the sources and their text, what has no place first.
    private static func order(of places: [Place?]) -> [Int] {
        places.indices.sorted { first, second in
            let left = places[first], right = places[second]
            return (left?.source ?? -1, left?.offset ?? -1, first) < (right?.source ?? -1, right?.offset ?? -1, second)
        }
    }

    /// Places by source, line and column, each text read once; nil for what was generated.
    func resolve(_ places: [Place?]) -> [Diagnostic.Place?] {
        var resolved = [Diagnostic.Place?](repeating: nil, count: places.count)
        var cursor: SourceCursor?
        for index in Self.order(of: places) {
            guard let place = places[index], sources.indices.contains(place.source) else { continue }
            let source = sources[place.source]
            if cursor?.source !== source { cursor = SourceCursor(source) }
            guard let location = cursor?.location(of: place.offset), let line = cursor?.line() else { continue }
            resolved[index] = Diagnostic.Place(
                sourceName: source.name, line: location.line, column: location.column, sourceLine: line)
        }
        return resolved
    }

    /// A place by source, line and column; nil for what was generated.
    func resolve(_ place: Place) -> Diagnostic.Place? { resolve([place])[0] }
}
