/// A type's place in `Schema.types`. Types point at each other by it, so a schema holds no cycle of references.
public struct TypeID: Hashable, Sendable, Comparable, BitwiseCopyable {
    /// The position in `Schema.types`.
    public let index: Int

    init(_ index: Int) { self.index = index }

    /// In the order of `Schema.types`.
    public static func < (left: TypeID, right: TypeID) -> Bool { left.index < right.index }
}

/// A type as a field, an argument or a variable has it: named, or wrapped. Spec §3.4 Type References.
public indirect enum GraphQLType: Hashable, Sendable {
    /// A type by its name; nullable.
    case named(TypeID)
    /// A list of an element type; nullable.
    case list(GraphQLType)
    /// A type without null. Never wraps another `nonNull`.
    case nonNull(GraphQLType)

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

/// One named type of a schema. Spec §3.4 Types.
///
/// A class, as the parts of types are: each look at a schema hands one out, and a copy of a class is one count instead of
/// one for each part of it.
public final class NamedType: Sendable {
    /// As the schema spells it.
    public let name: String
    /// What the schema says about it, for readers.
    public let description: String?
    /// Which of the six kinds it is, with the parts of that kind.
    public let kind: Kind
    /// The directives applied to it, extensions included (`@aws_iam` …).
    public let directives: [DirectiveNode]

    init(
        name: String, description: String?, kind: Kind, directives: [DirectiveNode]
    ) {
        self.name = name
        self.description = description
        self.kind = kind
        self.directives = directives
    }

    /// The six kinds of named types.
    public enum Kind: Sendable {
        /// A leaf with its own coercion.
        case scalar(Scalar)
        /// Fields, each with a type of its own.
        case object(ObjectType)
        /// Fields that its implementations promise.
        case interface(ObjectType)
        /// One of some object types, in the schema's order.
        case union([TypeID])
        /// A leaf: one of some names.
        case enumeration([EnumValue])
        /// Fields that a caller fills in.
        case inputObject([InputField])
    }

    /// Scalar or enum: completes without a selection set.
    public var isLeaf: Bool {
        switch kind {
        case .scalar, .enumeration: true
        default: false
        }
    }

    /// Object, interface or union: needs a selection set.
    public var isComposite: Bool {
        switch kind {
        case .object, .interface, .union: true
        default: false
        }
    }

    /// Interface or union: an object type has to be found for each value.
    public var isAbstract: Bool {
        switch kind {
        case .interface, .union: true
        default: false
        }
    }

    /// Scalar, enum or input object: may be the type of an argument. Spec §3.4.2 Input and Output Types.
    public var isInput: Bool {
        switch kind {
        case .scalar, .enumeration, .inputObject: true
        default: false
        }
    }

    /// All but input objects: may be the type of a field.
    public var isOutput: Bool { if case .inputObject = kind { false } else { true } }

    /// The fields of an object or interface; `nil` of the other kinds.
    public var fields: ObjectType? {
        switch kind {
        case .object(let type), .interface(let type): type
        default: nil
        }
    }
}

/// The parts of an object type. Spec §3.6 Objects. An interface has the same ones (§3.7 Interfaces).
public final class ObjectType: Sendable {
    /// The interfaces it implements, in the schema's order.
    public let interfaces: [TypeID]
    /// Its fields, in the schema's order.
    public let fields: [FieldType]

    init(interfaces: [TypeID], fields: [FieldType]) {
        self.interfaces = interfaces
        self.fields = fields
    }
}

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

/// One value of an enum. Spec §3.9.
public struct EnumValue: Sendable {
    /// As the schema spells it.
    public let name: String
    /// What the schema says about it.
    public let description: String?
    /// The reason of `@deprecated`.
    public let deprecationReason: String?
}

/// A directive that documents may use. Spec §3.13.
public struct DirectiveType: Sendable {
    /// Without the `@`.
    public let name: String
    /// What the schema says about it.
    public let description: String?
    /// Its arguments, in the schema's order.
    public let arguments: [InputField]
    /// Whether it may stand twice at one place.
    public let isRepeatable: Bool
    /// The places where it may stand.
    public let locations: [DirectiveLocation]
}

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
