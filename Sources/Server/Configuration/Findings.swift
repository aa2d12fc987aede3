import Transformer

/// Collects what is wrong with a configuration, so that all of it can be said at once, and what is merely unused.
final class Findings {
    /// What is wrong, in the order it was found.
    var diagnostics: [Diagnostic] = []
    /// What is served otherwise than its author may think.
    var warnings: [Diagnostic] = []
    /// Settings that were understood and do nothing in this version.
    var notes: [String] = []
}
