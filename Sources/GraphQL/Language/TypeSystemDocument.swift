// A type system document (spec §3) as an ordinary tree of values: the transformer builds and rewrites it, and a
// schema is read once, so what counts is that each part stands alone. Parts that were generated have no place.

/// Definitions and extensions of a type system, from one or several sources.
public struct TypeSystemDocument: Sendable {
    /// The definitions in the order of the text.
    public var definitions: [TypeSystemDefinition]
    /// The texts they were parsed from; a `Place` names one of them.
    public var sources: [Source]

    /// A document of definitions.
    public init(_ definitions: [TypeSystemDefinition] = [], sources: [Source] = []) {
        self.definitions = definitions
        self.sources = sources
    }

    /// Line and column of a place; nil for what was generated.
    public func location(of place: Place?) -> SourceLocation? {
        guard let place, sources.indices.contains(place.source) else { return nil }
        return sources[place.source].location(of: place.offset)
    }

    /// `schema.graphql:3:9` of a place, for messages; nil for what was generated.
    public func description(of place: Place?) -> String? {
        guard let place, let location = location(of: place) else { return nil }
        return "\(sources[place.source].name):\(location.line):\(location.column)"
    }
}

/// Where in which source a node begins.
public struct Place: Sendable, Hashable {
    /// Which of the document's sources.
    public var source: Int
    /// Which byte of it.
    public var offset: Int

    /// A place by source and byte.
    public init(source: Int, offset: Int) {
        self.source = source
        self.offset = offset
    }
}

/// One definition or extension.
public enum TypeSystemDefinition: Sendable, Hashable {
    case schema(SchemaDefinition)
    case type(TypeDefinition)
    case directive(DirectiveDefinition)
    case typeExtension(TypeDefinition)
    case schemaExtension(SchemaDefinition)
    /// An operation or fragment, which a type system document must not hold; validation reports it.
    case executable(Place?)

    /// Where it begins.
    public var place: Place? {
        switch self {
        case .schema(let schema), .schemaExtension(let schema): schema.place
        case .type(let type), .typeExtension(let type): type.place
        case .directive(let directive): directive.place
        case .executable(let place): place
        }
    }
}

// MARK: - Schema and directives

/// `schema { query: Query }` (spec §3.3), or its extension.
public struct SchemaDefinition: Sendable, Hashable {
    /// What it is for.
    public var description: Description?
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// The root operation types in the order they are written; validation refuses two of one kind.
    public var operationTypes: [OperationTypeDefinition]
    /// Where it begins.
    public var place: Place?

    /// A schema definition by its parts.
    public init(
        description: Description? = nil, directives: [DirectiveNode] = [], operationTypes: [OperationTypeDefinition],
        place: Place? = nil
    ) {
        self.description = description
        self.directives = directives
        self.operationTypes = operationTypes
        self.place = place
    }

    /// The name of the type after `query:`, if it is there.
    public var query: String? { typeName(of: .query) }

    /// The name of the type after `mutation:`, if it is there.
    public var mutation: String? { typeName(of: .mutation) }

    /// The name of the type after `subscription:`, if it is there.
    public var subscription: String? { typeName(of: .subscription) }

    /// The name of the root type of an operation, if it is there.
    public func typeName(of operation: OperationType) -> String? {
        operationTypes.first { $0.operation == operation }?.typeName
    }
}

/// `query: Query` inside a schema definition.
public struct OperationTypeDefinition: Sendable, Hashable {
    /// The kind of operation.
    public var operation: OperationType
    /// The name of its root type.
    public var typeName: String
    /// Where it begins.
    public var place: Place?

    /// A root type by its parts.
    public init(operation: OperationType, typeName: String, place: Place? = nil) {
        self.operation = operation
        self.typeName = typeName
        self.place = place
    }
}

