import GraphQL

/// The working state of a transform: the types as they will be printed, and what is known of each model.
///
/// The types are an ordered map. A generated type is appended when it is first needed and never moves; changing a
/// type keeps its position. The output is the map in its order (reference: transformer, "Transform").
struct TransformContext {
    private(set) var declared: DeclaredSchema
    let declarations: Declarations
    let options: TransformOptions
    let conventions: VersionConventions
    var diagnostics: DiagnosticList
    /// In document order.
    var models: [ModelDraft] = []
    /// Models whose own directives are invalid: relations to them are not checked.
    var brokenModels: Set<String> = []
    /// The models that `@manyToMany` generates.
    var joinModels: Set<String> = []
    var resolvers: [FieldName: Resolver] = [:]
    /// Whether models of version 2 without rules are open to the API key.
    let isSandbox: Bool

    /// The fields that lead to items of other models, to be bound when all keys are known: of version 1.
    var connections: [ConnectionPlan] = []
    /// The same of version 2.
    var relationPlans: [RelationPlan] = []

    /// The declarations by the names of their types, those of join models included.
    private var modelDeclarations: [String: ModelDeclaration]
    private let typeDeclarations: [String: TypeDeclaration]
    private(set) var types: [TypeDefinition]
    private var positions: [String: Int]
    /// The names of the fields of each root type, since `addRootFields` looks up each: it alone adds to a root type.
    private var rootFieldNames: [String: Set<String>] = [:]

    init(
        _ declared: DeclaredSchema, declarations: Declarations, isSandbox: Bool, diagnostics: DiagnosticList
    ) {
        self.declared = declared
        self.declarations = declarations
        self.isSandbox = isSandbox
        options = declarations.options
        conventions = declarations.version == .v2 ? .versionTwo : .versionOne(options)
        modelDeclarations = Dictionary(
            declarations.models.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        typeDeclarations = Dictionary(
            (declarations.types + declarations.interfaces).map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
        self.diagnostics = diagnostics
        types = declared.types
        positions = Dictionary(zip(types.map(\.name), types.indices), uniquingKeysWith: { first, _ in first })
    }

    // MARK: - Types

    func type(named name: String) -> TypeDefinition? { positions[name].map { types[$0] } }

    func has(_ name: String) -> Bool { positions[name] != nil }

    /// Appends a type; one that is there already stays as it is, also the author's own.
    mutating func addIfMissing(_ type: TypeDefinition) {
        guard positions[type.name] == nil else { return }
        positions[type.name] = types.count
        types.append(type)
    }

    /// Adds a model as if the author had written it after all others.
    mutating func declare(_ type: ObjectTypeDefinition, _ declaration: ModelDeclaration) {
        declared.append(.object(type))
        modelDeclarations[type.name] = declaration
        addIfMissing(.object(type))
    }

    mutating func updateObject(_ name: String, _ change: (inout ObjectTypeDefinition) -> Void) {
        guard let position = positions[name], case .object(var type) = types[position] else { return }
        // Without a second owner the fields change in place: a root type of many models grows a few at a time.
        types[position] = .object(ObjectTypeDefinition(name: name))
        change(&type)
        types[position] = .object(type)
    }

    mutating func updateInput(_ name: String, _ change: (inout InputObjectTypeDefinition) -> Void) {
        guard let position = positions[name], case .inputObject(var type) = types[position] else { return }
        types[position] = .inputObject(InputObjectTypeDefinition(name: name))
        change(&type)
        types[position] = .inputObject(type)
    }

    /// Adds fields to a root type, which begins to exist here if it did not, even when there is nothing to add.
    mutating func addRootFields(_ fields: [FieldDefinition], to root: String, for directive: String, at place: Place?) {
        addIfMissing(.object(ObjectTypeDefinition(name: root)))
        var taken: [String] = []
        // Taken out for as long as it changes, so that it changes in place.
        var names = rootFieldNames.removeValue(forKey: root)
        updateObject(root) { type in
            var known = names.take() ?? Set(type.fields.map(\.name))
            for field in fields {
                if known.insert(field.name).inserted {
                    type.fields.append(field)
                } else {
                    taken.append(field.name)
                }
            }
            names = known
        }
        rootFieldNames[root] = names
        for name in taken {
            diagnostics.report(
                .invalidDirective, "The field \(root).\(name) exists already.", at: place,
                hint: "Rename one of the two; @\(directive) takes a name of its own for what it generates.")
        }
    }

    // MARK: - Declarations

    /// The declaration of a model; nil of another type.
    func model(named name: String) -> ModelDeclaration? { modelDeclarations[name] }

    /// The fields of an object type or an interface with their declarations.
    func fieldDeclarations(of type: String) -> [FieldDeclaration] {
        modelDeclarations[type]?.fields ?? typeDeclarations[type]?.fields ?? []
    }

    /// The keys that are written on an object type or its fields.
    func keys(of type: String) -> [KeyDeclaration] {
        modelDeclarations[type]?.keys ?? typeDeclarations[type]?.keys ?? []
    }

    /// The names that an object type is mapped to.
    func storedNames(of type: String) -> [StoredNameDeclaration] {
        modelDeclarations[type]?.storedNames ?? typeDeclarations[type]?.mappings ?? []
    }

    /// The fields of the primary key; nil where the author named none.
    func primaryKeyFields(of type: String) -> [String]? {
        keys(of: type).first { $0.name == nil }?.fields
    }

    // MARK: - Questions about types

    func isEnumeration(_ name: String) -> Bool { positions[name].map { types[$0].isEnumeration } ?? false }

    /// Whether the generator knows the type as a scalar (reference: transformer, "Scalars of the generator") or it is
    /// an enum.
    func isScalarOrEnum(_ name: String) -> Bool { ScalarMapping[name] != nil || isEnumeration(name) }

    /// `String`, `ID`, `Int`, `Float` or `Boolean` of a scalar; an enum is kept as a string.
    func base(of name: String) -> String { ScalarMapping[name]?.base ?? "String" }

    /// Whether conflicts are detected in the items of a type.
    func isVersioned(_ model: String) -> Bool { options.conflictDetection(of: model) != .none }

    // MARK: - Names

    func filterInputName(_ model: String) -> String {
        Names.filterInput(typeName(model))
    }

    func conditionInputName(_ model: String) -> String {
        Names.conditionInput(typeName(model))
    }

    func connectionName(_ model: String) -> String {
        Names.connection(typeName(model))
    }

    /// A type's name as it stands in the names of its filters and connections.
    private func typeName(_ model: String) -> String { conventions.raisesTypeNames ? model.firstUppercased : model }

    // MARK: - Models

    func modelIndex(_ name: String) -> Int? { models.firstIndex { $0.name == name } }
}
