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
