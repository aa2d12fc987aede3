/// An argument, or a field of an input object (spec §3.6.1, §3.10).
public struct InputValueDefinition: Sendable, Hashable {
    /// What it is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The type of its value.
    public var type: TypeNode
    /// The value when none is given.
    public var defaultValue: ConstValue?
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Where it begins.
    public var place: Place?

    /// An input value by its parts.
    public init(
        description: Description? = nil, name: String, type: TypeNode, defaultValue: ConstValue? = nil,
        directives: [DirectiveNode] = [], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.type = type
        self.defaultValue = defaultValue
        self.directives = directives
        self.place = place
    }
}
