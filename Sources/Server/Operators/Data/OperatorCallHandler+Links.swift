import API
import JSON
import Tables
import Transformer

extension OperatorCallHandler {
    /// Items as the operators' API has them, with the titles of the items that they belong to.
    func describe(
        _ items: [StoredItems.Item], _ source: DataSource, _ servedAPI: ServedAPI, _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) -> [JSONValue] {
        var objects = items.map { source.json($0) }
        for index in objects.indices { objects[index]["links"] = [:] }
        for (field, related) in source.relatedItems {
            let target = servedAPI.dataSources.all[related.model]
            let positions = related.columns.compactMap(source.position(ofColumn:))
            guard related.access == .item, positions.count == related.columns.count else { continue }
            let keys = items.map { item in positions.map { item.values[$0] } }
            let named = Array(Set(keys.filter { !$0.contains(.null) }))
            let found = try Self.items(named, target, graphQL)
            let titles = Dictionary(uniqueKeysWithValues: zip(named, found.map { $0.flatMap(target.title) }))
            for (index, key) in keys.enumerated() {
                var links = objects[index]["links"]?.objectValue ?? [:]
                links[field] =
                    key.contains(.null)
                    ? .null
                    : [
                        "key": .array(key.map { .string($0.keyPart) }),
                        "title": titles[key].flatMap(\.self).map(JSONValue.string) ?? .null,
                    ]
                objects[index]["links"] = .object(links)
            }
        }
        return objects.map(JSONValue.object)
    }

    // MARK: - Filters

    /// A filter as a condition on stored items. A member that names a relationship field to one item has a filter of the related
    /// model, one level deep.
    func condition(
        of filter: JSONValue, _ source: DataSource, _ servedAPI: ServedAPI, isNested: Bool = false
    ) throws(OperatorProblem) -> Condition? {
        guard let members = filter.objectValue else { throw .invalid("'filter' is a JSON object.", field: "filter") }
        var own = JSONObject()
        var parts: [Condition] = []
        for (name, value) in members {
            if let related = source.relatedItems[name] {
                guard !isNested, let graphQL else {
                    throw .invalid("Related fields are filtered one level deep.", field: "filter")
                }
                parts.append(try condition(ofRelated: related, value, source, servedAPI, graphQL))
            } else if ["and", "or"].contains(name), let elements = value.arrayValue {
                let inner = try elements.map { element throws(OperatorProblem) in
                    try condition(of: element, source, servedAPI, isNested: isNested) ?? .and([])
                }
                parts.append(name == "and" ? .and(inner) : .or(inner))
            } else if name == "not", value.objectValue != nil {
                parts.append(.not(try condition(of: value, source, servedAPI, isNested: isNested) ?? .and([])))
            } else {
                own[name] = value
            }
        }
        if !own.isEmpty {
            do throws(FilterError) {
                if let condition = try servedAPI.api.condition(ofFilter: .object(own), model: source.place).get() {
                    parts.insert(condition, at: 0)
                }
            } catch { throw .invalid(error.message, field: "filter") }
        }
        return parts.count > 1 ? .and(parts) : parts.first
    }

    /// The condition that the related item meets a filter: its key is one of those that are found now.
    private func condition(
        ofRelated related: RelatedItem, _ filter: JSONValue, _ source: DataSource, _ servedAPI: ServedAPI,
        _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) -> Condition {
        let target = servedAPI.dataSources.all[related.model]
        let positions = related.columns.compactMap(source.position(ofColumn:))
        guard related.access == .item, positions.count == related.columns.count else {
            throw .invalid("This field cannot be filtered.", field: "filter")
        }
        let condition = try condition(of: filter, target, servedAPI, isNested: true)
        guard
            let query = StoredItemQuery(
                target.stored, filter: condition, order: nil, isDescending: false, includesDeleted: false,
                presentColumns: target.presentColumns)
        else { throw .invalid("This field cannot be filtered.", field: "filter") }
        let limit = positions.count == 1 ? BulkLimits.relatedMax : BulkLimits.relatedCompositeMax
        let found = try graphQL.read { items throws(StoreError) in try await items.all(query, upTo: limit) }
        func tooMany(_ limit: Int) -> OperatorProblem {
            OperatorProblem(
                code: .tooLarge, message: "More than \(limit) items of \(target.model.name) meet the filter.",
                hint: "Filter by more of its fields.", field: "filter")
        }
        guard let found else { throw tooMany(limit) }
        let keys = found.map { item in target.table.key.columns.map { item.values[$0] } }
        if positions.count == 1 {
            let texts = keys.compactMap { key in if case .text(let text) = key[0] { text } else { nil } }
            if texts.count == keys.count { return .isAny(column: positions[0], TextSet(texts: texts)) }
        }
        guard keys.count <= BulkLimits.relatedCompositeMax else { throw tooMany(BulkLimits.relatedCompositeMax) }
        return .or(keys.map { key in .and(zip(positions, key).map { .compare(column: $0, .eq, $1) }) })
    }

