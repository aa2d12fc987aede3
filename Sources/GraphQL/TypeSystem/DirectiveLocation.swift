/// A place where a directive may stand. Spec §3.13, ExecutableDirectiveLocation and TypeSystemDirectiveLocation.
public enum DirectiveLocation: String, Sendable, Hashable, CaseIterable {
    /// An executable place.
    case query = "QUERY"
    /// An executable place.
    case mutation = "MUTATION"
    /// An executable place.
    case subscription = "SUBSCRIPTION"
    /// An executable place.
    case field = "FIELD"
    /// An executable place.
    case fragmentDefinition = "FRAGMENT_DEFINITION"
    /// An executable place.
    case fragmentSpread = "FRAGMENT_SPREAD"
    /// An executable place.
    case inlineFragment = "INLINE_FRAGMENT"
    /// An executable place.
    case variableDefinition = "VARIABLE_DEFINITION"
    /// A place in a schema.
    case schema = "SCHEMA"
    /// A place in a schema.
    case scalar = "SCALAR"
    /// A place in a schema.
    case object = "OBJECT"
    /// A place in a schema.
    case fieldDefinition = "FIELD_DEFINITION"
    /// A place in a schema.
    case argumentDefinition = "ARGUMENT_DEFINITION"
    /// A place in a schema.
    case interface = "INTERFACE"
    /// A place in a schema.
    case union = "UNION"
    /// A place in a schema.
    case enumeration = "ENUM"
    /// A place in a schema.
    case enumValue = "ENUM_VALUE"
    /// A place in a schema.
    case inputObject = "INPUT_OBJECT"
    /// A place in a schema.
    case inputFieldDefinition = "INPUT_FIELD_DEFINITION"
}
