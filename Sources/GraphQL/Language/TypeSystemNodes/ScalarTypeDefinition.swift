/// A scalar (spec §3.5).
public struct ScalarTypeDefinition: NamedTypeDefinition {
    /// What the type is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Where it begins.
    public var place: Place?

    /// A definition by its parts.
    public init(
        description: Description? = nil, name: String, directives: [DirectiveNode] = [],
        place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.directives = directives
        self.place = place
    }

    /// The definition as one of the six kinds.
    public var asTypeDefinition: TypeDefinition { .scalar(self) }
}
