import GraphQL

// @model of version 2 (reference: transformer, "Version 2"): what is generated is as in version 1, in another order and
// with more in it.

extension TransformContext {
    /// The inputs that all models share, before the first model's own types
    /// (reference: transformer, "Order of version 2").
    mutating func addSharedInputs() {
        let bases = ["String", "Int", "Float", "Boolean", "ID"]
        for base in bases { addIfMissing(.inputObject(FilterInputs.operandInput(base))) }
        for base in bases { addIfMissing(.inputObject(FilterInputs.subscriptionOperandInput(base))) }
        addIfMissing(.enumeration(FilterInputs.attributeTypes))
        addIfMissing(.inputObject(FilterInputs.sizeInput))
        addSortDirection()
    }

    mutating func applyModelVersionTwo(_ declaration: ModelDeclaration, to type: ObjectTypeDefinition) {
        let place = declaration.directivePlace.place
        guard isNamedAsModel(type, at: place) else { return }
        let model = ModelDraft(declared: type, declaration: declaration, nestedTypes: nestedTypes(of: type))
        models.append(model)
        guard isValid(model, at: place) else {
            brokenModels.insert(type.name)
            return
        }
        // The id and the timestamps come before all else: they are filtered by, but no part of the inputs.
        if !model.declares("id") {
            updateObject(type.name) { $0.fields.append(FieldDefinition(name: "id", type: .nonNull(.named("ID")))) }
        }
        warnOfTimestamps(of: model)
        addTimestamps(to: model)
        for nested in model.nestedTypes {
            addIfMissing(.inputObject(nestedInput(of: nested, among: model.nestedTypes)))
        }
        addQueriesVersionTwo(of: model)
        addMutationsVersionTwo(of: model)
        addSubscriptionsVersionTwo(of: model)
        addVersionFields(to: model)
    }

    // MARK: - Queries

    private mutating func addQueriesVersionTwo(of model: ModelDraft) {
        let fields = self.type(named: model.name)?.object?.fields ?? []
        var queries: [FieldDefinition] = []
        if let get = model.operations.get {
            let id = InputValueDefinition(name: "id", type: .nonNull(.named("ID")))
            queries.append(FieldDefinition(name: get, arguments: [id], type: .named(model.name)))
        }
        if let list = model.operations.list {
            addConnectionType(for: model.name)
            addFilterInput(for: model.name, of: fields)
            let arguments = [
                InputValueDefinition(name: "filter", type: .named(filterInputName(model.name))),
                InputValueDefinition(name: "limit", type: .named("Int")),
                InputValueDefinition(name: "nextToken", type: .named("String")),
            ]
            queries.append(
                FieldDefinition(name: list, arguments: arguments, type: .named(connectionName(model.name))))
        }
        if let sync = model.operations.sync {
            addConnectionType(for: model.name)
            addFilterInput(for: model.name, of: fields)
            queries.append(syncField(sync, of: model))
        }
        addRootFields(queries, to: declared.queryName, for: "model", at: model.declaration.directivePlace.place)
    }

    /// The filter that an index or a relation needs of a model that has no list: of the declared fields alone.
    mutating func addFilterInputVersionTwo(for type: ObjectTypeDefinition) {
        addFilterInput(for: type.name, of: type.fields)
    }

    private mutating func addFilterInput(for model: String, of fields: [FieldDefinition]) {
        addEnumInputs(of: fields)
        let name = filterInputName(model)
        if !has(name) { addIfMissing(.inputObject(filterInput(name, of: fields, for: model))) }
    }

    // MARK: - Mutations

    private mutating func addMutationsVersionTwo(of model: ModelDraft) {
        let inputs = [
            (model.operations.create, "Create", createInputVersionTwo(of: model)),
            (model.operations.update, "Update", updateInputVersionTwo(of: model)),
            (model.operations.delete, "Delete", [InputValueDefinition(name: "id", type: .nonNull(.named("ID")))]),
        ]
        var mutations: [FieldDefinition] = []
        for case (let mutation?, let verb, let fields) in inputs {
            addEnumInputs(of: model.declared.fields)
            if !has(conditionInputName(model.name)) { addIfMissing(.inputObject(conditionInput(of: model))) }
            let input = Names.mutationInput(verb, model.name)
            addIfMissing(.inputObject(InputObjectTypeDefinition(name: input, fields: fields + versionInput(of: model))))
            let arguments = [
                InputValueDefinition(name: "input", type: .nonNull(.named(input))),
                InputValueDefinition(name: "condition", type: .named(conditionInputName(model.name))),
            ]
            mutations.append(FieldDefinition(name: mutation, arguments: arguments, type: .named(model.name)))
        }
        addRootFields(mutations, to: declared.mutationName, for: "model", at: model.declaration.directivePlace.place)
    }

