import GraphQL
import JSON
import Tables
import Transformer

/// What `GET /data` returns about a model: its keys and fields.
struct DataSourceDescription {
    let model: Model
    let definition: APIDefinition
    let table: Table

    /// `count` is null.
    var json: JSONObject {
        let declared = definition.declarations.model(named: model.name)
        var keys: [JSONValue] = [key(nil, table.key, isPrimary: true, queryField: nil)]
        for index in table.indexes {
            let queryField = declared?.indexes.first { $0.name == index.name }?.queryField
            keys.append(key(index.name, index.key, isPrimary: false, queryField: queryField))
        }
        let fields = definition.schema.type(named: model.name).flatMap { definition.schema[$0].fields?.fields } ?? []
        return [
            "name": .string(model.name), "kind": .string(declared == nil ? "join" : "model"),
            "table": .string(table.name), "count": .null, "versioned": .bool(table.isVersioned),
            "title": .array(title.map(JSONValue.string)), "keys": .array(keys),
            "fields": .array(fields.compactMap(description)),
        ]
    }

    private func key(_ name: String?, _ key: KeySchema, isPrimary: Bool, queryField: String?) -> JSONValue {
        var object: JSONObject = [
            "name": name.map(JSONValue.string) ?? .null, "primary": .bool(isPrimary),
            "partition": .string(table.columns[key.partitionKey].field),
            "sort": .array(key.sortKeys.map { .string(table.columns[$0].field) }),
        ]
        object["queryField"] = queryField.map(JSONValue.string)
        return .object(object)
    }

    /// The fields that a person recognizes an item by.
    var title: [String] {
        let names = ["name", "title", "label", "username", "description", "email"]
        return names.first { table.position(of: $0) != nil }.map { [$0] } ?? model.primaryKey
    }

    private func description(_ field: FieldType) -> JSONValue? {
        let type = definition.schema[field.type.namedType]
        var object: JSONObject = [
            "name": .string(field.name), "type": .string(type.name), "required": .bool(field.type.isNonNull),
            "list": .bool(field.type.element != nil),
        ]
        switch definition.resolver(type: model.name, field: field.name) {
        case .related(let related)?:
            object["kind"] = "belongsTo"
            object["target"] = .string(definition.models[related.model].name)
            object["keys"] = .array(related.columns.map(JSONValue.string))
            return .object(object)
        case .query(let query)?:
            object["kind"] = "hasMany"
            object["target"] = .string(definition.models[query.model].name)
            let (index, keys) = key(of: query)
            object["index"] = index.map(JSONValue.string) ?? .null
            object["keys"] = .array(keys.map(JSONValue.string))
            return .object(object)
        case .pipeline?: object["kind"] = "function"
        default:
            guard table.position(of: field.name) != nil else { return nil }
            switch type.kind {
            case .enumeration(let values):
                object["kind"] = "enum"
                object["values"] = .array(values.map { .string($0.name) })
            case .scalar: object["kind"] = "scalar"
            default: object["kind"] = "custom"
            }
        }
        object["readOnly"] = .bool(isReadOnly(field.name))
        return .object(object)
    }

    /// The index of the target by which a relation finds its items, nil for the primary key, and the fields of the target that
    /// have the key of the parent.
    private func key(of query: QueryItems) -> (index: String?, fields: [String]) {
        let target = definition.tables[definition.models[query.model].table]
        var (index, key): (String?, KeySchema) = (nil, target.key)
        if case .index(let place) = query.access {
            (index, key) = (target.indexes[place].name, target.indexes[place].key)
        }
        var count = 0
        if case .parent = query.partitionKey { count += 1 }
        if case .parent(let columns) = query.sortKey { count += columns.count }
        return (index, key.columns.prefix(count).map { target.columns[$0].field })
    }

    /// Whether only the server writes it.
    private func isReadOnly(_ field: String) -> Bool {
        ["_version", "_deleted", "_lastChangedAt", "_ttl"].contains(field) || field == model.updatedAt
            || field == model.createdAt
    }
}
