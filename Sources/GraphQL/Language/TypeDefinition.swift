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
        get {
            switch self {
            case .scalar(let type): type.name
            case .object(let type): type.name
            case .interface(let type): type.name
            case .union(let type): type.name
            case .enumeration(let type): type.name
            case .inputObject(let type): type.name
            }
        }
        set { withCommon { $0.name = newValue } }
    }

    /// What the type is for.
    public var description: Description? {
        get { common.description }
        set { withCommon { $0.description = newValue } }
    }

    /// The directives applied to the type.
    public var directives: [DirectiveNode] {
        get {
            switch self {
            case .scalar(let type): type.directives
            case .object(let type): type.directives
            case .interface(let type): type.directives
            case .union(let type): type.directives
            case .enumeration(let type): type.directives
            case .inputObject(let type): type.directives
            }
        }
        set { withCommon { $0.directives = newValue } }
    }

    /// Where the definition begins.
    public var place: Place? {
        get {
            switch self {
            case .scalar(let type): type.place
            case .object(let type): type.place
            case .interface(let type): type.place
            case .union(let type): type.place
            case .enumeration(let type): type.place
            case .inputObject(let type): type.place
            }
        }
        set { withCommon { $0.place = newValue } }
    }

    /// The directive of this name, if it is applied.
    public func directive(_ name: String) -> DirectiveNode? { directives.first { $0.name == name } }

    /// Making an existential copies the definition, so the properties that are read often do without it.
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
