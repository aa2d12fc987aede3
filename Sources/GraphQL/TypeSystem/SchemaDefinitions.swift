/// The definitions of a schema document by name, extensions merged into what they extend. Spec §3.1, §3.4.3.
///
/// Definitions of a prelude (directives that a document may use without defining them, with their input types) are
/// found by name too, but they are no part of the schema, and their places belong to other sources.
struct SchemaDefinitions {
    /// The document's own types, in its order.
    private(set) var types: [TypeDefinition] = []
    /// The document's own directives, in its order.
    private(set) var directives: [DirectiveDefinition] = []
    /// The `schema` definition; its extensions alone make one too.
    private(set) var schema: SchemaDefinition?
    /// What could not be merged.
    private(set) var errors: [SchemaError] = []

    private var typePositions: [String: Int] = [:]
    /// By position of the type.
    private var usages: [Usage] = []
    private var directivePositions: [String: Int] = [:]
    private var preludeTypes: [String: TypeDefinition] = [:]
    private var preludeDirectives: [String: DirectiveDefinition] = [:]

    init(_ document: TypeSystemDocument, prelude: TypeSystemDocument) {
        for case .type(let type) in prelude.definitions { preludeTypes[type.name] = type }
        for case .directive(let directive) in prelude.definitions { preludeDirectives[directive.name] = directive }
        document.definitions.forEach { define($0) }
        document.definitions.forEach { extend($0) }
    }

    /// A type by name: the document's, the prelude's, or a scalar that needs no definition.
    func type(named name: String) -> TypeDefinition? {
        if let position = typePositions[name] { return types[position] }
        if let type = preludeTypes[name] { return type }
        return Scalar(name: name).map { .scalar(ScalarTypeDefinition(name: $0.name)) }
    }

    /// What a type may be used for. Spec §3.4.2 Input and Output Types.
    struct Usage {
        var isInput: Bool
        var isOutput: Bool

        fileprivate init(_ type: TypeDefinition) { (isInput, isOutput) = (type.isInput, type.isOutput) }

        fileprivate static let scalar = Usage(.scalar(ScalarTypeDefinition(name: "")))
    }

    /// What `type(named:)` may be used for, without a copy of its definition.
    func usage(ofTypeNamed name: String) -> Usage? {
        // No other type of a document or a prelude has the name of one of these.
        if Scalar(name: name) != nil { return .scalar }
        return typePositions[name].map { usages[$0] } ?? preludeTypes[name].map(Usage.init)
    }

    /// A directive by name, the document's before the prelude's.
    func directive(named name: String) -> DirectiveDefinition? {
        directivePositions[name].map { directives[$0] } ?? preludeDirectives[name]
    }

    /// The root type of an operation: what `schema` names, or without one the type of the usual name. Spec §3.3.1.
    func rootTypeName(of operation: OperationType) -> String? {
        if let schema { return schema.typeName(of: operation) }
        let name = operation.rawValue.prefix(1).uppercased() + operation.rawValue.dropFirst()
        return typePositions[name] == nil ? nil : name
    }

    /// Every name a type may be referred to by, for hints.
    var typeNames: [String] {
        types.map(\.name) + preludeTypes.keys + (Scalar.specified + Scalar.predefined).map(\.name)
    }

    /// Every name a directive may be applied by, for hints.
    var directiveNames: [String] { directives.map(\.name) + preludeDirectives.keys }

    private mutating func define(_ definition: TypeSystemDefinition) {
        switch definition {
        case .schema(let definition):
            if let first = schema {
                refuse("Must provide only one schema definition.", at: definition.place, first: first.place)
            } else {
                schema = definition
            }
        case .type(let type):
            if let first = typePositions[type.name].map({ types[$0].place }) ?? redefined(type) {
                refuse("There can be only one type named \"\(type.name)\".", at: type.place, first: first)
            } else {
                typePositions[type.name] = types.count
                types.append(type)
                usages.append(Usage(type))
            }
        case .directive(let directive):
            if let first = directivePositions[directive.name] {
                refuse(
                    "There can be only one directive named \"@\(directive.name)\".", at: directive.place,
                    first: directives[first].place)
            } else {
                directivePositions[directive.name] = directives.count
                directives.append(directive)
            }
        case .executable(let place):
            refuse("An operation or a fragment does not belong into a schema.", at: place, first: nil)
        case .typeExtension, .schemaExtension: break
        }
    }

