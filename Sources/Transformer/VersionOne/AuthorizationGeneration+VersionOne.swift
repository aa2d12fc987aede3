import GraphQL

// What rules change in the schema of version 1 (reference: authorization, "Generated schema").

extension TransformContext {
    /// Applies the rules of all types, in document order: of each type those of the type, then those of its fields.
    mutating func applyRulesVersionOne() {
        let modes = ModeDirectives(options)
        let indexes = Dictionary(zip(models.map(\.name), models.indices), uniquingKeysWith: { first, _ in first })
        let connections = connectionFields
        for case .object(let type) in declared.types {
            if let index = indexes[type.name] {
                applyTypeRules(of: models[index], modes, connections[type.name] ?? [])
                for field in models[index].declaration.fields where !field.rules.isEmpty {
                    applyFieldRules(field.rules, on: field.name, of: models[index], modes)
                }
            } else {
                for field in fieldDeclarations(of: type.name) where !field.rules.isEmpty {
                    addDirectives(
                        modes.directives(for: field.rules.providers, addsDefault: false), toField: field.name,
                        of: type.name)
                }
            }
        }
    }

    /// The fields that lead to items of each model, by its name, in document order.
    private var connectionFields: [String: [(type: String, field: String)]] {
        var fields: [String: [(type: String, field: String)]] = [:]
        for case .object(let type) in declared.types {
            for field in fieldDeclarations(of: type.name) where field.relation(.connection) != nil {
                fields[field.type.namedType, default: []].append((type.name, field.name))
            }
        }
        return fields
    }

    // MARK: - Rules of a type

    /// - Parameter connections: The fields that lead to its items.
    private mutating func applyTypeRules(
        of model: ModelDraft, _ modes: ModeDirectives, _ connections: [(type: String, field: String)]
    ) {
        let rules = model.declaration.rules
        guard !rules.isEmpty else { return }
        addMissingOwnerFields(of: rules, to: model)
        func granting(_ operation: AuthorizationRule.Operation) -> [AuthorizationRule] {
            rules.filter { $0.operations.contains(operation) }
        }
        /// Whether an operation keeps the default mode beside the others.
        func addsDefault(_ operation: AuthorizationRule.Operation) -> Bool {
            modes.hasDefault(granting(operation))
        }
        let all = modes.directives(for: rules.providers, addsDefault: true)
        for nested in model.nestedTypes { addDirectives(all, toNestedType: nested, of: model) }
        addDirectives(modes.directives(for: rules.providers, addsDefault: false), toType: model.name)

        let operations = model.operations
        let fields: [(name: String?, type: String, operation: AuthorizationRule.Operation)] = [
            (operations.create, declared.mutationName, .create), (operations.update, declared.mutationName, .update),
            (operations.delete, declared.mutationName, .delete), (operations.get, declared.queryName, .get),
            (operations.list, declared.queryName, .list),
        ]
        for case (let name?, let type, let operation) in fields {
            addDirectives(
                modes.directives(for: granting(operation).providers, addsDefault: addsDefault(operation)),
                toOperation: name, of: type)
        }
        // Rules for reading as a whole: what names only get or list in `queries` is not among them.
        let readers = granting(.sync)
        let readDirectives = modes.directives(for: readers.providers, addsDefault: false)
        for (type, field) in connections { addDirectives(readDirectives, toOperation: field, of: type) }
        if operations.list != nil {
            for queryField in model.indexes.compactMap(\.queryField) {
                addDirectives(readDirectives, toOperation: queryField, of: declared.queryName)
            }
        }
        if let sync = operations.sync {
            addDirectives(
                modes.directives(for: readers.providers, addsDefault: addsDefault(.list)), toOperation: sync,
                of: declared.queryName)
        }
        if operations.subscriptionLevel == .on {
            let directives = modes.directives(for: readers.providers, addsDefault: addsDefault(.get))
            for subscription in operations.subscriptions {
                addDirectives(directives, toField: subscription.field, of: declared.subscriptionName)
            }
            addOwnerArguments(of: readers, to: model)
        }
        removeConditions(of: rules, from: model)
    }

