import GraphQL
import Tables

// The resolvers of connections, made once every index has its position: one side of a pair may come before the side that
// makes the index.

extension TransformContext {
    mutating func bindConnections() {
        for connection in connections {
            switch connection {
            case .page(let page): bind(page)
            case .item(let connection, let columns): bind(connection, by: columns)
            }
        }
    }

    /// Makes the resolver of a page.
    private mutating func bind(_ page: ConnectionPage) {
        let connection = page.connection
        let model = models[connection.relatedModel]
        let access: Access
        let sortFields: [String]
        if let name = page.indexName {
            guard let index = model.index(named: name) else {
                diagnostics.warn(
                    "\(connection.fieldName.text) is always null: the other side of its pair makes no index.",
                    at: connection.place, hint: "Give each pair of fields a connection name of its own.")
                return
            }
            access = .index(index)
            sortFields = model.indexes[index].sortKeys
        } else {
            access = .primaryKey
            sortFields = Array(model.primaryKey.dropFirst())
        }
        guard columns(of: models[connection.parentModel]).contains(where: { $0.name == page.partitionColumn }) else {
            diagnostics.warn(
                "\(connection.fieldName.text) is always null: \(connection.parent.name) has no field "
                    + "\(page.partitionColumn) to find its items by.", at: connection.place,
                hint: "Connect by @connection(keyName:, fields:).")
            return
        }
        let sortKey: QueryItems.SortKey
        switch page.sort {
        case .none: sortKey = .none
        case .parent(let columns): sortKey = .parent(columns)
        case .argument(let fields):
            if fields == sortFields, let name = sortArgumentName(of: fields) {
                sortKey = .argument(name: name, fields: fields)
            } else {
                diagnostics.warn(
                    "The argument \(fields.joined(separator: "#")) of \(connection.fieldName.text) has no effect: "
                        + "the items are not kept in its order.", at: connection.place,
                    hint: "Give the same `sortField` on both sides of the connection.")
                sortKey = .none
            }
        }
        resolvers[connection.fieldName] = .query(
            QueryItems(
                model: connection.relatedModel, access: access, partitionKey: .parent(page.partitionColumn),
                sortKey: sortKey, indexSortFields: sortFields, limit: connection.directive.limit, kind: .connection))
    }

    /// Makes the resolver of a connection to one, if the columns are the whole primary key of R.
    private mutating func bind(_ connection: Connection, by columns: [String]) {
        let key = models[connection.relatedModel].primaryKey
        guard columns.count == key.count else {
            diagnostics.warn(
                "\(connection.fieldName.text) is always null: the primary key of \(connection.related.name) is "
                    + "\(key.joined(separator: ", ")), and the connection gives only its first part.",
                at: connection.place, hint: "Connect by @connection(fields:) with a field for each part of the key.")
            return
        }
        resolvers[connection.fieldName] = .related(RelatedItem(model: connection.relatedModel, columns: columns))
    }
}
