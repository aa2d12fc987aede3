/// `schema { query: Query }` (spec §3.3), or its extension.
public struct SchemaDefinition: Sendable, Hashable {
    /// What it is for.
    public var description: Description?
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// The root operation types in the order they are written; validation refuses two of one kind.
    public var operationTypes: [OperationTypeDefinition]
    /// Where it begins.
    public var place: Place?

    /// A schema definition by its parts.
    public init(
        description: Description? = nil, directives: [DirectiveNode] = [], operationTypes: [OperationTypeDefinition],
        place: Place? = nil
    ) {
        self.description = description
        self.directives = directives
        self.operationTypes = operationTypes
        self.place = place
    }

    /// The name of the type after `query:`, if it is there.
    public var query: String? { typeName(of: .query) }

    /// The name of the type after `mutation:`, if it is there.
    public var mutation: String? { typeName(of: .mutation) }

    /// The name of the type after `subscription:`, if it is there.
    public var subscription: String? { typeName(of: .subscription) }

    /// The name of the root type of an operation, if it is there.
    public func typeName(of operation: OperationType) -> String? {
        operationTypes.first { $0.operation == operation }?.typeName
    }
}
