/// An enum (spec §3.9).
public struct EnumTypeDefinition: NamedTypeDefinition {
    /// What the type is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Its values.
    public var values: [EnumValueDefinition]
    /// Where it begins.
    public var place: Place?

    /// A definition by its parts.
    public init(
        description: Description? = nil, name: String, directives: [DirectiveNode] = [],
        values: [EnumValueDefinition] = [], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.directives = directives
        self.values = values
        self.place = place
    }

    /// The definition as one of the six kinds.
    public var asTypeDefinition: TypeDefinition { .enumeration(self) }
}