    /// What the service fills itself is optional: an `id` that is an ID or text, and dates called `createdAt` and
    /// `updatedAt` or as the directive calls them. The original has the former optional even when the directive calls
    /// the dates otherwise or switches them off.
    private func createInputVersionTwo(of model: ModelDraft) -> [InputValueDefinition] {
        let dates = ModelTimestamps.usualNames + model.timestamps.names
        var fields = inputFields(of: model.declared, nestedTypes: model.nestedTypes) { field in
            let name = field.type.namedType
            let isFilled =
                field.name == "id"
                ? name == "ID" || name == "String"
                : dates.contains(field.name) && ModelTimestamps.holdsMoment(field)
            return isFilled ? field.type.nullable : field.type
        }
        if !model.declares("id") { fields.append(InputValueDefinition(name: "id", type: .named("ID"))) }
        return fields
    }

    /// Everything but the key is optional: what is absent stays as it is.
    private func updateInputVersionTwo(of model: ModelDraft) -> [InputValueDefinition] {
        var fields = inputFields(of: model.declared, nestedTypes: model.nestedTypes) { field in
            field.name == "id" ? field.type.nonNullable : field.type.nullable
        }
        if !model.declares("id") { fields.append(InputValueDefinition(name: "id", type: .nonNull(.named("ID")))) }
        return fields
    }

    /// The declared fields without an `id` of type ID; the timestamps follow what joins conditions.
    private func conditionInput(of model: ModelDraft) -> InputObjectTypeDefinition {
        let declared = model.declared.fields.filter { !($0.name == "id" && $0.type.namedType == "ID") }
        var input = filterInput(conditionInputName(model.name), of: declared, for: model.name)
        for name in model.timestamps.names
        where input.field(named: name) == nil {
            input.fields.append(
                InputValueDefinition(name: name, type: .named(Names.operandInput("String"))))
        }
        return input
    }

    // MARK: - Subscriptions

    private mutating func addSubscriptionsVersionTwo(of model: ModelDraft) {
        let filter = Names.subscriptionFilterInput(model.name.firstUppercased)
        if !model.operations.subscriptions.isEmpty {
            let fields = self.type(named: model.name)?.object?.fields ?? []
            addEnumInputs(of: fields)
            addIfMissing(.inputObject(subscriptionFilterInput(filter, of: fields, for: model.name)))
        }
        let fields = model.operations.subscriptions.map { subscription in
            FieldDefinition(
                name: subscription.field, arguments: [InputValueDefinition(name: "filter", type: .named(filter))],
                type: .named(model.name),
                directives: [
                    DirectiveNode(
                        "aws_subscribe",
                        arguments: [
                            ConstArgument(
                                name: "mutations", value: .list(subscription.mutations.map(ConstValue.string)))
                        ])
                ])
        }
        addRootFields(fields, to: declared.subscriptionName, for: "model", at: model.declaration.directivePlace.place)
    }

    // MARK: - Filters

    private mutating func addEnumInputs(of fields: [FieldDefinition]) {
        for field in fields where isEnumeration(field.type.namedType) {
            let name = field.type.namedType
            let isList = isListToFilters(field)
            guard !has(isList ? Names.enumListInput(name) : Names.operandInput(name)) else { continue }
            addIfMissing(.inputObject(isList ? FilterInputs.enumListInput(name) : FilterInputs.enumInput(name)))
        }
    }

    /// Whether the filter of an enum field takes lists. The original looks at the outermost node of the type and so takes
    /// a non-null list for no list: `[Kind]` has `ModelKindListInput`, `[Kind]!` has `ModelKindInput`.
    private func isListToFilters(_ field: FieldDefinition) -> Bool {
        field.type.isList && !field.type.isNonNull
    }

    private func filterInput(
        _ name: String, of fields: [FieldDefinition], for model: String
    ) -> InputObjectTypeDefinition {
        var entries = fields.compactMap { field -> InputValueDefinition? in
            let type = field.type.namedType
            let operand: TypeNode? =
                if isEnumeration(type) {
                    .named(isListToFilters(field) ? Names.enumListInput(type) : Names.operandInput(type))
                } else {
                    ScalarMapping[type]?.operand
                }
            return operand.map { InputValueDefinition(name: field.name, type: $0) }
        }
        entries += ["and", "or"].map { InputValueDefinition(name: $0, type: .list(.named(name))) }
        entries.append(InputValueDefinition(name: "not", type: .named(name)))
        return InputObjectTypeDefinition(name: name, fields: entries + deletedEntry(of: model))
    }

    private func subscriptionFilterInput(
        _ name: String, of fields: [FieldDefinition], for model: String
    ) -> InputObjectTypeDefinition {
        var entries = fields.compactMap { field -> InputValueDefinition? in
            subscriptionOperand(of: field.type.namedType).map { InputValueDefinition(name: field.name, type: $0) }
        }
        entries += ["and", "or"].map { InputValueDefinition(name: $0, type: .list(.named(name))) }
        return InputObjectTypeDefinition(name: name, fields: entries + deletedEntry(of: model))
    }

    /// The filter of a scalar in subscriptions; an enum's is that of a string.
    func subscriptionOperand(of type: String) -> TypeNode? {
        ScalarMapping[isEnumeration(type) ? "String" : type]?.subscriptionOperand
    }

    private func deletedEntry(of model: String) -> [InputValueDefinition] {
        guard isVersioned(model) else { return [] }
        return [InputValueDefinition(name: "_deleted", type: .named(Names.operandInput("Boolean")))]
    }
}
