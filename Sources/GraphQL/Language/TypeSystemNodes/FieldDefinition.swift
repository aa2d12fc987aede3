/// A field of an object or interface (spec §3.6).
public struct FieldDefinition: Sendable, Hashable {
    /// What it is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The arguments it takes.
    public var arguments: [InputValueDefinition]
    /// The type of its value.
    public var type: TypeNode
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Where it begins.
    public var place: Place?

    /// A field by its parts.
    public init(
        description: Description? = nil, name: String, arguments: [InputValueDefinition] = [], type: TypeNode,
        directives: [DirectiveNode] = [], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.arguments = arguments
        self.type = type
        self.directives = directives
        self.place = place
    }
}
