/// An interface (spec §3.7).
public struct InterfaceTypeDefinition: NamedTypeDefinition {
    /// What the type is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The interfaces it implements itself, by name.
    public var interfaces: [String]
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Its fields.
    public var fields: [FieldDefinition]
    /// Where it begins.
    public var place: Place?

    /// A definition by its parts.
    public init(
        description: Description? = nil, name: String, interfaces: [String] = [], directives: [DirectiveNode] = [],
        fields: [FieldDefinition] = [], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.interfaces = interfaces
        self.directives = directives
        self.fields = fields
        self.place = place
    }

    /// The definition as one of the six kinds.
    public var asTypeDefinition: TypeDefinition { .interface(self) }
}