    /// A scalar that is known anyway may be declared again; any other known name may not. `.some(nil)`: it is taken.
    private func redefined(_ type: TypeDefinition) -> Place?? {
        if preludeTypes[type.name] != nil { return .some(nil) }
        if case .scalar = type { return .none }
        return Scalar(name: type.name) == nil ? .none : .some(nil)
    }

    private mutating func extend(_ definition: TypeSystemDefinition) {
        switch definition {
        case .schemaExtension(let addition):
            var extended = schema ?? SchemaDefinition(operationTypes: conventionalRootTypes, place: addition.place)
            extended.directives += addition.directives
            extended.operationTypes += addition.operationTypes
            schema = extended
        case .typeExtension(let addition):
            guard let position = typePositions[addition.name] else {
                let name = addition.name
                return errors.append(
                    SchemaError(
                        "Cannot extend type \"\(name)\" because it is not defined.", at: addition.place,
                        hint: SuggestionList.hint(for: name, among: types.map(\.name))))
            }
            guard let merged = types[position].extended(by: addition) else {
                return refuse(
                    "Cannot extend non-\(addition.kindName) type \"\(addition.name)\".", at: addition.place,
                    first: types[position].place)
            }
            types[position] = merged
        default: break
        }
    }

    /// `extend schema` without a `schema` extends the one that the usual names make.
    private var conventionalRootTypes: [OperationTypeDefinition] {
        [OperationType.query, .mutation, .subscription].compactMap { operation in
            rootTypeName(of: operation).map { OperationTypeDefinition(operation: operation, typeName: $0) }
        }
    }

    private mutating func refuse(_ message: String, at place: Place?, first: Place?) {
        errors.append(SchemaError(message, at: place, related: first.map { [$0] } ?? []))
    }
}

extension TypeDefinition {
    /// The kind's word in messages.
    var kindName: String {
        switch self {
        case .scalar: "scalar"
        case .object: "object"
        case .interface: "interface"
        case .union: "union"
        case .enumeration: "enum"
        case .inputObject: "input object"
        }
    }

    /// Scalar, enum or input object. Spec §3.4.2.
    var isInput: Bool {
        switch self {
        case .scalar, .enumeration, .inputObject: true
        default: false
        }
    }

    /// All but input objects.
    var isOutput: Bool { if case .inputObject = self { false } else { true } }

    /// This type with the parts of an extension of its kind after its own; `nil` for an extension of another kind.
    fileprivate func extended(by addition: TypeDefinition) -> TypeDefinition? {
        switch (self, addition) {
        case (.scalar(var type), .scalar(let addition)):
            type.directives += addition.directives
            return .scalar(type)
        case (.object(var type), .object(let addition)):
            type.interfaces += addition.interfaces
            type.directives += addition.directives
            type.fields += addition.fields
            return .object(type)
        case (.interface(var type), .interface(let addition)):
            type.interfaces += addition.interfaces
            type.directives += addition.directives
            type.fields += addition.fields
            return .interface(type)
        case (.union(var type), .union(let addition)):
            type.directives += addition.directives
            type.members += addition.members
            return .union(type)
        case (.enumeration(var type), .enumeration(let addition)):
            type.directives += addition.directives
            type.values += addition.values
            return .enumeration(type)
        case (.inputObject(var type), .inputObject(let addition)):
            type.directives += addition.directives
            type.fields += addition.fields
            return .inputObject(type)
        default: return nil
        }
    }
}
