import API
import Encodings
import GraphQL
import JSON
import Tables
import Transformer

/// A model as operators see its items: what they are called, and how stored values are JSON.
struct DataSource: Sendable {
    let place: Int
    let model: Model
    let definition: APIDefinition
    let stored: StoredTable

    var table: Table { stored.table }

    /// - Returns: Nil where the API has no such model.
    init?(_ name: String, _ servedAPI: ServedAPI) {
        guard let place = servedAPI.definition.model(named: name) else { return nil }
        self.init(place, servedAPI)
    }

    init(_ place: Int, _ servedAPI: ServedAPI) {
        self.place = place
        definition = servedAPI.definition
        model = definition.models[place]
        stored = servedAPI.api.storedTable(ofModel: place)
    }

    private var fields: [FieldType] {
        definition.schema.type(named: model.name).flatMap { definition.schema[$0].fields?.fields } ?? []
    }

    // MARK: - Description

    func description(count: (count: Int, isExact: Bool)) -> JSONValue {
        let declared = definition.declarations.model(named: model.name)
        var keys: [JSONValue] = [key(nil, table.key, isPrimary: true, queryField: nil)]
        for index in table.indexes {
            let queryField = declared?.indexes.first { $0.name == index.name }?.queryField
            keys.append(key(index.name, index.key, isPrimary: false, queryField: queryField))
        }
        return .object([
            "name": .string(model.name), "kind": .string(declared == nil ? "join" : "model"),
            "table": .string(table.name), "count": Self.json(count), "versioned": .bool(table.isVersioned),
            "title": .array(title.map(JSONValue.string)), "keys": .array(keys),
            "fields": .array(fields.compactMap(description)),
        ])
    }

    static func json(_ count: (count: Int, isExact: Bool)) -> JSONValue {
        ["value": .number(String(count.count)), "exact": .bool(count.isExact)]
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

    /// The fields that name an item to people.
    private var title: [String] {
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

    /// Whether the server alone writes it.
    private func isReadOnly(_ field: String) -> Bool {
        ["_version", "_deleted", "_lastChangedAt", "_ttl"].contains(field) || field == model.updatedAt
            || field == model.createdAt
    }

    // MARK: - Items

    /// An item as the operators' API has it: what is stored, and what it lacks.
    func json(_ item: StoredItems.Item) -> JSONObject {
        var (values, absent): (JSONObject, [JSONValue]) = ([:], [])
        let metadata = table.metadata
        let ofServer = metadata.map { [$0.version, $0.deleted, $0.lastChangedAt, $0.ttl] } ?? []
        for (position, column) in table.columns.enumerated() where !ofServer.contains(position) {
            if item.values[position] == .null {
                absent.append(.string(column.field))
            } else {
                values[column.field] = json(item.values[position], column.type)
            }
        }
        var object: JSONObject = [
            "key": .array(table.key.columns.map { .string(text(item.values[$0])) }), "values": .object(values),
            "absent": .array(absent),
        ]
        if let metadata {
            object["version"] = .number(String(item.values[metadata.version].asInteger))
            object["deleted"] = .bool(item.values[metadata.deleted].asInteger == 1)
            let changed = item.values[metadata.lastChangedAt].asInteger
            object["changedAt"] = .string(Moment(milliseconds: changed).text)
        } else {
            object["deleted"] = false
        }
        return object
    }

    /// A stored value of a column, as JSON.
    private func json(_ value: Value, _ type: ColumnType) -> JSONValue {
        switch (value, type) {
        case (.null, _): .null
        case (.integer(let number), .boolean): .bool(number != 0)
        case (.integer(let number), _): .number(String(number))
        case (.real(let number), _): (try? JSONReader.read(Array("\(number)".utf8))) ?? .null
        case (.text(let text), .json): (try? JSONReader.read(text)) ?? .string(text)
        case (.text(let text), _): .string(text)
        }
    }

    private func text(_ value: Value) -> String {
        switch value {
        case .null: ""
        case .integer(let number): String(number)
        case .real(let number): "\(number)"
        case .text(let text): text
        }
    }

    /// The values of a key, as it is written in a path; nil for what is no key of the table.
    func key(_ texts: [String]) -> [Value]? {
        guard texts.count == table.key.columns.count else { return nil }
        var values: [Value] = []
        for (position, text) in zip(table.key.columns, texts) {
            switch table.columns[position].type {
            case .text, .json: values.append(.text(text))
            case .integer, .boolean:
                guard let number = Int64(text) else { return nil }
                values.append(.integer(number))
            case .real:
                guard let number = Double(text) else { return nil }
                values.append(.real(number))
            }
        }
        return values
    }

    /// The fields of a key, as an input has them.
    func keyInput(_ values: [Value]) -> JSONObject {
        var input: JSONObject = [:]
        for (position, value) in zip(table.key.columns, values) {
            input[table.columns[position].field] = json(value, table.columns[position].type)
        }
        return input
    }

    // MARK: - Mutations

    /// The operation that carries out a write of one item, by the API's own mutation; nil where it has none. It selects every
    /// stored field, because subscribers receive what it selects.
    func mutation(_ resolver: Resolver) -> (document: String, hasCondition: Bool)? {
        let schema = definition.schema
        guard let type = schema.mutationType, let fields = schema[type].fields?.fields,
            let field = fields.first(where: {
                definition.resolver(type: schema[type].name, field: $0.name) == resolver
            })
        else { return nil }
        let arguments = field.arguments.filter { ["input", "condition"].contains($0.name) }
        let variables = arguments.map { "$\($0.name): \(schema.name(of: $0.type))" }.joined(separator: ", ")
        let given = arguments.map { "\($0.name): $\($0.name)" }.joined(separator: ", ")
        let document =
            "mutation Console(\(variables)) { item: \(field.name)(\(given)) \(selection(of: model.name, depth: 0)) }"
        return (document, arguments.contains { $0.name == "condition" })
    }

    /// Levels of nested types that are selected.
    private static let depthMax = 8

    private func selection(of name: String, depth: Int) -> String {
        let schema = definition.schema
        guard depth < Self.depthMax, let id = schema.type(named: name), let fields = schema[id].fields?.fields else {
            return "{ __typename }"
        }
        let names = fields.compactMap { field -> String? in
            guard depth > 0 || table.position(of: field.name) != nil,
                definition.resolver(type: name, field: field.name) == nil
            else { return nil }
            let type = schema[field.type.namedType]
            return type.isLeaf ? field.name : "\(field.name) \(selection(of: type.name, depth: depth + 1))"
        }
        return "{ \((names.isEmpty ? ["__typename"] : names).joined(separator: " ")) }"
    }

    /// The type of the conditions of mutations, if it has the field.
    func conditionHas(_ field: String) -> Bool {
        guard let id = definition.schema.type(named: "Model\(model.name)ConditionInput"),
            case .inputObject(let fields) = definition.schema[id].kind
        else { return false }
        return fields.contains { $0.name == field }
    }
}
