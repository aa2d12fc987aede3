/// A union (spec §3.8).
public struct UnionTypeDefinition: NamedTypeDefinition {
    /// What the type is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Its member types, by name.
    public var members: [String]
    /// Where it begins.
    public var place: Place?

    /// A definition by its parts.
    public init(
        description: Description? = nil, name: String, directives: [DirectiveNode] = [],
        members: [String] = [], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.directives = directives
        self.members = members
        self.place = place
    }

    /// The definition as one of the six kinds.
    public var asTypeDefinition: TypeDefinition { .union(self) }
}
