public import GraphQL

extension Declarations: CustomStringConvertible {
    /// The declarations as a schema of their version, with every default named. Read again with the same options, they
    /// are the same declarations. Types that have no declarations of their own are left out.
    public var description: String { Printer.print(document) }

    /// The schema that `description` prints.
    public var document: TypeSystemDocument {
        var definitions: [TypeSystemDefinition] = []
        if !rootTypes.isEmpty { definitions.append(.schema(SchemaDefinition(operationTypes: rootTypes))) }
        for model in models { definitions.append(.type(.object(definition(of: model)))) }
        for type in types {
            definitions.append(.type(.object(ObjectTypeDefinition(name: type.name, fields: fields(type.fields)))))
        }
        for enumeration in enumerations {
            let values = enumeration.values.map { EnumValueDefinition(name: $0) }
            definitions.append(.type(.enumeration(EnumTypeDefinition(name: enumeration.name, values: values))))
        }
        return TypeSystemDocument(definitions)
    }

    private func definition(of model: ModelDeclaration) -> ObjectTypeDefinition {
        var directives = [self.model(model)]
        if let versioned = model.versioned {
            directives.append(
                directive(
                    "versioned", ("versionField", .string(versioned.versionField)),
                    ("versionInput", .string(versioned.versionInput))))
        }
        directives += model.storedNames.map { directive($0.directive, ("name", .string($0.name))) }
        directives += model.keys.filter { $0.directive == "key" }.map { key in
            directive(
                "key", ("name", key.name.map(ConstValue.string)), ("fields", .strings(key.fields)),
                ("queryField", key.queryField.map(ConstValue.string)))
        }
        directives += rules(model.rules)
        return ObjectTypeDefinition(
            name: model.name, directives: directives, fields: fields(model.fields, keys: model.keys, isModel: true))
    }

    // MARK: - @model

    /// `@model` names only what differs from its defaults.
    private func model(_ model: ModelDeclaration) -> DirectiveNode {
        let operations = model.operations
        let usual = usualOperations(of: model.name)
        var arguments: [(String, ConstValue?)] = []
        if [operations.get, operations.list, operations.sync] != [usual.get, usual.list, usual.sync] {
            arguments.append(
                (
                    "queries",
                    .operationNames(
                        [("get", operations.get), ("list", operations.list)], in: version,
                        // Null of version 2 leaves out the sync query too, which a map does not name.
                        isNullable: version == .v1 || operations.sync == nil)
                ))
        }
        if [operations.create, operations.update, operations.delete] != [usual.create, usual.update, usual.delete] {
            arguments.append(
                (
                    "mutations",
                    .operationNames(
                        [("create", operations.create), ("update", operations.update), ("delete", operations.delete)],
                        in: version)
                ))
        }
        if operations.subscriptions != usual.subscriptions || operations.subscriptionLevel != usual.subscriptionLevel {
            arguments.append(("subscriptions", subscriptions(operations)))
        }
        if model.timestamps != ModelTimestamps() {
            func name(_ name: String?) -> ConstValue { name.map(ConstValue.string) ?? .null }
            arguments.append(
                (
                    "timestamps",
                    .fields([
                        ("createdAt", name(model.timestamps.createdAt)),
                        ("updatedAt", name(model.timestamps.updatedAt)),
                    ])
                ))
        }
        return directive("model", arguments)
    }

    /// What a bare `@model` generates.
    private func usualOperations(of type: String) -> ModelOperations {
        let declared = DeclaredSchema(TypeSystemDocument())
        let model = DirectiveNode("model")
        return version == .v2
            ? VersionTwoReader(options: options, declared: declared).operations(model, of: type)
            : VersionOneReader(options: options, declared: declared).operations(model, of: type)
    }

    /// A subscription of version 1 may follow no mutation: that of an operation that is not generated.
    private func subscriptions(_ operations: ModelOperations) -> ConstValue {
        guard operations.subscriptionLevel != .off else { return .null }
        var silent = operations.subscriptions.filter(\.mutations.isEmpty).map(\.field)
        var fields: [(String, ConstValue)] = operations.events.map { event, mutation in
            var names: [String] = []
            if let mutation {
                names = operations.subscriptions.filter { $0.mutations.contains(mutation) }.map(\.field)
            } else {
                swap(&names, &silent)
            }
            // An empty list of version 2 leaves the default as it is.
            return (event, names.isEmpty && version == .v2 ? .null : .strings(names))
        }
        fields.append(("level", .enumValue(operations.subscriptionLevel.rawValue)))
        return .fields(fields)
    }

