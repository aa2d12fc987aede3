import API
import Encodings
import JSON
import Tables
import Transformer

extension OperatorCallHandler {
    /// Carries out a call about items. Reads see what is stored; writes are the API's own mutations, with their conditions,
    /// versions and events.
    func run(_ call: DataCall, for caller: Caller) throws(OperatorProblem) -> OperatorAnswer {
        guard let graphQL else { throw .noConsole }
        let servedAPI = try graphQL.servedAPI()
        if case .access(let model, let key, let asked) = call {
            return try access(to: key, of: model, as: asked, servedAPI, graphQL, for: caller)
        }
        guard let (name, target, fields) = call.audited else { return try perform(call, servedAPI, graphQL) }
        let action = AuditLog.Action(name: name, target: target, fields: fields, caller: caller)
        try enter(action)
        do throws(OperatorProblem) { return try perform(call, servedAPI, graphQL) } catch {
            AuditLog(add: addToAudit).enterFailure(of: action)
            throw error
        }
    }

    private func perform(
        _ call: DataCall, _ servedAPI: ServedAPI, _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) -> OperatorAnswer {
        func source(_ name: String) throws(OperatorProblem) -> DataSource {
            try servedAPI.dataSources.source(named: name)
        }
        switch call {
        case .access: preconditionFailure("It is answered before.")
        case .sources: return try describeSources(servedAPI, graphQL)
        case .list(let selection, let window):
            return try list(selection, window, source(selection.model), servedAPI, graphQL)
        case .count(let selection, let isExact):
            let source = try source(selection.model)
            let query = try query(selection, nil, source, servedAPI)
            let count = try graphQL.read { items throws(StoreError) in
                try await items.count(query, upTo: isExact ? .max : DataCall.countMax)
            }
            return OperatorAnswer(body: DataSource.json(count))
        case .get(let name, let key):
            let source = try source(name)
            return OperatorAnswer(body: try describe([try item(key, source, graphQL)], source, servedAPI, graphQL)[0])
        case .create(let name, let values): return try create(values, source(name), servedAPI, graphQL)
        case .update(let name, let key, let set, let unset, let expectation):
            return try update(key, set, unset, expectation, source(name), servedAPI, graphQL)
        case .delete(let name, let key, let expectation):
            return try delete(key, expectation, source(name), graphQL)
        }
    }

    // MARK: - Reads

    private func describeSources(
        _ servedAPI: ServedAPI, _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) -> OperatorAnswer {
        let sources = servedAPI.dataSources.all
        let described = try graphQL.read { items throws(StoreError) in
            var described: [JSONValue] = []
            for source in sources {
                guard
                    let query = StoredItemQuery(
                        source.stored, filter: nil, order: nil, isDescending: false, includesDeleted: false,
                        presentColumns: [])
                else { continue }
                let count = try await items.count(query, upTo: DataCall.countMax)
                described.append(source.description(count: count))
            }
            return described
        }
        return OperatorAnswer(body: .object(["items": .array(described), "next": .null]))
    }

    /// - Parameter known: The filter of the selection as a condition, if it is known.
    func query(
        _ selection: DataCall.Selection, _ window: DataCall.Window?, _ source: DataSource, _ servedAPI: ServedAPI,
        _ known: Condition? = nil
    ) throws(OperatorProblem) -> StoredItemQuery {
        guard selection.includesDeleted != nil || source.table.isVersioned else {
            throw .invalid(
                "\(source.model.name) has no versions, so deleted items are not kept.", field: "deleted")
        }
        var condition = known
        if condition == nil, let filter = selection.filter {
            condition = try self.condition(of: filter, source, servedAPI)
        }
        // The store would refuse it when an export has begun. The condition on deletions is read together with it.
        let excludesDeleted = source.table.metadata != nil && selection.includesDeleted != true
        if let condition, !(excludesDeleted ? Condition.and([condition, .and([])]) : condition).isWithinBounds {
            throw .filterTooLarge
        }
        var order: Int?
        if let name = window?.order {
            guard let position = source.table.position(of: name) else {
                throw .invalid("\(source.model.name) has no field \(name).", field: "order")
            }
            order = position
        }
        guard
            let query = StoredItemQuery(
                source.stored, filter: condition, order: order, isDescending: window?.isDescending ?? false,
                includesDeleted: selection.includesDeleted, presentColumns: source.presentColumns)
        else {
            throw OperatorProblem(
                code: .needsScan, message: "No key of \(source.model.name) has this order for this filter.",
                hint: "Filter by the partition key of a key or index that has this field as its sort key.",
                field: "order")
        }
        return query
    }

