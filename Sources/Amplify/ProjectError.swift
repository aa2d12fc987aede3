public import Transformer

/// Why a project cannot be served.
public struct ProjectError: Error, Sendable {
    /// Whether --env or --api is missing or wrong; otherwise a file is invalid.
    public var isUsage: Bool
    /// All that is wrong, in one go.
    public var diagnostics: [Diagnostic]
}
