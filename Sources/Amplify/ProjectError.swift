public import Transformer

/// Why a project cannot be served.
public struct ProjectError: Error, Sendable {
    /// Whether the caller has to choose, or has chosen what is not there; otherwise a file is not valid.
    public var isUsage: Bool
    /// All that is wrong, in one go.
    public var diagnostics: [Diagnostic]
}
