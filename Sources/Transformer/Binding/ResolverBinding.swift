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
