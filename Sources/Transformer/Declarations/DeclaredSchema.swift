package import GraphQL

/// The schema as its author wrote it, with extensions folded into the types they extend. The readers make
/// `Declarations` of it, generation starts from its types.
package struct DeclaredSchema {
    /// The types in the order of the text.
    package private(set) var types: [TypeDefinition]
    /// The names of the root types: of the `schema` definition, else the usual ones.
    package let queryName: String
    package let mutationName: String
    package let subscriptionName: String

    private var positions: [String: Int]

    /// Folds a document. Of two things with one name the first counts; that there are two is validation's to report.
    package init(_ document: TypeSystemDocument) {
        var types: [TypeDefinition] = []
        var positions: [String: Int] = [:]
        var roots: [OperationTypeDefinition] = []
        for case .type(let type) in document.definitions where positions[type.name] == nil {
            positions[type.name] = types.count
            types.append(type)
        }
        for definition in document.definitions {
            switch definition {
            case .typeExtension(let type):
                if let position = positions[type.name] { types[position].fold(type) }
            case .schema(let schema), .schemaExtension(let schema): roots += schema.operationTypes
            case .type, .directive, .executable: break
            }
        }
        func root(_ operation: OperationType, orElse name: String) -> String {
            roots.first { $0.operation == operation }?.typeName ?? name
        }
        self.types = types
        self.positions = positions
        queryName = root(.query, orElse: "Query")
        mutationName = root(.mutation, orElse: "Mutation")
        subscriptionName = root(.subscription, orElse: "Subscription")
    }

    /// Adds a type that a directive generates, unless there is one of its name.
    mutating func append(_ type: TypeDefinition) {
        guard positions[type.name] == nil else { return }
        positions[type.name] = types.count
        types.append(type)
    }

    subscript(name: String) -> TypeDefinition? { positions[name].map { types[$0] } }

    /// The object type of this name; `nil` when it is of another kind or not there.
    func object(named name: String) -> ObjectTypeDefinition? { self[name]?.object }

    /// The object types with `@model`, in document order.
    var models: [ObjectTypeDefinition] { types.compactMap(\.object).filter(\.isModel) }

    func isRootName(_ name: String) -> Bool {
        name == queryName || name == mutationName || name == subscriptionName
    }
}

extension TypeDefinition {
    var object: ObjectTypeDefinition? { if case .object(let type) = self { type } else { nil } }

    var inputObject: InputObjectTypeDefinition? { if case .inputObject(let type) = self { type } else { nil } }

    var isEnumeration: Bool { if case .enumeration = self { true } else { false } }

    /// Adds the parts of an extension that are not there yet.
    fileprivate mutating func fold(_ addition: TypeDefinition) {
        switch (self, addition) {
        case (.scalar(var type), .scalar(let addition)):
            type.directives += addition.directives
            self = .scalar(type)
        case (.object(var type), .object(let addition)):
            type.directives += addition.directives
            type.interfaces += addition.interfaces.filter { !type.interfaces.contains($0) }
            type.fields += addition.fields.filter { type.field(named: $0.name) == nil }
            self = .object(type)
        case (.interface(var type), .interface(let addition)):
            type.directives += addition.directives
            type.interfaces += addition.interfaces.filter { !type.interfaces.contains($0) }
            type.fields += addition.fields.filter { field in !type.fields.contains { $0.name == field.name } }
            self = .interface(type)
        case (.union(var type), .union(let addition)):
            type.directives += addition.directives
            type.members += addition.members.filter { !type.members.contains($0) }
            self = .union(type)
        case (.enumeration(var type), .enumeration(let addition)):
            type.directives += addition.directives
            type.values += addition.values.filter { value in !type.values.contains { $0.name == value.name } }
            self = .enumeration(type)
        case (.inputObject(var type), .inputObject(let addition)):
            type.directives += addition.directives
            type.fields += addition.fields.filter { type.field(named: $0.name) == nil }
            self = .inputObject(type)
        default: break  // An extension of another kind, which validation reports.
        }
    }
}

extension ObjectTypeDefinition {
    func field(named name: String) -> FieldDefinition? { fields.first { $0.name == name } }

    func directives(named name: String) -> [DirectiveNode] { directives.filter { $0.name == name } }

    var isModel: Bool { directives.contains { $0.name == "model" } }
}

extension InputObjectTypeDefinition {
    func field(named name: String) -> InputValueDefinition? { fields.first { $0.name == name } }
}

extension FieldDefinition {
    func directive(named name: String) -> DirectiveNode? { directives.first { $0.name == name } }
}
