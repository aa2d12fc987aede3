import GraphQL

// @model of version 1 (reference: transformer, "@model").

extension TransformContext {
    /// Applies `@model` to one type: what is appended, and in which order
    /// (reference: transformer, "Generated types of a model").
    mutating func applyModel(_ declaration: ModelDeclaration, to type: ObjectTypeDefinition) {
        let place = declaration.directivePlace.place
        guard !options.validateTypeNameReservedWords || isNamedAsModel(type, at: place) else { return }
        let nestedTypes = nestedTypes(of: type)
        let model = ModelDraft(declared: type, declaration: declaration, nestedTypes: nestedTypes)
        models.append(model)
        guard isValid(model, at: place) else {
            brokenModels.insert(type.name)
            return
        }
        for nested in nestedTypes { addIfMissing(.inputObject(nestedInput(of: nested, among: nestedTypes))) }
        if !model.declares("id") {
            updateObject(type.name) {
                $0.fields.insert(FieldDefinition(name: "id", type: .nonNull(.named("ID"))), at: 0)
            }
        }
        addQueries(of: model)
        addMutations(of: model)
        addSubscriptions(of: model)
        // A type with @key has this done by its keys, which know of more fields.
        if declaration.keys.isEmpty {
            updateInput(Names.conditionInput(type.name)) { $0.fields.removeAll { $0.name == "id" } }
        }
        addVersionFields(to: model)
        warnOfTimestamps(of: model)
        addTimestamps(to: model)
    }

    // MARK: - Queries

    private mutating func addQueries(of model: ModelDraft) {
        var fields: [FieldDefinition] = []
        if model.operations.list != nil { addSortDirection() }
        if let sync = model.operations.sync {
            addConnectionType(for: model.name)
            addFilterInput(for: model.declared)
            fields.append(syncField(sync, of: model))
        }
        if let get = model.operations.get {
            // The argument is an ID whatever the author declared.
            let id = InputValueDefinition(name: "id", type: .nonNull(.named("ID")))
            fields.append(FieldDefinition(name: get, arguments: [id], type: .named(model.name)))
        }
        if let list = model.operations.list {
            addConnectionType(for: model.name)
            addFilterInput(for: model.declared)
            let arguments = [
                InputValueDefinition(name: "filter", type: .named(Names.filterInput(model.name))),
                InputValueDefinition(name: "limit", type: .named("Int")),
                InputValueDefinition(name: "nextToken", type: .named("String")),
            ]
            fields.append(
                FieldDefinition(name: list, arguments: arguments, type: .named(Names.connection(model.name))))
        }
        addRootFields(fields, to: declared.queryName, for: "model", at: model.declaration.directivePlace.place)
    }

    // MARK: - Mutations

    private mutating func addMutations(of model: ModelDraft) {
        let inputs = [
            (model.operations.create, "Create", createInputFields(of: model)),
            (model.operations.update, "Update", updateInputFields(of: model)),
            (model.operations.delete, "Delete", [InputValueDefinition(name: "id", type: .nonNull(.named("ID")))]),
        ]
        var fields: [FieldDefinition] = []
        for case (let mutation?, let verb, let inputFields) in inputs {
            let input = Names.mutationInput(verb, model.name)
            addIfMissing(
                .inputObject(InputObjectTypeDefinition(name: input, fields: inputFields + versionInput(of: model))))
            let arguments = [
                InputValueDefinition(name: "input", type: .nonNull(.named(input))),
                InputValueDefinition(name: "condition", type: .named(Names.conditionInput(model.name))),
            ]
            fields.append(FieldDefinition(name: mutation, arguments: arguments, type: .named(model.name)))
        }
        addRootFields(fields, to: declared.mutationName, for: "model", at: model.declaration.directivePlace.place)
        if !fields.isEmpty { addConditionInput(for: model.declared) }
    }

    /// Fields the service fills itself are optional: an `id` of type ID, timestamps that hold a moment.
    private func createInputFields(of model: ModelDraft) -> [InputValueDefinition] {
        var fields = inputFields(of: model.declared, nestedTypes: model.nestedTypes) { field in
            let isFilled =
                field.name == "id"
                ? field.type.nullable == .named("ID")
                : model.timestamps.names.contains(field.name)
                    && ModelTimestamps.holdsMoment(field)
            return isFilled ? field.type.nullable : field.type
        }
        if !model.declares("id") { fields.insert(InputValueDefinition(name: "id", type: .named("ID")), at: 0) }
        return fields
    }

    /// Everything but the key is optional: what is absent stays as it is.
    private func updateInputFields(of model: ModelDraft) -> [InputValueDefinition] {
        var fields = inputFields(of: model.declared, nestedTypes: model.nestedTypes) { field in
            field.name == "id" ? field.type.nonNullable : field.type.nullable
        }
        if !model.declares("id") {
            fields.insert(InputValueDefinition(name: "id", type: .nonNull(.named("ID"))), at: 0)
        }
        return fields
    }

    // MARK: - Subscriptions

    private mutating func addSubscriptions(of model: ModelDraft) {
        let fields = model.operations.subscriptions.map { subscription in
            FieldDefinition(
                name: subscription.field, type: .named(model.name),
                directives: [
                    DirectiveNode(
                        "aws_subscribe",
                        arguments: [
                            ConstArgument(
                                name: "mutations", value: .list(subscription.mutations.map(ConstValue.string)))
                        ])
                ])
        }
        // Without subscriptions, the model does not generate the root type.
        guard model.operations.subscriptionLevel != .off else { return }
        addRootFields(fields, to: declared.subscriptionName, for: "model", at: model.declaration.directivePlace.place)
    }
}
