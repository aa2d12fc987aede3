/// What code is generated for.
public enum CodegenTarget: String, Sendable, Hashable, CaseIterable {
    /// The models of amplify-swift.
    case swift
    /// The model introspection that amplify-js and the `data.model_introspection` of amplify_outputs.json have.
    case introspection
    /// The models of amplify-js' DataStore, with declarations for TypeScript.
    case typescript

    /// What its files belong to.
    public var kind: GeneratedKind {
        switch self {
        case .swift: .swift
        case .introspection: .introspection
        case .typescript: .typescript
        }
    }

    /// Whether clients in JavaScript read the result: it has the keys of relations that Swift has no use for.
    var isJavaScript: Bool { self != .swift }
}
