/// What the six kinds have in common.
public protocol NamedTypeDefinition: Sendable, Hashable {
    /// What the type is for.
    var description: Description? { get set }
    /// The type's name.
    var name: String { get set }
    /// The directives applied to the type.
    var directives: [DirectiveNode] { get set }
    /// Where the definition begins.
    var place: Place? { get set }
    /// The definition as one of the six kinds.
    var asTypeDefinition: TypeDefinition { get }
}
