import API
import Encodings
import GraphQL
import JSON
import Tables
import Transformer

/// A model as operators see its items: what they are called, how stored values are JSON, and the mutations that write them.
struct DataSource: Sendable {
    let place: Int
    let model: Model
    let stored: StoredTable
    /// The positions of the columns of AppSync's metadata; empty for a model without versions.
    let metadataPositions: [Int]
    /// The mutations of one item by their resolvers; those that the API does not have are missing.
    let mutations: [Resolver: DataMutation]
    let fields: DataSourceFields
    /// As `GET /data` lists it, except that `count` is null.
    private let uncounted: JSONObject

    var table: Table { stored.table }

    /// - Parameter mutationFields: The fields of `Mutation`, by their resolvers.
    init(_ place: Int, _ definition: APIDefinition, _ stored: StoredTable, _ mutationFields: [Resolver: FieldType]) {
        (self.place, self.stored) = (place, stored)
        metadataPositions =
            stored.table.metadata.map { [$0.version, $0.deleted, $0.lastChangedAt, $0.ttl] } ?? []
        let (model, schema) = (definition.models[place], definition.schema)
        self.model = model
        let description = DataSourceDescription(model: model, definition: definition, table: stored.table)
        uncounted = description.json
        fields = DataSourceFields(model, definition, stored.table, title: description.title)
        let selection = DataMutation.selection(of: model, stored.table, definition)
        var mutations: [Resolver: DataMutation] = [:]
        for resolver in [Resolver.createItem(model: place), .updateItem(model: place), .deleteItem(model: place)] {
            mutations[resolver] = mutationFields[resolver].map { DataMutation($0, selecting: selection, schema) }
        }
        self.mutations = mutations
    }

    /// As `GET /data` lists it.
    func description(count: (count: Int, isExact: Bool)) -> JSONValue {
        var object = uncounted
        object["count"] = Self.json(count)
        return .object(object)
    }

    static func json(_ count: (count: Int, isExact: Bool)) -> JSONValue {
        ["value": .number(String(count.count)), "exact": .bool(count.isExact)]
    }

    // MARK: - Items

    /// An item as the operators' API has it: what is stored, and what it lacks.
    func json(_ item: StoredItems.Item) -> JSONObject {
        var (values, absent): (JSONObject, [JSONValue]) = ([:], [])
        for (position, column) in table.columns.enumerated() where !metadataPositions.contains(position) {
            if item.values[position] == .null {
                absent.append(.string(column.field))
            } else {
                values[column.field] = json(item.values[position], column.type)
            }
        }
        var object: JSONObject = [
            "key": .array(table.key.columns.map { .string(item.values[$0].keyPart) }), "values": .object(values),
            "absent": .array(absent),
        ]
        if let metadata = table.metadata {
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
    func json(_ value: Value, _ type: ColumnType) -> JSONValue {
        switch (value, type) {
        case (.null, _): .null
        case (.integer(let number), .boolean): .bool(number != 0)
        case (.integer(let number), _): .number(String(number))
        case (.real(let number), _): (try? JSONReader.read(Array("\(number)".utf8))) ?? .null
        case (.text(let text), .json): (try? JSONReader.read(text)) ?? .string(text)
        case (.text(let text), _): .string(text)
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
}
