import GraphQL

/// The working state of a transform: the types as they will be printed, and what is known of each model.
///
/// The types are an ordered map. A generated type is appended when it is first needed and never moves; changing a
/// type keeps its position. The output is the map in its order (reference: transformer, "Transform").
struct TransformContext {
    private(set) var declared: DeclaredSchema
    let options: TransformOptions
    /// The generation of the directives: 1 or 2.
    let version: TransformOptions.TransformerVersion
    var diagnostics: DiagnosticList
    /// In document order.
    var models: [ModelDraft] = []
    /// Models whose own directives are at fault: what leads to them is not judged.
    var brokenModels: Set<String> = []
    /// The models that `@manyToMany` stands for.
    var joinModels: Set<String> = []
    var resolvers: [FieldName: Resolver] = [:]
    /// What the rules of version 2 grant, by model; a model that is not in it has no rules.
    var grants: [String: Set<AuthDirective.Operation>]
    /// The fields that nobody may have.
    var closedFields: Set<FieldName> = []

    private(set) var types: [TypeDefinition]
    private var positions: [String: Int]

    init(
        _ declared: DeclaredSchema, version: TransformOptions.TransformerVersion, options: TransformOptions,
        grants: [String: Set<AuthDirective.Operation>], diagnostics: DiagnosticList
    ) {
        self.declared = declared
        self.grants = grants
        self.version = version
        self.options = options
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

    /// Adds a type as if the author had written it after all others.
    mutating func declare(_ type: TypeDefinition) {
        declared.append(type)
        addIfMissing(type)
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
        change(&type)
        types[position] = .inputObject(type)
    }

    /// Adds fields to a root type, which begins to exist here if it did not, even when there is nothing to add.
    mutating func addRootFields(_ fields: [FieldDefinition], to root: String, for directive: DirectiveNode) {
        addIfMissing(.object(ObjectTypeDefinition(name: root)))
        var taken: [String] = []
        updateObject(root) { type in
            for field in fields {
                if type.field(named: field.name) == nil {
                    type.fields.append(field)
                } else {
                    taken.append(field.name)
                }
            }
        }
        for name in taken {
            diagnostics.report(
                .invalidDirective, "The field \(root).\(name) exists already.", at: directive.place,
                hint: "Rename one of the two; @\(directive.name) takes a name of its own for what it generates.")
        }
    }

    // MARK: - Questions about types

    func isEnumeration(_ name: String) -> Bool { type(named: name)?.isEnumeration ?? false }

    /// Whether the generator knows the type as a scalar (reference: transformer, "Scalars of the generator") or it is
    /// an enum.
    func isScalarOrEnum(_ name: String) -> Bool { ScalarMapping[name] != nil || isEnumeration(name) }

    /// `String`, `ID`, `Int`, `Float` or `Boolean` of a scalar; an enum is kept as a string.
    func base(of name: String) -> String { ScalarMapping[name]?.base ?? "String" }

    /// Whether conflicts are detected in the items of a type.
    func isVersioned(_ model: String) -> Bool { options.conflictDetection(of: model) != .none }

    // MARK: - Names

    /// Version 1 keeps the first letter of a type's name in the names of its filters, version 2 raises it.
    func filterInputName(_ model: String) -> String {
        Names.filterInput(version == .v2 ? model.firstUppercased : model)
    }

    func conditionInputName(_ model: String) -> String {
        Names.conditionInput(version == .v2 ? model.firstUppercased : model)
    }

    func connectionName(_ model: String) -> String {
        Names.connection(version == .v2 ? model.firstUppercased : model)
    }

    // MARK: - Models

    func modelIndex(_ name: String) -> Int? { models.firstIndex { $0.name == name } }
}
