import GraphQL
import Tables

// The resolvers of root fields, made once all keys are known.

extension TransformContext {
    /// The queries and mutations of a model, and the queries of its indexes
    /// (reference: transformer, "Generated fields") (reference: transformer, "Generated fields of keys").
    mutating func resolveOperations(of index: Int) {
        let model = models[index]
        let operations = model.operations
        let query = declared.queryName, mutation = declared.mutationName
        if let get = operations.get {
            resolvers[FieldName(type: query, field: get)] = .getItem(
                GetItem(model: index, arguments: model.primaryKey))
        }
        if let list = operations.list {
            // Without a @key the list has no key argument and is always a scan.
            let sortKeys = Array(model.primaryKey.dropFirst())
            resolvers[FieldName(type: query, field: list)] = .query(
                model.hasPrimaryKey
                    ? QueryItems(
                        model: index, access: .primaryKey,
                        partitionKey: .argument(model.primaryKey[0], isRequired: false),
                        sortKey: sortArgument(of: sortKeys), indexSortFields: sortKeys, kind: .list)
                    : QueryItems(model: index, access: .scan, partitionKey: .none, kind: .list))
        }
        if let sync = operations.sync {
            resolvers[FieldName(type: query, field: sync)] = .sync(model: index)
        }
        if let create = operations.create {
            resolvers[FieldName(type: mutation, field: create)] = .createItem(model: index)
        }
        if let update = operations.update {
            resolvers[FieldName(type: mutation, field: update)] = .updateItem(model: index)
        }
        if let delete = operations.delete {
            resolvers[FieldName(type: mutation, field: delete)] = .deleteItem(model: index)
        }
        for (position, key) in model.indexes.enumerated() {
            guard let queryField = key.queryField else { continue }
            resolvers[FieldName(type: query, field: queryField)] = .query(
                QueryItems(
                    model: index, access: .index(position),
                    partitionKey: .argument(key.partitionKey, isRequired: true),
                    sortKey: sortArgument(of: key.sortKeys), indexSortFields: key.sortKeys, kind: .queryField))
        }
    }

    private func sortArgument(of sortKeys: [String]) -> QueryItems.SortKey {
        sortArgumentName(of: sortKeys).map { .argument(name: $0, fields: sortKeys) } ?? .none
    }

    /// Closes what no rule of version 2 grants: the operations of a model, and the fields that lead to its items
    /// where no way of reading them is granted.
    mutating func closeFields() {
        for (index, model) in models.enumerated() {
            guard let granted = grants[model.name] else { continue }
            let operations = model.operations
            var queries = [
                (operations.get, AuthorizationRule.Operation.get), (operations.list, .list), (operations.sync, .sync),
            ]
            queries += model.indexes.map { ($0.queryField, .list) }
            for case (let field?, let operation) in queries where !granted.contains(operation) {
                closedFields.insert(FieldName(type: declared.queryName, field: field))
            }
            let mutations: [(String?, AuthorizationRule.Operation)] = [
                (operations.create, .create), (operations.update, .update), (operations.delete, .delete),
            ]
            for case (let field?, let operation) in mutations where !granted.contains(operation) {
                closedFields.insert(FieldName(type: declared.mutationName, field: field))
            }
            // Subscriptions of level `public` are open to everyone, whatever the rules.
            if !granted.contains(.listen), operations.subscriptionLevel != .public {
                closedFields.formUnion(
                    operations.subscriptions.map { FieldName(type: declared.subscriptionName, field: $0.field) })
            }
            if granted.isDisjoint(with: AuthorizationRule.Operation.read) { closeRelations(to: index) }
        }
    }

    private mutating func closeRelations(to model: Int) {
        for (field, resolver) in resolvers {
            switch resolver {
            case .related(let related) where related.model == model: closedFields.insert(field)
            case .query(let query) where query.kind == .connection && query.model == model: closedFields.insert(field)
            default: break
            }
        }
    }

    /// Warns of the fields that are always null, as in AppSync: root fields without a
    /// resolver, and fields of models that no input can fill.
    mutating func warnOfUnansweredFields() {
        for root in [declared.queryName, declared.mutationName, declared.subscriptionName] {
            for field in declared.object(named: root)?.fields ?? []
            where resolvers[FieldName(type: root, field: field.name)] == nil {
                let problem =
                    root == declared.subscriptionName
                    ? "has no @aws_subscribe: it never has an event." : "has no resolver: it is always null."
                diagnostics.warn("\(root).\(field.name) \(problem)", at: field.place)
            }
        }
        for model in models {
            for (field, declaration) in zip(model.declared.fields, model.declaration.fields)
            where columnType(of: field.type, in: model) == nil && declaration.relations.isEmpty
                && declaration.functions.isEmpty
            {
                let isModel = declared.object(named: field.type.namedType)?.isModel ?? false
                diagnostics.warn(
                    "\(model.name).\(field.name) is always null: its type \(field.type.namedType) is not stored.",
                    at: field.place, hint: isModel ? relationHint(for: field) : nil)
            }
        }
    }

    private func relationHint(for field: FieldDefinition) -> String {
        "Add \(field.type.isList ? conventions.listRelation : conventions.singleRelation) to the field."
    }
}