    private func list(
        _ selection: DataCall.Selection, _ window: DataCall.Window, _ source: DataSource, _ servedAPI: ServedAPI,
        _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) -> OperatorAnswer {
        let query = try query(selection, window, source, servedAPI)
        let (position, skip) = try window.start
        let start = ContinuousClock.now
        let isFirst = position == nil && skip == 0
        let (page, count) = try graphQL.read { items throws(StoreError) in
            let page = try await items.fullPage(query, after: position, skip: skip, limit: window.limit)
            let isWhole = isFirst && page.next == nil
            return (
                page,
                isWhole ? (page.items.count, true) : try await items.count(query, upTo: DataCall.countMax)
            )
        }
        let duration = start.duration(to: .now).components
        let milliseconds = Double(duration.seconds) * 1_000 + Double(duration.attoseconds / 1_000_000_000_000) / 1_000
        let index = page.isScan ? nil : query.index.map { $0.isEmpty ? "primary" : $0 }
        return OperatorAnswer(
            body: .object([
                "items": .array(try describe(page.items, source, servedAPI, graphQL)),
                "next": page.next.map { .string($0.cursor(skipping: page.skip)) } ?? .null,
                "read": [
                    "index": index.map(JSONValue.string) ?? .null, "items": .number(String(page.readCount)),
                    "milliseconds": .number("\(milliseconds)"),
                    "scan": .bool(index == nil && selection.filter != nil),
                ],
                "count": DataSource.json(count),
            ]))
    }

    func item(
        _ key: [String], _ source: DataSource, _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) -> StoredItems.Item {
        guard let values = source.key(key) else { throw .unknownItem(source.model.name) }
        let table = source.stored
        let found = try graphQL.read { items throws(StoreError) in try await items.item(values, of: table) }
        guard let found else { throw .unknownItem(source.model.name) }
        return found
    }

    // MARK: - Writes

    private func create(
        _ values: JSONObject, _ source: DataSource, _ servedAPI: ServedAPI, _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) -> OperatorAnswer {
        let item = try write(.createItem(model: source.place), values, nil, source, graphQL, key: nil)
        let key = source.model.primaryKey.map { Self.text(item[$0]) }
        let created = try describe([try self.item(key, source, graphQL)], source, servedAPI, graphQL)
        var answer = OperatorAnswer(body: created[0])
        answer.status = 201
        return answer
    }

    private func update(
        _ key: [String], _ set: JSONObject, _ unset: [String], _ expectation: DataCall.Expectation,
        _ source: DataSource, _ servedAPI: ServedAPI, _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) -> OperatorAnswer {
        let current = try item(key, source, graphQL)
        var (input, expected) = try checked(expectation, current, key, source)
        for (name, value) in set {
            guard !source.model.primaryKey.contains(name) else {
                throw .invalid("The key of an item cannot be changed.", field: name)
            }
            input[name] = value
        }
        for name in unset {
            guard source.table.position(of: name) != nil else {
                throw .invalid("\(source.model.name) has no field \(name).", field: name)
            }
            input[name] = .null
        }
        _ = try write(.updateItem(model: source.place), input, expected, source, graphQL, key: key)
        return OperatorAnswer(
            body: try describe([try item(key, source, graphQL)], source, servedAPI, graphQL)[0])
    }

    private func delete(
        _ key: [String], _ expectation: DataCall.Expectation, _ source: DataSource, _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) -> OperatorAnswer {
        let current = try item(key, source, graphQL)
        let (input, expected) = try checked(expectation, current, key, source)
        _ = try write(.deleteItem(model: source.place), input, expected, source, graphQL, key: key)
        return OperatorAnswer(body: ["key": .array(key.map(JSONValue.string))])
    }

    /// What a write expects of the stored item, which is compared with it in the write's own transaction.
    fileprivate struct Expected {
        let condition: Condition
        /// The fields that are compared, with the values that are expected.
        let values: JSONObject
        let version: Int64?
    }

