import GraphQL

/// What a directive stands on.
enum DirectiveOwner {
    case type(TypeDefinition)
    /// A field, argument, enum value or input field, inside this type.
    case member
}
