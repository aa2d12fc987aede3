import GraphQL
import JSON
import Tables
import Transformer

/// What was written, and what the API must answer of it: the plainest execution there is, by looking at every item.
struct ReferenceItems {
    typealias Item = [String: JSONValue]

    let definition: APIDefinition
    /// Per model its items, oldest first. A field that was not given is absent or null.
    var items: [[Item]]

    init(_ definition: APIDefinition) {
        self.definition = definition
        items = Array(repeating: [], count: definition.models.count)
    }

    private var schema: Schema { definition.schema }

    func key(of item: Item, model: Int) -> [JSONValue] {
        definition.models[model].primaryKey.map { item[$0] ?? .null }
    }

    func position(of key: [JSONValue], model: Int) -> Int? {
        items[model].firstIndex { self.key(of: $0, model: model) == key }
    }

    // MARK: - Selections

    /// All leaves of a type, and what is reached in so many steps.
    func selection(of type: TypeID, depth: Int) -> String {
        fields(of: type, depth: depth).map { field in
            let named = field.type.namedType
            if schema[named].isLeaf { return field.name }
            if let element = pageElement(of: field, in: type) {
                return "\(field.name)(limit: 50) { items { \(selection(of: element, depth: depth - 1)) } }"
            }
            return "\(field.name) { \(selection(of: named, depth: depth - 1)) }"
        }.joined(separator: " ")
    }

    private func fields(of type: TypeID, depth: Int) -> [FieldType] {
        (schema[type].fields?.fields ?? []).filter { depth > 0 || schema[$0.type.namedType].isLeaf }
    }

    /// The type of the items on the page that a relation to many answers.
    private func pageElement(of field: FieldType, in type: TypeID) -> TypeID? {
        guard case .query? = definition.resolver(type: schema[type].name, field: field.name) else { return nil }
        return itemsField(of: field.type.namedType)?.type.namedType
    }

    private func itemsField(of page: TypeID) -> FieldType? {
        schema[page].fields?.fields.first { $0.name == "items" }
    }

    // MARK: - Answers

    /// The answer to `selection(of:depth:)`; nil where a null stands that must not, which makes its parent null.
    func answer(_ item: Item, of type: TypeID, depth: Int) -> JSONValue? {
        var members: [(String, JSONValue)] = []
        for field in fields(of: type, depth: depth) {
            guard let value = answer(field, of: item, in: type, depth: depth) else { return nil }
            members.append((field.name, value))
        }
        return .object(JSONObject(members))
    }

    private func answer(_ field: FieldType, of item: Item, in type: TypeID, depth: Int) -> JSONValue? {
        let name = schema[type].name
        switch definition.resolver(type: name, field: field.name) {
        case .related(let relation):
            let found = related(by: relation, of: item).first
            return orNull(field.type, found.flatMap { answer($0, of: field.type.namedType, depth: depth - 1) })
        case .query(let relation):
            return orNull(field.type, page(related(by: relation, of: item), field.type.namedType, depth: depth))
        default:
            return complete(field.type, item[field.name] ?? .null, depth: depth)
        }
    }

    private func page(_ found: [Item], _ page: TypeID, depth: Int) -> JSONValue? {
        guard let list = itemsField(of: page)?.type, let element = list.element else { return nil }
        var values: [JSONValue] = []
        for item in found {
            guard let value = orNull(element, answer(item, of: element.namedType, depth: depth - 1)) else {
                return orNull(list, nil).map { ["items": $0] }
            }
            values.append(value)
        }
        return ["items": .array(values)]
    }

    /// A value as a type answers it. GraphQL spec §6.4.3 Value Completion.
    private func complete(_ type: GraphQLType, _ value: JSONValue, depth: Int) -> JSONValue? {
        if value.isNull { return orNull(type, nil) }
        guard let element = type.element else {
            guard let members = value.objectValue, !schema[type.namedType].isLeaf else { return value }
            let item = Item(members.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
            return orNull(type, answer(item, of: type.namedType, depth: depth - 1))
        }
        var values: [JSONValue] = []
        for value in value.arrayValue ?? [] {
            guard let value = complete(element, value, depth: depth) else { return orNull(type, nil) }
            values.append(value)
        }
        return .array(values)
    }

    private func orNull(_ type: GraphQLType, _ value: JSONValue?) -> JSONValue? {
        // A bare nil would be the JSON value null.
        value ?? (type.isNonNull ? JSONValue?.none : .null)
    }

    // MARK: - Relations

    func related(by relation: RelatedItem, of item: Item) -> [Item] {
        matching(relation.columns, relation.access, model: relation.model, of: item)
    }

    func related(by relation: QueryItems, of item: Item) -> [Item] {
        guard let columns = relation.parentColumns else { return [] }
        return matching(columns, relation.access, model: relation.model, of: item)
    }

    /// The items whose key has the values of the parent's columns. What lacks a part of the key is not found by it.
    private func matching(_ columns: [String], _ access: Access, model: Int, of item: Item) -> [Item] {
        let key = definition.fields(of: access, model: model)
        let wanted = columns.map { item[$0] ?? .null }
        guard !wanted.contains(.null) else { return [] }
        return items[model].filter { candidate in
            let values = key.map { candidate[$0] ?? .null }
            return !values.contains(.null) && Array(values.prefix(wanted.count)) == wanted
        }
    }
}

extension QueryItems {
    /// The columns of the parent that the beginning of the key is equal to; nil of a field that is no relation.
    var parentColumns: [String]? {
        guard case .parent(let column) = partitionKey else { return nil }
        if case .parent(let columns) = sortKey { return [column] + columns }
        return [column]
    }
}

extension APIDefinition {
    /// The fields of the key that an access reads by.
    func fields(of access: Access, model: Int) -> [String] {
        let table = tables[models[model].table]
        let key = if case .index(let index) = access { table.indexes[index].key } else { table.key }
        return key.columns.map { table.columns[$0].field }
    }
}
