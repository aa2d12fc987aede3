/// A value of an enum (spec §3.9).
public struct EnumValueDefinition: Sendable, Hashable {
    /// What it is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Where it begins.
    public var place: Place?

    /// An enum value by its parts.
    public init(
        description: Description? = nil, name: String, directives: [DirectiveNode] = [], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.directives = directives
        self.place = place
    }
}
