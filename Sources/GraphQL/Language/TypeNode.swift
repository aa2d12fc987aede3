/// A reference to a type by name, as a tree that stands alone: `[Int!]!`.
///
/// Only the wrappers are allocated, since most references of a generated schema are names alone.
public enum TypeNode: Sendable, Hashable {
    case named(String)
    indirect case list(TypeNode)
    indirect case nonNull(TypeNode)
}

extension TypeNode {
    /// The name at the bottom, `Int` of `[Int!]!`.
    public var namedType: String {
        switch self {
        case .named(let name): name
        case .list(let element): element.namedType
        case .nonNull(let nullable): nullable.namedType
        }
    }

    /// Whether it ends with `!`.
    public var isNonNull: Bool {
        if case .nonNull = self { true } else { false }
    }

    /// Whether it is a list, non-null or not.
    public var isList: Bool {
        if case .list = nullable { true } else { false }
    }

    /// The same type without the `!` at its end.
    public var nullable: TypeNode {
        if case .nonNull(let nullable) = self { nullable } else { self }
    }

    /// The same type with one `!` at its end.
    public var nonNullable: TypeNode { isNonNull ? self : .nonNull(self) }

    /// The type of a list's elements, also of a non-null one; nil when it is no list.
    public var element: TypeNode? {
        if case .list(let element) = nullable { element } else { nil }
    }

    /// The same wrappers around another name.
    public func renamed(_ name: String) -> TypeNode {
        switch self {
        case .named: .named(name)
        case .list(let element): .list(element.renamed(name))
        case .nonNull(let nullable): .nonNull(nullable.renamed(name))
        }
    }
}

extension TypeNode: CustomStringConvertible {
    /// The type as it is written in SDL.
    public var description: String {
        switch self {
        case .named(let name): name
        case .list(let element): "[\(element)]"
        case .nonNull(let nullable): "\(nullable)!"
        }
    }
}