    // MARK: - Fields

    private func fields(
        _ fields: [FieldDeclaration], keys: [KeyDeclaration] = [], isModel: Bool = false
    ) -> [FieldDefinition] {
        fields.map { field in
            var directives = keys.filter { $0.directive != "key" && $0.fields.first == field.name }.map(key)
            directives += [field.relation.map(relation)].compactMap { $0 }
            if let value = field.defaultValue { directives.append(directive("default", ("value", .string(value)))) }
            if let name = field.storedName { directives.append(directive("refersTo", ("name", .string(name.name)))) }
            directives += field.functions.map { function in
                directive(
                    "function", ("name", .string(function.name)), ("region", function.region.map(ConstValue.string)),
                    ("accountId", function.accountId.map(ConstValue.string)))
            }
            directives += rules(field.rules, namesOperations: isModel)
            return FieldDefinition(
                name: field.name,
                arguments: field.arguments.map {
                    InputValueDefinition(name: $0.name, type: $0.type, defaultValue: $0.defaultValue)
                }, type: field.type, directives: directives)
        }
    }

    private func key(_ key: KeyDeclaration) -> DirectiveNode {
        let sortKeys: ConstValue? = key.sortKeys.isEmpty ? nil : .strings(key.sortKeys)
        guard let name = key.name else { return directive("primaryKey", ("sortKeyFields", sortKeys)) }
        return directive(
            "index", ("name", .string(name)), ("sortKeyFields", sortKeys),
            ("queryField", key.queryField.map(ConstValue.string) ?? .null))
    }

    private func relation(_ relation: RelationDeclaration) -> DirectiveNode {
        let isConnection = relation.kind == .connection
        return directive(
            relation.kind.rawValue,
            (relation.kind == .manyToMany ? "relationName" : "name", relation.name.map(ConstValue.string)),
            (isConnection ? "keyName" : "indexName", relation.indexName.map(ConstValue.string)),
            ("fields", relation.fields.map(ConstValue.strings)),
            ("references", relation.references.isEmpty ? nil : .strings(relation.references)),
            ("keyField", relation.keyField.map(ConstValue.string)),
            ("sortField", relation.sortField.map(ConstValue.string)),
            ("limit", relation.limit.map { .int(String($0)) }))
    }

    private func rules(_ rules: [AuthorizationRule], namesOperations: Bool = true) -> [DirectiveNode] {
        guard !rules.isEmpty else { return [] }
        let values = rules.map { $0.constValue(in: version, namesOperations: namesOperations) }
        return [directive("auth", ("rules", .list(values)))]
    }

    // MARK: - Directives

    private func directive(_ name: String, _ arguments: (String, ConstValue?)...) -> DirectiveNode {
        directive(name, arguments)
    }

    private func directive(_ name: String, _ arguments: [(String, ConstValue?)]) -> DirectiveNode {
        DirectiveNode(
            name,
            arguments: arguments.compactMap { name, value in value.map { ConstArgument(name: name, value: $0) } })
    }
}

extension ConstValue {
    fileprivate static func strings(_ values: [String]) -> ConstValue { .list(values.map(ConstValue.string)) }

    fileprivate static func fields(_ fields: [(String, ConstValue)]) -> ConstValue {
        .object(fields.map { ConstObjectField(name: $0, value: $1) })
    }

    /// The names of operations; null where there is none of them. A map of version 1 names what there is, one of
    /// version 2 also what there is not.
    fileprivate static func operationNames(
        _ names: [(String, String?)], in version: TransformOptions.TransformerVersion, isNullable: Bool = true
    ) -> ConstValue {
        guard !isNullable || names.contains(where: { $1 != nil }) else { return .null }
        return .fields(
            names.compactMap { key, name in
                name.map { (key, .string($0)) } ?? (version == .v2 ? (key, .null) : nil)
            })
    }
}