    /// The input that names an item, and what is expected of it; nil if nothing is.
    ///
    /// - Throws: A conflict, if it already is not as expected.
    private func checked(
        _ expectation: DataCall.Expectation, _ current: StoredItems.Item, _ key: [String], _ source: DataSource
    ) throws(OperatorProblem) -> (input: JSONObject, Expected?) {
        let item = source.json(current)
        guard let values = source.key(key) else { throw .unknownItem(source.model.name) }
        var columns: [Int] = []
        for name in expectation.values.keys {
            guard let column = source.table.position(of: name) else {
                throw .invalid("\(source.model.name) has no field \(name).", field: "expect")
            }
            columns.append(column)
        }
        if expectation.version != nil, let column = source.table.metadata?.version { columns.append(column) }
        // The item has the values that are expected, and the write finds those that it has.
        let expected = Expected(
            condition: .and(columns.map { .compare(column: $0, .eq, current.values[$0]) }), values: expectation.values,
            version: expectation.version)
        let changed = expected.changes(in: item)
        guard changed.isEmpty else { throw .changed(item, changed) }
        var input = source.keyInput(values)
        if let version = item["version"] { input["_version"] = version }
        return (input, columns.isEmpty ? nil : expected)
    }

    /// Runs a mutation of the API as the administrator.
    ///
    /// - Returns: What it selects of the item.
    private func write(
        _ resolver: Resolver, _ input: JSONObject, _ expected: Expected?, _ source: DataSource,
        _ graphQL: OperatorGraphQL, key: [String]?
    ) throws(OperatorProblem) -> JSONObject {
        guard let mutation = source.mutations[resolver] else { throw .noMutation(source.model.name) }
        let envelope = JSONValue.object([
            "query": .string(mutation.document), "variables": ["input": .object(input)],
        ])
        let outcome = try graphQL.execute(
            Array(envelope.description.utf8), as: .administrator, allowsMutations: true,
            expecting: expected?.condition)
        let body = try? JSONReader.read(outcome.body)
        if let error = body?["errors"]?.arrayValue?.first {
            let (type, message) = (error["errorType"]?.stringValue ?? "", error["message"]?.stringValue ?? "")
            // The error is in a field of the item: the item was written, and lacks a value that the schema requires.
            if (error["path"]?.arrayValue?.count ?? 0) > 1 { return body?["data"]?["item"]?.objectValue ?? input }
            guard outcome.status < 500, !Self.serverErrorTypes.contains(type) else {
                throw OperatorProblem(
                    code: .unavailable, message: message, hint: "The server's log has the reason. Try again later.")
            }
            guard BulkWriter.isConflict(type) else { throw .invalid(message, field: nil) }
            guard let key else { throw OperatorProblem(code: .conflict, message: BulkWriter.keyIsTaken) }
            let stored = source.json(try item(key, source, graphQL))
            throw .changed(stored, expected?.changes(in: stored) ?? [])
        }
        guard let item = body?["data"]?["item"]?.objectValue else {
            throw OperatorProblem(code: .internal, message: "The mutation returned no item.")
        }
        return item
    }

    /// The types of errors that are not the caller's: a full disk, or a writer that is busy or did not come to it in time.
    private static let serverErrorTypes: Set = ["InternalFailure", "ServiceUnavailableException", "ExecutionTimeout"]

    private static func text(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text)?, .number(let text)?: text
        default: value?.description ?? ""
        }
    }
}

extension OperatorCallHandler.Expected {
    /// The fields in which an item differs.
    fileprivate func changes(in item: JSONObject) -> [String] {
        let stored = item["values"]?.objectValue ?? [:]
        let changed = values.filter { !(stored[$0.key] ?? .null).isSame(as: $0.value) }.map(\.key)
        return changed + (version == nil || item["version"]?.intValue == version ? [] : ["_version"])
    }
}

extension OperatorProblem {
    static func unknownModel(_ name: String) -> OperatorProblem {
        OperatorProblem(code: .notFound, message: "The API has no model \(name).")
    }

    static func unknownItem(_ model: String) -> OperatorProblem {
        OperatorProblem(code: .notFound, message: "There is no item of \(model) with this key.")
    }

    static let filterTooLarge = OperatorProblem(
        code: .invalid, message: "The filter is too large.",
        hint: "It has at most \(Condition.nodesMax) operators, nested at most \(Condition.depthMax) deep.",
        field: "filter")

    /// The item is not as the caller expects.
    static func changed(_ item: JSONObject, _ fields: [String]) -> OperatorProblem {
        var problem = OperatorProblem(
            code: .conflict, message: "The item changed since you opened it.", hint: "Compare the values and choose.")
        problem.details = ["item": .object(item), "changed": .array(fields.map(JSONValue.string))]
        return problem
    }
}
