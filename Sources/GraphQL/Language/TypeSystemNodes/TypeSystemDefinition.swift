/// One definition or extension.
public enum TypeSystemDefinition: Sendable, Hashable {
    case schema(SchemaDefinition)
    case type(TypeDefinition)
    case directive(DirectiveDefinition)
    case typeExtension(TypeDefinition)
    case schemaExtension(SchemaDefinition)
    /// An operation or fragment, which a type system document must not hold; validation reports it.
    case executable(Place?)

    /// Where it begins.
    public var place: Place? {
        switch self {
        case .schema(let schema), .schemaExtension(let schema): schema.place
        case .type(let type), .typeExtension(let type): type.place
        case .directive(let directive): directive.place
        case .executable(let place): place
        }
    }
}