/// `directive @name(…) on FIELD` (spec §3.13).
public struct DirectiveDefinition: Sendable, Hashable {
    /// What it is for.
    public var description: Description?
    /// Its name without `@`.
    public var name: String
    /// The arguments it takes.
    public var arguments: [InputValueDefinition]
    /// Whether it may stand more than once at one place.
    public var isRepeatable: Bool
    /// Where it may stand, by `locationNames`.
    public var locations: [String]
    /// Where it begins.
    public var place: Place?

    /// A directive definition by its parts.
    public init(
        description: Description? = nil, name: String, arguments: [InputValueDefinition] = [],
        isRepeatable: Bool = false,
        locations: [String], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.arguments = arguments
        self.isRepeatable = isRepeatable
        self.locations = locations
        self.place = place
    }
}

extension DirectiveDefinition {
    /// All places where a directive may stand (spec §3.13).
    public static let locationNames: Set = [
        "QUERY", "MUTATION", "SUBSCRIPTION", "FIELD", "FRAGMENT_DEFINITION", "FRAGMENT_SPREAD", "INLINE_FRAGMENT",
        "VARIABLE_DEFINITION", "SCHEMA", "SCALAR", "OBJECT", "FIELD_DEFINITION", "ARGUMENT_DEFINITION", "INTERFACE",
        "UNION", "ENUM", "ENUM_VALUE", "INPUT_OBJECT", "INPUT_FIELD_DEFINITION",
    ]
}

/// A directive applied to a definition.
public struct DirectiveNode: Sendable, Hashable {
    /// Its name without `@`.
    public var name: String
    /// Its arguments in the order they are written.
    public var arguments: [ConstArgument]
    /// Where its `@` stands.
    public var place: Place?

    /// A directive by its parts.
    public init(_ name: String, arguments: [ConstArgument] = [], place: Place? = nil) {
        self.name = name
        self.arguments = arguments
        self.place = place
    }

    /// The value of an argument; nil when it is not written.
    public subscript(argument: String) -> ConstValue? {
        arguments.first { $0.name == argument }?.value
    }
}

/// An argument of an applied directive.
public struct ConstArgument: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its value.
    public var value: ConstValue
    /// Where it begins.
    public var place: Place?

    /// An argument by its parts.
    public init(name: String, value: ConstValue, place: Place? = nil) {
        self.name = name
        self.value = value
        self.place = place
    }
}

// MARK: - Fields

/// A field of an object or interface (spec §3.6).
public struct FieldDefinition: Sendable, Hashable {
    /// What it is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The arguments it takes.
    public var arguments: [InputValueDefinition]
    /// The type of its value.
    public var type: TypeNode
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Where it begins.
    public var place: Place?

    /// A field by its parts.
    public init(
        description: Description? = nil, name: String, arguments: [InputValueDefinition] = [], type: TypeNode,
        directives: [DirectiveNode] = [], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.arguments = arguments
        self.type = type
        self.directives = directives
        self.place = place
    }
}

/// An argument, or a field of an input object (spec §3.6.1, §3.10).
public struct InputValueDefinition: Sendable, Hashable {
    /// What it is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The type of its value.
    public var type: TypeNode
    /// The value when none is given.
    public var defaultValue: ConstValue?
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Where it begins.
    public var place: Place?

    /// An input value by its parts.
    public init(
        description: Description? = nil, name: String, type: TypeNode, defaultValue: ConstValue? = nil,
        directives: [DirectiveNode] = [], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.type = type
        self.defaultValue = defaultValue
        self.directives = directives
        self.place = place
    }
}

/// A value of an enum (spec §3.9).
public struct EnumValueDefinition: Sendable, Hashable {
    /// What it is for.
    public var description: Description?
    /// Its name.
    public var name: String
    /// The directives applied to it.
    public var directives: [DirectiveNode]
    /// Where it begins.
    public var place: Place?

    /// An enum value by its parts.
    public init(
        description: Description? = nil, name: String, directives: [DirectiveNode] = [], place: Place? = nil
    ) {
        self.description = description
        self.name = name
        self.directives = directives
        self.place = place
    }
}
