import GraphQL

// @key: the primary key of a table, or a secondary index with its query (reference: transformer, "@key").

/// One `@key`, read. Without a name it is the primary key.
struct KeyDirective {
    let name: String?
    /// The partition key, then the sort keys.
    let fields: [String]
    let queryField: String?
    let node: DirectiveNode

    /// A key by its parts, as version 2 writes it on a field.
    init(name: String?, fields: [String], queryField: String?, node: DirectiveNode) {
        self.name = name
        self.fields = fields
        self.queryField = queryField
        self.node = node
    }

    /// `nil` when the arguments are not of their types, which validation reports.
    init?(_ node: DirectiveNode) {
        guard let fields = node["fields"]?.listCoercedValue else { return nil }
        self.node = node
        self.fields = fields.compactMap(\.stringValue)
        guard self.fields.count == fields.count else { return nil }
        name = node["name"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        queryField = node["queryField"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }

    var sortKeys: [String] { Array(fields.dropFirst()) }

    /// As messages spell it.
    var displayName: String { name ?? "<unnamed>" }
}

extension TransformContext {
    /// Applies the keys of one type, in the order they are written.
    mutating func applyKeys(of type: ObjectTypeDefinition) {
        let keys = type.directives(named: "key").compactMap(KeyDirective.init)
        guard let model = modelIndex(type.name) else {
            for key in keys where !type.isModel {
                diagnostics.report(
                    .invalidDirective, "@key may only be on an object type with @model; \(type.name) has none.",
                    at: key.node.place, hint: "Add @model to type \(type.name).")
            }
            return
        }
        for (position, key) in keys.enumerated() {
            guard isValid(key, at: position, among: keys, of: type) else {
                brokenModels.insert(type.name)
                continue
            }
            if key.name == nil {
                models[model].primaryKey = key.fields
                models[model].hasPrimaryKey = true
            } else {
                models[model].addIndex(
                    ModelDraft.Index(
                        name: key.displayName, partitionKey: key.fields[0], sortKeys: key.sortKeys,
                        directiveName: "key", queryField: key.queryField))
            }
            generate(key, for: models[model])
        }
    }

    /// What a key makes of the schema, primary or secondary: of either version.
    mutating func generate(_ key: KeyDirective, for model: ModelDraft) {
        if key.name == nil { applyPrimaryKey(key, to: model) }
        if key.name != nil, let queryField = key.queryField { addQueryField(queryField, for: key, of: model) }
        addKeyConditionInputs(for: key, of: model.declared)
        let removed = key.name == nil ? ["id"] + key.fields : ["id"]
        updateInput(conditionInputName(model.name)) { input in
            input.fields.removeAll { removed.contains($0.name) }
        }
    }

    // MARK: - Validation (reference: transformer, "Validation of keys")

    private mutating func isValid(
        _ key: KeyDirective, at position: Int, among keys: [KeyDirective], of type: ObjectTypeDefinition
    ) -> Bool {
        let earlier = keys[..<position]
        let place = key.node.place
        var faults: [(message: String, hint: String?)] = []
        if key.fields.isEmpty {
            faults.append(("A @key on type '\(type.name)' must name at least one field.", nil))
        }
        if key.name == nil {
            if earlier.contains(where: { $0.name == nil }) {
                faults.append(
                    (
                        "Type '\(type.name)' may have only one primary @key, which is the one without a name.",
                        "Give this @key a `name`, or leave one of the two out."
                    ))
            }
            if key.queryField != nil {
                faults.append(
                    (
                        "The primary @key of type '\(type.name)' cannot have a 'queryField'.",
                        "The list query takes the primary key as arguments; give the @key a `name` for an index."
                    ))
            }
        } else if earlier.contains(where: { $0.name == key.name }) {
            faults.append(("Type '\(type.name)' may have only one @key with the name '\(key.displayName)'.", nil))
        }
        if key.name != nil, let primary = keys.first(where: { $0.name == nil }), primary.fields.count == 1,
            primary.fields.first == key.fields.first
        {
            faults.append(
                (
                    "The @key '\(key.displayName)' of type '\(type.name)' begins with the field of the primary @key, "
                        + "which has no sort key.",
                    "Give the primary @key a second field, or begin this one with another."
                ))
        }
        // The name of a composite key goes into the names of types, any other one into the name of an index alone.
        if let name = key.name, key.fields.count > 2 ? !"_\(name)".isGraphQLName : !name.isIndexName {
            faults.append(("'\(name)' cannot be the name of a @key.", "Use letters, digits and underscores."))
        }
        if let queryField = key.queryField, !queryField.isGraphQLName {
            faults.append(
                ("'\(queryField)' cannot be the name of a field.", "Use letters, digits and underscores."))
        }
        for (index, name) in key.fields.enumerated() {
            if key.fields[..<index].contains(name) {
                faults.append(("The @key '\(key.displayName)' of type '\(type.name)' names '\(name)' twice.", nil))
            } else if let fault = fault(of: name, in: key, of: type) {
                faults.append(fault)
            }
        }
        for fault in faults { diagnostics.report(.invalidDirective, fault.message, at: place, hint: fault.hint) }
        return faults.isEmpty
    }

    private func fault(
        of name: String, in key: KeyDirective, of type: ObjectTypeDefinition
    ) -> (message: String, hint: String?)? {
        guard let field = type.field(named: name) else {
            return (
                "The @key '\(key.displayName)' of type '\(type.name)' names '\(name)', which is not a field.",
                type.hint(forMissingKeyField: name)
            )
        }
        let typeName = field.type.namedType
        // A type that does not exist is validation's to report.
        guard self.type(named: typeName) != nil || ScalarMapping[typeName] != nil else { return nil }
        if typeName == "Boolean" {
            return ("Boolean values cannot be used as keys: \(type.name).\(name).", nil)
        }
        if !isScalarOrEnum(typeName) {
            return ("A key field must be a scalar or an enum; \(type.name).\(name) is of type \(typeName).", nil)
        }
        if key.name == nil, !field.type.isNonNull {
            return (
                "The fields of the primary @key of type '\(type.name)' must be non-null; \(name) is not.",
                "Declare it as \(name): \(field.type)!"
            )
        }
        return nil
    }

    // MARK: - The primary key

    private mutating func applyPrimaryKey(_ key: KeyDirective, to model: ModelDraft) {
        let type = model.declared
        if let get = model.operations.get {
            updateField(get, of: declared.queryName) { field in
                field.arguments = key.fields.map {
                    InputValueDefinition(name: $0, type: .nonNull(.named(type.typeName(of: $0))))
                }
            }
        }
        if let list = model.operations.list {
            let keyArguments = keyArguments(of: key, on: type)
            updateField(list, of: declared.queryName) { field in
                field.arguments =
                    keyArguments + field.arguments
                    + [InputValueDefinition(name: "sortDirection", type: .named(Names.sortDirection))]
            }
        }
        // Version 2 knows no flag for this: it leaves the input of a mutation alone that is not generated.
        let rewritesAll = version == .v1 && !options.skipOverrideMutationInputTypes
        let rewritten: (String?) -> Bool = { rewritesAll || $0 != nil }
        if rewritten(model.operations.create), !model.declares("id") {
            updateInput(Names.mutationInput("Create", type.name)) { $0.fields.removeAll { $0.name == "id" } }
        }
        if rewritten(model.operations.update) {
            updateInput(Names.mutationInput("Update", type.name)) { input in
                if !model.declares("id") { input.fields.removeAll { $0.name == "id" } }
                input.fields = input.fields.map { field in
                    let name = TypeNode.named(field.type.namedType)
                    if key.fields.contains(field.name) {
                        return InputValueDefinition(name: field.name, type: .nonNull(name))
                    }
                    return field.name == "id" ? InputValueDefinition(name: "id", type: field.type.nullable) : field
                }
            }
        }
        if rewritten(model.operations.delete) {
            updateInput(Names.mutationInput("Delete", type.name)) { input in
                let others = input.fields.filter { field in
                    !key.fields.contains(field.name) && !(field.name == "id" && field.type.namedType == "ID")
                }
                input.fields =
                    key.fields.map { InputValueDefinition(name: $0, type: .nonNull(.named(type.typeName(of: $0)))) }
                    + others
            }
        }
        if !model.declares("id") { updateObject(type.name) { $0.fields.removeAll { $0.name == "id" } } }
    }

    // MARK: - Secondary indexes

    private mutating func addQueryField(_ name: String, for key: KeyDirective, of model: ModelDraft) {
        var keyArguments = keyArguments(of: key, on: model.declared)
        if version == .v2 { keyArguments[0].type = keyArguments[0].type.nonNullable }
        let arguments =
            keyArguments + [
                // Here `sortDirection` comes before the filter; on the list it is last
                // (reference: transformer, "Generated fields of keys").
                InputValueDefinition(name: "sortDirection", type: .named(Names.sortDirection)),
                InputValueDefinition(name: "filter", type: .named(filterInputName(model.name))),
                InputValueDefinition(name: "limit", type: .named("Int")),
                InputValueDefinition(name: "nextToken", type: .named("String")),
            ]
        let field = FieldDefinition(
            name: name, arguments: arguments, type: .named(connectionName(model.name)))
        addRootFields([field], to: declared.queryName, for: key.node)
        addSortDirection()
        addFilterInput(for: model.declared)
        addConnectionType(for: model.name)
    }

    // MARK: - Arguments and inputs

    /// The partition key, then the condition on the sort key if there is one.
    private func keyArguments(of key: KeyDirective, on type: ObjectTypeDefinition) -> [InputValueDefinition] {
        var arguments = [InputValueDefinition(name: key.fields[0], type: .named(type.typeName(of: key.fields[0])))]
        if let name = sortArgumentName(of: key.sortKeys) {
            let input =
                key.sortKeys.count > 1
                ? Names.compositeKeyConditionInput(type.name, key: key.name)
                : Names.keyConditionInput(base(of: type.typeName(of: key.sortKeys[0])))
            arguments.append(InputValueDefinition(name: name, type: .named(input)))
        }
        return arguments
    }

    private mutating func addKeyConditionInputs(for key: KeyDirective, of type: ObjectTypeDefinition) {
        guard let last = key.sortKeys.last else { return }
        guard key.sortKeys.count > 1 else {
            addKeyConditionInput(for: type.typeName(of: last))
            return
        }
        let operand = Names.compositeKeyInput(type.name, key: key.name)
        addIfMissing(
            .inputObject(
                FilterInputs.keyCondition(
                    Names.compositeKeyConditionInput(type.name, key: key.name), operand: operand, isText: true)))
        let fields = key.sortKeys.map { name in
            let typeName = type.typeName(of: name)
            // The last part is reduced to its base, an enum stays (reference: transformer, "Generated fields of keys").
            let reduced = name == last ? ScalarMapping[typeName]?.base ?? typeName : typeName
            return InputValueDefinition(name: name, type: .named(reduced))
        }
        addIfMissing(.inputObject(InputObjectTypeDefinition(name: operand, fields: fields)))
    }

    private mutating func updateField(_ name: String, of type: String, _ change: (inout FieldDefinition) -> Void) {
        updateObject(type) { type in
            guard let position = type.fields.firstIndex(where: { $0.name == name }) else { return }
            change(&type.fields[position])
        }
    }
}

/// The argument of a sort key: the field's name, or of a composite key the names in camel case.
func sortArgumentName(of sortKeys: [String]) -> String? {
    sortKeys.count > 1 ? Names.camelCased(sortKeys) : sortKeys.first
}

extension ObjectTypeDefinition {
    /// The named type of a declared field. Asked only for fields that validation has found.
    func typeName(of field: String) -> String { self.field(named: field)?.type.namedType ?? "String" }

    /// What to do about a key that names a field which is not there. The dates that @model adds are not there for keys.
    func hint(forMissingKeyField name: String) -> String? {
        ModelTimestamps.usualNames.contains(name)
            ? "Declare it: \(name): AWSDateTime!" : SuggestionList.hint(for: name, among: fields.map(\.name))
    }
}
