import GraphQL

/// A field of a model or of another type, or an argument.
struct CodegenField {
    let name: String
    /// The name of its type, or of that of its elements.
    var type: String
    /// Whether its value, or an element of its list, may be null.
    var isNullable: Bool
    var isList = false
    /// Whether the list may be null; nil where it is none.
    var isListNullable: Bool?
    var directives: [CodegenDirective] = []
    /// Whether the service alone writes it.
    var isReadOnly = false
    var connection: FieldConnection?
    var arguments: [CodegenField] = []
    var place: Place?

    init(_ name: String, _ type: String, isNullable: Bool, isReadOnly: Bool = false) {
        self.name = name
        self.type = type
        self.isNullable = isNullable
        self.isReadOnly = isReadOnly
    }

    init(_ field: FieldDefinition) {
        self.init(field.name, field.type, field.directives, field.place)
        arguments = field.arguments.map { CodegenField($0.name, $0.type, $0.directives, $0.place) }
    }

    /// An argument, or a field of an input type.
    init(_ value: InputValueDefinition) { self.init(value.name, value.type, value.directives, value.place) }

    /// For a list of lists: the outer list's nullability and the innermost element's.
    private init(_ name: String, _ type: TypeNode, _ directives: [DirectiveNode], _ place: Place?) {
        self.name = name
        self.type = type.namedType
        isList = type.isList
        isListNullable = isList ? !type.isNonNull : nil
        var element = type
        while let inner = element.element { element = inner }
        isNullable = !element.isNonNull
        self.directives = directives.map(CodegenDirective.init)
        self.place = place
    }

    func directive(_ name: String) -> CodegenDirective? { directives.first { $0.name == name } }

    /// Whether it leads to items of another model, in a list.
    var isHasMany: Bool { connection?.kind == .hasMany }

    /// Whether it leads to one item of another model.
    var isReference: Bool { connection.map { $0.kind != .hasMany } ?? false }
}
