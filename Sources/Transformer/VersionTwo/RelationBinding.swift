import GraphQL
import Tables

// The resolvers of relations, made once all columns are known.

extension TransformContext {
    mutating func bindRelations() {
        for plan in relationPlans {
            switch plan {
            case .page(let relation, let columns, let access, let hasSortArgument):
                bindPage(relation, by: columns, access: access, hasSortArgument: hasSortArgument)
            case .item(let relation, let columns): bindItem(relation, by: columns)
            case .itemOfIndex(let relation, let columns, let access):
                resolvers[relation.fieldName] = .related(
                    RelatedItem(model: relation.relatedModel, columns: columns, access: access))
            }
        }
    }

    /// Makes the resolver, if the columns are there and are the whole primary key of the related model.
    private mutating func bindItem(_ relation: Relation, by columns: [String]) {
        let key = models[relation.relatedModel].primaryKey
        let parent = models[relation.parentModel]
        if let missing = columns.first(where: { !isStored($0, in: parent) }) {
            diagnostics.warn(
                "\(relation.fieldName.text) is always null: \(relation.parent.name) has no field \(missing) to find "
                    + "its item by.", at: relation.place,
                hint: "Name the fields that hold the key: @\(relation.kind.rawValue)(fields: …).")
        } else if columns.count != key.count {
            diagnostics.warn(
                "\(relation.fieldName.text) is always null: the primary key of \(relation.related.name) is "
                    + "\(key.joined(separator: ", ")), and the relation gives only its first part.", at: relation.place,
                hint: "Name a field for each part of the key: @\(relation.kind.rawValue)(fields: …).")
        } else {
            resolvers[relation.fieldName] = .related(RelatedItem(model: relation.relatedModel, columns: columns))
        }
    }

    /// Whether a field is among the columns of a model. Most are declared, so that the columns need not be made for them.
    private func isStored(_ field: String, in model: ModelDraft) -> Bool {
        if let declared = model.declared.field(named: field), columnType(of: declared.type, in: model) != nil {
            return true
        }
        return columns(of: model).contains { $0.field == field }
    }

    private mutating func bindPage(
        _ relation: Relation, by columns: [String], access: Access, hasSortArgument: Bool
    ) {
        let model = models[relation.relatedModel]
        let sortFields =
            if case .index(let index) = access { model.indexes[index].sortKeys } else {
                Array(model.primaryKey.dropFirst())
            }
        let sortKey: QueryItems.SortKey
        if columns.count > 1, columns.count == sortFields.count + 1 {
            sortKey = .parent(Array(columns.dropFirst()))
        } else if hasSortArgument, let name = sortArgumentName(of: sortFields) {
            sortKey = .argument(name: name, fields: sortFields)
        } else {
            sortKey = .none
        }
        if hasSortArgument, case .argument = sortKey {
        } else if hasSortArgument {
            diagnostics.warn(
                "The sort argument of \(relation.fieldName.text) has no effect: the items are found by a key that is "
                    + "not sorted by it.", at: relation.place,
                hint: "Name an index in `indexName` and a field in `fields`.")
        }
        resolvers[relation.fieldName] = .query(
            QueryItems(
                model: relation.relatedModel, access: access, partitionKey: .parent(columns[0]), sortKey: sortKey,
                indexSortFields: sortFields, limit: relation.limit, kind: .connection))
    }
}
