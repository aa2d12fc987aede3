/// An input object type (spec §3.10).
public struct InputObjectTypeDefinition: NamedTypeDefinition {
    /// What the type is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Its fields.
    public var fields: [InputValueDefinition]
    /// Where it begins.
    public var place: Place?

    /// A definition by its parts.
    public init(
        description: Description? = nil, name: String, directives: [DirectiveNode] = [],
        fields: [InputValueDefinition] = [], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.directives = directives
        self.fields = fields
        self.place = place
    }

    /// The definition as one of the six kinds.
    public var asTypeDefinition: TypeDefinition { .inputObject(self) }
}
