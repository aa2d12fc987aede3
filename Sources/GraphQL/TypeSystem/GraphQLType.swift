/// A type as a field, an argument or a variable has it: named, or wrapped. Spec §3.4 Type References.
///
/// Only the wrappers are allocated.
public enum GraphQLType: Hashable, Sendable {
    /// A type by its name; nullable.
    case named(TypeID)
    /// A list of an element type; nullable.
    indirect case list(GraphQLType)
    /// A type without null. Never wraps another `nonNull`.
    indirect case nonNull(GraphQLType)

    /// The innermost type: `Int` of `[Int!]!`.
    public var namedType: TypeID {
        switch self {
        case .named(let id): id
        case .list(let type), .nonNull(let type): type.namedType
        }
    }

    /// Whether null is excluded.
    public var isNonNull: Bool { if case .nonNull = self { true } else { false } }

    /// The same type with null allowed.
    public var nullable: GraphQLType { if case .nonNull(let type) = self { type } else { self } }

    /// The type of a list's elements, also of a non-null one; `nil` when it is no list.
    public var element: GraphQLType? { if case .list(let element) = nullable { element } else { nil } }
}