    private mutating func addMissingOwnerFields(of rules: [AuthorizationRule], to model: ModelDraft) {
        let owners = rules.compactMap(\.ownerField)
        if options.addMissingOwnerFields {
            addOwnerFields(owners, to: model.name)
        } else if owners.contains("owner"),
            !Self.ownerArguments(of: rules.filter { $0.operations.contains(.sync) })
                .isEmpty, model.operations.subscriptionLevel == .on, !model.operations.subscriptions.isEmpty
        {
            addOwnerFields(["owner"], to: model.name)
        }
    }

    // MARK: - Subscriptions

    /// The arguments by which subscribers name an owner, and whether they must; none where a rule opens the events to
    /// every signed-in user.
    static func ownerArguments(of readers: [AuthorizationRule]) -> [InputValueDefinition] {
        let isLifted = readers.contains {
            ($0.allow == .private || $0.allow == .public) && $0.provider == .userPools
        }
        guard !isLifted else { return [] }
        var owners: [String] = []
        for owner in readers.compactMap(\.ownerField) where !owners.contains(owner) { owners.append(owner) }
        let ownerRuleCount = readers.count { $0.ownerField != nil }
        let hasOthers = readers.contains { rule in
            switch rule.allow {
            case .groups, .private, .public: true
            case .owner, .groupsField, .custom: false
            }
        }
        let type: TypeNode = ownerRuleCount == 1 && !hasOthers ? .nonNull(.named("String")) : .named("String")
        return owners.map { InputValueDefinition(name: $0, type: type) }
    }

    private mutating func addOwnerArguments(of readers: [AuthorizationRule], to model: ModelDraft) {
        let arguments = Self.ownerArguments(of: readers)
        guard !arguments.isEmpty else { return }
        // Only the fields that follow mutations of the usual kinds: their names are the author's matter.
        for subscription in model.operations.subscriptions {
            updateObject(declared.subscriptionName) { type in
                guard let position = type.fields.firstIndex(where: { $0.name == subscription.field }) else { return }
                let taken = type.fields[position].arguments.map(\.name)
                type.fields[position].arguments += arguments.filter { !taken.contains($0.name) }
            }
        }
    }

    /// Conditions of mutations cannot ask for what the rules look at.
    private mutating func removeConditions(of rules: [AuthorizationRule], from model: ModelDraft) {
        let removed = Set(rules.compactMap(\.ownerField) + rules.compactMap(\.groupsField))
            // As in the original: the default of `groupsField`, which a rule of static groups has without using it.
            .union(rules.contains { if case .groups = $0.allow { true } else { false } } ? ["groups"] : [])
        updateInput(conditionInputName(model.name)) { $0.fields.removeAll { removed.contains($0.name) } }
    }

    // MARK: - Rules of a field

    private mutating func applyFieldRules(
        _ rules: [AuthorizationRule], on field: String, of model: ModelDraft, _ modes: ModeDirectives
    ) {
        addMissingOwnerFields(of: rules, to: model)
        let ofType = model.declaration.rules
        addDirectives(
            modes.directives(for: rules.providers, addsDefault: ofType.isEmpty || modes.hasDefault(ofType)),
            toType: model.name)
        func addsDefault(_ operation: AuthorizationRule.Operation) -> Bool {
            modes.hasDefault(ofType.filter { $0.operations.contains(operation) })
        }
        func providers(_ operation: AuthorizationRule.Operation) -> Set<AuthorizationRule.Provider> {
            rules.filter { $0.operations.contains(operation) }.providers
        }
        let operations = model.operations
        let read = modes.directives(for: providers(.get), addsDefault: false)
        if !read.isEmpty {
            addDirectives(read, toField: field, of: model.name)
            for case (let name?, let operation) in [
                (operations.get, AuthorizationRule.Operation.get), (operations.list, .list),
            ] {
                addDirectives(
                    modes.directives(for: providers(.get), addsDefault: addsDefault(operation)), toOperation: name,
                    of: declared.queryName)
            }
        }
        if let create = operations.create {
            let directives = modes.directives(for: providers(.create), addsDefault: false)
            addDirectives(directives, toField: field, of: model.name)
            addDirectives(directives, toOperation: create, of: declared.mutationName)
        }
        for case (let name?, let operation) in [
            (operations.update, AuthorizationRule.Operation.update), (operations.delete, .delete),
        ] {
            addDirectives(
                modes.directives(for: providers(operation), addsDefault: false), toField: name,
                of: declared.mutationName)
        }
    }
}
