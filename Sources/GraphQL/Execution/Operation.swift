/// One operation of a validated document, chosen for execution. Spec §6.1 GetOperation.
///
/// It depends on the text and on `operationName` alone, so whatever is made of it may be kept by them.
public struct Operation: Sendable {
    /// What the operation is executed against.
    public let schema: Schema
    /// The document it stands in, valid by `Validate`.
    public let document: Document
    /// The operation itself.
    public let definition: OperationDefinition
    /// Its name, if it has one.
    public let name: String?
    /// The object type its selection set is on.
    public let rootType: TypeID
    /// The variables it declares.
    public let variables: OperationVariables

    /// Chooses by name, or the only one where no name is given. Both failures are `BadRequestException`s.
    public init(_ document: Document, named operationName: String? = nil, schema: Schema) throws(GraphQLError) {
        let chosen: OperationDefinition
        if let operationName {
            let named = document.operations.first { $0.name.map { document.isName($0, operationName) } ?? false }
            guard let named else {
                throw GraphQLError("Unknown operation named '\(operationName)'.", errorType: "BadRequestException")
            }
            chosen = named
        } else {
            guard let first = document.operations.first, document.operations.count == 1 else {
                throw GraphQLError("Missing operation name.", errorType: "BadRequestException")
            }
            chosen = first
        }
        guard let rootType = schema.rootType(of: chosen.type) else {
            let plural = chosen.type == .mutation ? "mutations" : "subscriptions"
            throw GraphQLError(
                "Schema is not configured for \(plural).", locations: [document.location(of: chosen.offset)])
        }
        self.schema = schema
        self.document = document
        self.rootType = rootType
        definition = chosen
        name = chosen.name.map(document.name)
        variables = OperationVariables(of: chosen, in: document, schema: schema)
    }
}

extension Schema {
    /// Where an operation begins; `nil` where the schema has no such operations.
    public func rootType(of operation: OperationType) -> TypeID? {
        switch operation {
        case .query: queryType
        case .mutation: mutationType
        case .subscription: subscriptionType
        }
    }
}
