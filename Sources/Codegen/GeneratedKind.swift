/// What generated files belong to. The list of generated files has an entry for each.
public enum GeneratedKind: String, Sendable, Hashable, CaseIterable {
    /// The models of amplify-swift.
    case swift
    /// The model introspection.
    case introspection
    /// The models of amplify-js.
    case typescript
    /// Queries, mutations and subscriptions.
    case statements
    /// The types of statements.
    case types
}
