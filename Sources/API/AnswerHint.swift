import GraphQL

/// What a developer may do about a refused request, for a layer that knows how it is done.
public enum AnswerHint: Sendable, Hashable {
    /// The document asks for what only models with conflict detection have: `_version`, `syncPosts` and the like.
    case conflictDetection
}

extension AnswerHint {
    /// Fields that only a model with conflict detection has.
    private static let versionFields = ["'_version'", "'_deleted'", "'_lastChangedAt'"]

    /// What may be done about these errors of a document or its variables.
    init?(_ errors: [GraphQLError]) {
        let asksForVersions = errors.prefix(16).contains { error in
            let message = GraphQLError.beginning(of: error.message)
            return Self.versionFields.contains { message.contains($0) }
                || message.contains("FieldUndefined: Field 'sync")
                    && message.contains("' in type 'Query' is undefined")
        }
        guard asksForVersions else { return nil }
        self = .conflictDetection
    }
}
