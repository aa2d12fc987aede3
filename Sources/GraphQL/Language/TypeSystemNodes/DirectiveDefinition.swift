/// `directive @name(…) on FIELD` (spec §3.13).
public struct DirectiveDefinition: Sendable, Hashable {
    /// What it is for.
    public var description: Description?
    /// Its name without `@`.
    public var name: String
    /// The arguments it takes.
    public var arguments: [InputValueDefinition]
    /// Whether it may stand more than once at one place.
    public var isRepeatable: Bool
    /// Where it may stand, by `locationNames`.
    public var locations: [String]
    /// Where it begins.
    public var place: Place?

    /// A directive definition by its parts.
    public init(
        description: Description? = nil, name: String, arguments: [InputValueDefinition] = [],
        isRepeatable: Bool = false,
        locations: [String], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.arguments = arguments
        self.isRepeatable = isRepeatable
        self.locations = locations
        self.place = place
    }
}

extension DirectiveDefinition {
    /// All places where a directive may stand (spec §3.13).
    public static let locationNames: Set = [
        "QUERY", "MUTATION", "SUBSCRIPTION", "FIELD", "FRAGMENT_DEFINITION", "FRAGMENT_SPREAD", "INLINE_FRAGMENT",
        "VARIABLE_DEFINITION", "SCHEMA", "SCALAR", "OBJECT", "FIELD_DEFINITION", "ARGUMENT_DEFINITION", "INTERFACE",
        "UNION", "ENUM", "ENUM_VALUE", "INPUT_OBJECT", "INPUT_FIELD_DEFINITION",
    ]
}
