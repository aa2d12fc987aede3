/// The result of a transform.
public enum TransformOutcome: Sendable {
    /// The schema is served as this definition.
    case success(APIDefinition)
    /// The schema is refused, for all of these reasons.
    case failure([Diagnostic])
}
