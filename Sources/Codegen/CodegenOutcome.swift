public import Transformer

/// The result of generating code.
public enum CodegenOutcome: Sendable {
    /// The files in the order of the schema, and what is generated otherwise than its author may expect.
    case success([GeneratedFile], warnings: [Diagnostic])
    /// The schema cannot be generated from, for all of these reasons.
    case failure([Diagnostic])
}
