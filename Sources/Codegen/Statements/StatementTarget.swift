/// The languages that statements are written in.
public enum StatementTarget: String, Sendable, Hashable, CaseIterable {
    /// Documents: `queries.graphql`.
    case graphql
    /// Constants for amplify-js: `queries.js`.
    case javascript
    /// Constants for amplify-js with the types of their variables and results: `queries.ts`.
    case typescript
    /// The documents of apps for Apple's platforms: those of `graphql`.
    case swift

    /// What the names of files end with.
    var fileExtension: String {
        switch self {
        case .graphql, .swift: "graphql"
        case .javascript: "js"
        case .typescript: "ts"
        }
    }
}
