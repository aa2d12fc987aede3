/// The definition of a named type, or its extension: one of six kinds.
public enum TypeDefinition: Sendable, Hashable {
    case scalar(ScalarTypeDefinition)
    case object(ObjectTypeDefinition)
    case interface(InterfaceTypeDefinition)
    case union(UnionTypeDefinition)
    case enumeration(EnumTypeDefinition)
    case inputObject(InputObjectTypeDefinition)
}

extension TypeDefinition {
    /// The type's name.
    public var name: String {
        get { common.name }
        set { withCommon { $0.name = newValue } }
    }

    /// What the type is for.
    public var description: Description? {
        get { common.description }
        set { withCommon { $0.description = newValue } }
    }

    /// The directives applied to the type.
    public var directives: [DirectiveNode] {
        get { common.directives }
        set { withCommon { $0.directives = newValue } }
    }

    /// Where the definition begins.
    public var place: Place? {
        get { common.place }
        set { withCommon { $0.place = newValue } }
    }

    /// The directive of this name, if it is applied.
    public func directive(_ name: String) -> DirectiveNode? { directives.first { $0.name == name } }

    private var common: any NamedTypeDefinition {
        switch self {
        case .scalar(let type): type
        case .object(let type): type
        case .interface(let type): type
        case .union(let type): type
        case .enumeration(let type): type
        case .inputObject(let type): type
        }
    }

    private mutating func withCommon(_ change: (inout any NamedTypeDefinition) -> Void) {
        var type = common
        change(&type)
        self = type.asTypeDefinition
    }
}

/// What the six kinds have in common.
public protocol NamedTypeDefinition: Sendable, Hashable {
    /// What the type is for.
    var description: Description? { get set }
    /// The type's name.
    var name: String { get set }
    /// The directives applied to the type.
    var directives: [DirectiveNode] { get set }
    /// Where the definition begins.
    var place: Place? { get set }
    /// The definition as one of the six kinds.
    var asTypeDefinition: TypeDefinition { get }
}

/// A scalar (spec §3.5).
public struct ScalarTypeDefinition: NamedTypeDefinition {
    /// What the type is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Where it begins.
    public var place: Place?

    /// A definition by its parts.
    public init(
        description: Description? = nil, name: String, directives: [DirectiveNode] = [],
        place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.directives = directives
        self.place = place
    }

    /// The definition as one of the six kinds.
    public var asTypeDefinition: TypeDefinition { .scalar(self) }
}

/// An object type (spec §3.6).
public struct ObjectTypeDefinition: NamedTypeDefinition {
    /// What the type is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The interfaces it implements, by name.
    public var interfaces: [String]
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Its fields.
    public var fields: [FieldDefinition]
    /// Where it begins.
    public var place: Place?

    /// A definition by its parts.
    public init(
        description: Description? = nil, name: String, interfaces: [String] = [], directives: [DirectiveNode] = [],
        fields: [FieldDefinition] = [], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.interfaces = interfaces
        self.directives = directives
        self.fields = fields
        self.place = place
    }

    /// The definition as one of the six kinds.
    public var asTypeDefinition: TypeDefinition { .object(self) }
}

/// An interface (spec §3.7).
public struct InterfaceTypeDefinition: NamedTypeDefinition {
    /// What the type is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The interfaces it implements itself, by name.
    public var interfaces: [String]
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Its fields.
    public var fields: [FieldDefinition]
    /// Where it begins.
    public var place: Place?

    /// A definition by its parts.
    public init(
        description: Description? = nil, name: String, interfaces: [String] = [], directives: [DirectiveNode] = [],
        fields: [FieldDefinition] = [], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.interfaces = interfaces
        self.directives = directives
        self.fields = fields
        self.place = place
    }

    /// The definition as one of the six kinds.
    public var asTypeDefinition: TypeDefinition { .interface(self) }
}

/// A union (spec §3.8).
public struct UnionTypeDefinition: NamedTypeDefinition {
    /// What the type is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Its member types, by name.
    public var members: [String]
    /// Where it begins.
    public var place: Place?

    /// A definition by its parts.
    public init(
        description: Description? = nil, name: String, directives: [DirectiveNode] = [],
        members: [String] = [], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.directives = directives
        self.members = members
        self.place = place
    }

    /// The definition as one of the six kinds.
    public var asTypeDefinition: TypeDefinition { .union(self) }
}

/// An enum (spec §3.9).
public struct EnumTypeDefinition: NamedTypeDefinition {
    /// What the type is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Its values.
    public var values: [EnumValueDefinition]
    /// Where it begins.
    public var place: Place?

    /// A definition by its parts.
    public init(
        description: Description? = nil, name: String, directives: [DirectiveNode] = [],
        values: [EnumValueDefinition] = [], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.directives = directives
        self.values = values
        self.place = place
    }

    /// The definition as one of the six kinds.
    public var asTypeDefinition: TypeDefinition { .enumeration(self) }
}

/// An input object type (spec §3.10).
public struct InputObjectTypeDefinition: NamedTypeDefinition {
    /// What the type is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Its fields.
    public var fields: [InputValueDefinition]
    /// Where it begins.
    public var place: Place?

    /// A definition by its parts.
    public init(
        description: Description? = nil, name: String, directives: [DirectiveNode] = [],
        fields: [InputValueDefinition] = [], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.directives = directives
        self.fields = fields
        self.place = place
    }

    /// The definition as one of the six kinds.
    public var asTypeDefinition: TypeDefinition { .inputObject(self) }
}
