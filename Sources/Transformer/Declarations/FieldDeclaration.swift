public import GraphQL

/// A field of an object type as its author declared it.
public struct FieldDeclaration: Sendable, Hashable {
    /// An argument of a field.
    public struct Argument: Sendable, Hashable {
        /// The argument's name.
        public var name: String
        /// The argument's type.
        public var type: TypeNode
        /// The value where a request gives none.
        public var defaultValue: ConstValue?

        /// An argument by its parts.
        public init(name: String, type: TypeNode, defaultValue: ConstValue? = nil) {
            self.name = name
            self.type = type
            self.defaultValue = defaultValue
        }
    }

    /// The field's name.
    public var name: String
    /// The field's type.
    public var type: TypeNode
    /// The field's arguments.
    public var arguments: [Argument]
    /// The text of `@default`: what create fills in.
    public var defaultValue: String?
    /// The name of the stored attribute (`@refersTo`); nil for the field's own.
    public var storedName: StoredNameDeclaration?
    /// The rules of the field's own `@auth`.
    public var rules: [AuthorizationRule]
    /// The functions that answer the field.
    public var functions: [FunctionDeclaration]
    var place = DeclarationPlace()
    var defaultPlace = DeclarationPlace()
    /// All relations that are written on the field; more than one are an error.
    var relations: [RelationDeclaration] = []

    /// A field by its parts.
    public init(
        name: String, type: TypeNode, arguments: [Argument] = [], relation: RelationDeclaration? = nil,
        defaultValue: String? = nil, storedName: StoredNameDeclaration? = nil, rules: [AuthorizationRule] = [],
        functions: [FunctionDeclaration] = []
    ) {
        self.name = name
        self.type = type
        self.arguments = arguments
        self.defaultValue = defaultValue
        self.storedName = storedName
        self.rules = rules
        self.functions = functions
        relations = relation.map { [$0] } ?? []
    }

    /// How the field leads to items of another model; nil where it does not.
    public var relation: RelationDeclaration? { relations.first }

    /// The relation of this kind, if it is written on the field.
    func relation(_ kind: RelationDeclaration.Kind) -> RelationDeclaration? { relations.first { $0.kind == kind } }
}
