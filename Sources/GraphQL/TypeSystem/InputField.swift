/// An argument, or a field of an input object. Spec §3.6.1, §3.10.
public final class InputField: Sendable {
    /// As the schema spells it.
    public let name: String
    /// What the schema says about it.
    public let description: String?
    /// What it accepts.
    public let type: GraphQLType
    /// Taken where no value is given; a written `null` is a value.
    public let defaultValue: ConstValue?
    /// The reason of `@deprecated`.
    public let deprecationReason: String?

    init(
        name: String, description: String?, type: GraphQLType, defaultValue: ConstValue?, deprecationReason: String?
    ) {
        self.name = name
        self.description = description
        self.type = type
        self.defaultValue = defaultValue
        self.deprecationReason = deprecationReason
    }

    /// Non-null without a default: a caller has to give it. Spec §5.4.2.1 Required Arguments.
    public var isRequired: Bool { type.isNonNull && defaultValue == nil }
}
