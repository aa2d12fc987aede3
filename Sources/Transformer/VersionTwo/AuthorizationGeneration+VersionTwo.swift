import GraphQL

// What rules change in the schema of version 2 (reference: authorization, "Generated schema").

extension TransformContext {
    /// Applies the rules of all models, in document order, then those of the fields of other types.
    mutating func applyRulesVersionTwo() {
        let modes = ModeDirectives(options)
        var visited: Set<String> = []
        for model in models where !brokenModels.contains(model.name) {
            let rules = model.declaration.allRules
            guard !rules.isEmpty else {
                openSandbox(model, modes)
                continue
            }
            let access = model.access(rules)
            applyFilters(of: access, to: model)
            addOwnerFields(access.roles.compactMap(\.ownerField), to: model.name)
            let providers = providers(access.roles)
            addDirectives(modes.directives(for: providers, addsDefault: false), toType: model.name)
            applyOperations(of: access, to: model, modes)
            for nested in model.nestedTypes {
                let isFirst = visited.insert(nested.name).inserted
                addDirectives(
                    modes.directives(for: providers, addsDefault: !isFirst), toNestedType: nested, of: model)
            }
            requireReaders(of: access, in: model)
        }
        for case .object(let type) in declared.types where modelIndex(type.name) == nil {
            for field in fieldDeclarations(of: type.name) where !field.rules.isEmpty {
                addDirectives(
                    modes.directives(for: field.rules.providers, addsDefault: false), toField: field.name,
                    of: type.name)
            }
        }
    }

    /// The providers of roles; callers with access by IAM alone count as one of `iam`.
    private func providers(_ roles: [AuthorizationRole]) -> Set<AuthorizationRule.Provider> {
        var providers = Set(roles.map(\.provider))
        if options.grantsIAMAccess { providers.insert(.iam) }
        return providers
    }

    // MARK: - Filters

    /// Filters of subscriptions lose the fields that dynamic roles look at; owners can be asked for everywhere.
    private mutating func applyFilters(of access: ModelAccess, to model: ModelDraft) {
        let filter = Names.subscriptionFilterInput(model.name.firstUppercased)
        let dynamic = Set(access.roles.compactMap(\.field))
        updateInput(filter) { $0.fields.removeAll { dynamic.contains($0.name) } }
        for name in [filterInputName(model.name), conditionInputName(model.name), filter] {
            updateInput(name) { input in
                for owner in access.roles.compactMap(\.ownerField) where input.field(named: owner) == nil {
                    input.fields.append(
                        InputValueDefinition(name: owner, type: .named(Names.operandInput("String"))))
                }
            }
        }
    }

    // MARK: - Operations

    private mutating func applyOperations(
        of access: ModelAccess, to model: ModelDraft, _ modes: ModeDirectives
    ) {
        let operations = model.operations
        var fields: [(name: String?, type: String, roles: [Int])] = [
            (operations.get, declared.queryName, access.roles(with: .get)),
            (operations.list, declared.queryName, access.roles(with: .list)),
            (operations.sync, declared.queryName, access.roles(with: .sync)),
            (operations.create, declared.mutationName, access.roles(with: .create)),
            (operations.update, declared.mutationName, access.roles(with: .update)),
            // Only roles that may delete every field may delete an item.
            (
                operations.delete, declared.mutationName,
                access.roles.indices.filter { access.isWhole($0, .delete) }
            ),
        ]
        let lists = access.roles(with: .list)
        let indexRoles = lists + access.roles(with: .get).filter { !lists.contains($0) }
        fields += model.indexes.compactMap(\.queryField).map { ($0, declared.queryName, indexRoles) }
        if operations.subscriptionLevel == .on {
            let listeners = access.roles(with: .listen)
            fields += operations.subscriptions.map { ($0.field, declared.subscriptionName, listeners) }
            addOwnerArguments(listeners.compactMap { access.roles[$0].ownerField }, to: model)
        }
        for case (let name?, let type, let roles) in fields {
            let providers = providers(roles.map { access.roles[$0] })
            addDirectives(
                modes.directives(for: providers, addsDefault: providers.contains(modes.defaultProvider)),
                toOperation: name, of: type)
        }
    }

    /// `owner: String` on the subscriptions of a model, after the filter.
    private mutating func addOwnerArguments(_ owners: [String], to model: ModelDraft) {
        let scalars = owners.filter { !(model.declared.field(named: $0)?.type.isList ?? false) }
        guard !scalars.isEmpty else { return }
        let fields = model.operations.subscriptions.map(\.field)
        updateObject(declared.subscriptionName) { type in
            for position in type.fields.indices where fields.contains(type.fields[position].name) {
                for owner in scalars where !type.fields[position].arguments.contains(where: { $0.name == owner }) {
                    type.fields[position].arguments.append(
                        InputValueDefinition(name: owner, type: .named("String")))
                }
            }
        }
    }

    // MARK: - Models without rules

    /// Opens a model without rules to the API key where the schema is a sandbox; elsewhere it is closed to everyone.
    private mutating func openSandbox(_ model: ModelDraft, _ modes: ModeDirectives) {
        var providers: Set<AuthorizationRule.Provider> = isSandbox ? [.apiKey] : []
        if options.enablesIAMAccess { providers.insert(.iam) }
        let directives = modes.directives(for: providers, addsDefault: false)
        guard !directives.isEmpty else { return }
        for name in [model.name, connectionName(model.name)] + model.nestedTypes.map(\.name) {
            addDirectives(directives, toType: name)
        }
        let operations = model.operations
        let fields =
            [operations.get, operations.list, operations.sync].map { ($0, declared.queryName) }
            + model.indexes.map { ($0.queryField, declared.queryName) }
            + [operations.create, operations.update, operations.delete].map { ($0, declared.mutationName) }
            + operations.subscriptions.map { ($0.field, declared.subscriptionName) }
        // They stay where they are.
        for case (let name?, let type) in fields {
            updateObject(type) { type in
                guard let position = type.fields.firstIndex(where: { $0.name == name }) else { return }
                type.fields[position].directives.addMissing(directives)
            }
        }
    }

    // MARK: - Required fields

    /// A field that an item must have cannot be null for some of its readers.
    private mutating func requireReaders(of access: ModelAccess, in model: ModelDraft) {
        guard model.operations.subscriptionLevel == .on else { return }
        let fields = zip(model.declared.fields, model.declaration.fields)
            .filter { field, _ in field.type.isNonNull && access.readers[field.name] != nil }
        guard !fields.isEmpty else { return }
        let names = fields.map { "\"\($0.0.name)\"" }.joined(separator: ",")
        diagnostics.report(
            .invalidDirective,
            "When using field-level authorization rules you need to add rules to all of the model's required fields "
                + "with at least read permissions. Found model \"\(model.name)\" with required fields [\(names)] "
                + "missing field-level authorization rules.",
            at: fields[0].0.place ?? model.declaration.place.place,
            hint: "Let every role that may read \(model.name) read these fields, or make them nullable.")
    }
}

extension AuthorizationRole {
    /// The field of the owner; nil of another role.
    var ownerField: String? { if case .owner(let field, _) = member { field } else { nil } }
}

extension ModelDeclaration {
    /// The rules of the type, then those of its fields.
    var allRules: [AuthorizationRule] { rules + fields.flatMap(\.rules) }
}

extension ModelDraft {
    /// What the rules of the model allow in version 2.
    func access(_ rules: [AuthorizationRule]) -> ModelAccess {
        ModelAccess(
            model: name, fields: declaration.fields.map(\.name), rules: rules,
            redactsResults: operations.subscriptionLevel == .on)
    }
}
