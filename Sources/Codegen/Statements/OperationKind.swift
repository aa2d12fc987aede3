/// The kinds of operations.
enum OperationKind: String, CaseIterable {
    case query, mutation, subscription

    /// The name of the file that has the statements of this kind, without its ending.
    var fileName: String {
        switch self {
        case .query: "queries"
        case .mutation: "mutations"
        case .subscription: "subscriptions"
        }
    }

    /// What the names of types end with that belong to a statement of this kind.
    var typeName: String {
        switch self {
        case .query: "Query"
        case .mutation: "Mutation"
        case .subscription: "Subscription"
        }
    }
}