    // MARK: - Linked items

    /// The related items of a relationship field. Those of a join model are replaced by the items on its other side.
    func links(
        of source: DataSource, _ key: [String], _ field: String, _ window: DataCall.Window, _ servedAPI: ServedAPI,
        _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) -> OperatorAnswer {
        guard let values = source.key(key), let item = try Self.items([values], source, graphQL)[0] else {
            throw .unknownItem(source.model.name)
        }
        let target: DataSource
        let condition: Condition
        if let related = source.relatedItems[field] {
            target = servedAPI.dataSources.all[related.model]
            let columns: [Int] =
                switch related.access {
                case .index(let place): target.table.indexes[place].key.columns
                default: target.table.key.columns
                }
            condition = Self.equal(columns, related.columns, item, source)
        } else if let list = source.relatedLists[field] {
            target = servedAPI.dataSources.all[list.model]
            let columns: [Int] =
                switch list.access {
                case .index(let place): target.table.indexes[place].key.columns
                default: target.table.key.columns
                }
            var parents: [String] = []
            if case .parent(let column) = list.partitionKey { parents.append(column) }
            if case .parent(let names) = list.sortKey { parents += names }
            condition = Self.equal(columns, parents, item, source)
        } else {
            throw OperatorProblem(code: .notFound, message: "\(source.model.name).\(field) is not a relationship.")
        }
        let position = try window.start.position
        // By the index of the relation, as the API lists them.
        guard
            let query = StoredItemQuery(
                target.stored, filter: condition, order: nil, isDescending: window.isDescending, includesDeleted: false,
                presentColumns: Set(target.table.columns.indices))
        else { throw .unknownPath }
        let (page, count) = try graphQL.read { items throws(StoreError) in
            (
                try await items.page(query, after: position, limit: window.limit),
                try await items.count(query, upTo: DataCall.countMax)
            )
        }
        let (shown, items) = try across(page.items, target, from: source, servedAPI, graphQL)
        return OperatorAnswer(
            body: .object([
                "items": .array(items), "next": page.next.map { .string($0.cursor()) } ?? .null,
                "count": DataSource.json(count), "target": .string(shown.model.name),
            ]))
    }

    /// That columns of the target have the values of the parent's columns; nothing is found if one of those is absent.
    private static func equal(
        _ columns: [Int], _ parents: [String], _ item: StoredItems.Item, _ source: DataSource
    ) -> Condition {
        let values = parents.map { source.position(ofColumn: $0).map { item.values[$0] } ?? .null }
        guard !values.isEmpty, !values.contains(.null) else { return .or([]) }
        return .and(zip(columns, values).map { .compare(column: $0, .eq, $1) })
    }

    private func across(
        _ items: [StoredItems.Item], _ target: DataSource, from source: DataSource, _ servedAPI: ServedAPI,
        _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) -> (DataSource, [JSONValue]) {
        let others = target.relatedItems.filter { $0.value.model != source.place }
        guard target.isJoin, let other = others.first ?? target.relatedItems.first else {
            return (target, try describe(items, target, servedAPI, graphQL))
        }
        let shown = servedAPI.dataSources.all[other.value.model]
        let positions = other.value.columns.compactMap(target.position(ofColumn:))
        let found = try Self.items(items.map { item in positions.map { item.values[$0] } }, shown, graphQL)
        let described = try describe(found.compactMap(\.self), shown, servedAPI, graphQL)
        let joins = zip(items, found).filter { $0.1 != nil }.map(\.0)
        let list = zip(described, joins).map { object, join -> JSONValue in
            var object = object.objectValue ?? [:]
            let key = target.table.key.columns.map { JSONValue.string(join.values[$0].keyPart) }
            object["join"] = ["model": .string(target.model.name), "key": .array(key)]
            return .object(object)
        }
        return (shown, list)
    }
}
