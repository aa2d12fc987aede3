/// A field of an object or interface. Spec §3.6.
public final class FieldType: Sendable {
    /// As the schema spells it.
    public let name: String
    /// What the schema says about it.
    public let description: String?
    /// Its arguments, in the schema's order.
    public let arguments: [InputField]
    /// What it completes to.
    public let type: GraphQLType
    /// The reason of `@deprecated`; `nil` of a field in use.
    public let deprecationReason: String?
    /// The directives applied to it (`@aws_subscribe` …).
    public let directives: [DirectiveNode]

    init(
        name: String, description: String?, arguments: [InputField], type: GraphQLType, deprecationReason: String?,
        directives: [DirectiveNode]
    ) {
        self.name = name
        self.description = description
        self.arguments = arguments
        self.type = type
        self.deprecationReason = deprecationReason
        self.directives = directives
    }
}
