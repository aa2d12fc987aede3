/// `query: Query` inside a schema definition.
public struct OperationTypeDefinition: Sendable, Hashable {
    /// The kind of operation.
    public var operation: OperationType
    /// The name of its root type.
    public var typeName: String
    /// Where it begins.
    public var place: Place?

    /// A root type by its parts.
    public init(operation: OperationType, typeName: String, place: Place? = nil) {
        self.operation = operation
        self.typeName = typeName
        self.place = place
    }
}
