import GraphQL

// What a key generates, primary or secondary: of either version (reference: transformer, "Generated fields of keys").

extension TransformContext {
    /// What a key makes of the schema, primary or secondary: of either version.
    mutating func generate(_ key: KeyDeclaration, for model: ModelDraft) {
        if key.name == nil { applyPrimaryKey(key, to: model) }
        if key.name != nil, let queryField = key.queryField { addQueryField(queryField, for: key, of: model) }
        addKeyConditionInputs(for: key, of: model.declared)
        let removed = key.name == nil ? ["id"] + key.fields : ["id"]
        updateInput(conditionInputName(model.name)) { input in
            input.fields.removeAll { removed.contains($0.name) }
        }
    }

    // MARK: - The primary key

    private mutating func applyPrimaryKey(_ key: KeyDeclaration, to model: ModelDraft) {
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
        let rewritesAll = conventions.rewritesUnusedInputs
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

    private mutating func addQueryField(_ name: String, for key: KeyDeclaration, of model: ModelDraft) {
        var keyArguments = keyArguments(of: key, on: model.declared)
        if conventions.requiresIndexPartitionKey { keyArguments[0].type = keyArguments[0].type.nonNullable }
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
        addRootFields([field], to: declared.queryName, for: key.directive, at: key.place.place)
        addSortDirection()
        addFilterInput(for: model.declared)
        addConnectionType(for: model.name)
    }

    // MARK: - Arguments and inputs

    /// The partition key, then the condition on the sort key if there is one.
    private func keyArguments(of key: KeyDeclaration, on type: ObjectTypeDefinition) -> [InputValueDefinition] {
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

    private mutating func addKeyConditionInputs(for key: KeyDeclaration, of type: ObjectTypeDefinition) {
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
