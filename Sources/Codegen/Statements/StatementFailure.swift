import Transformer

/// Why no statements are generated.
struct StatementFailure: Error {
    let diagnostics: [Diagnostic]

    init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }
}
