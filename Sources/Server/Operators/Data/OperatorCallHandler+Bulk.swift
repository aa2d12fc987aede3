import API
import JSON
import Tables
import Transformer

extension OperatorCallHandler {
    /// Carries out a call about many items. Long ones are jobs.
    func run(_ call: BulkCall, for caller: Caller) throws(OperatorProblem) -> OperatorAnswer {
        guard let graphQL else { throw .noConsole }
        let servedAPI = try graphQL.servedAPI()
        func source(_ name: String) throws(OperatorProblem) -> DataSource {
            try servedAPI.dataSources.source(named: name)
        }
        switch call {
        case .delete(let model, let keys, let isDryRun):
            let source = try source(model)
            let values = try keys.map { key throws(OperatorProblem) in
                guard let values = source.key(key) else { throw .unknownItem(model) }
                return values
            }
            if isDryRun { return try sample(values, source, servedAPI, graphQL) }
            let action = AuditLog.Action(
                name: "data.delete", target: "\(model) (\(keys.count) keys)", caller: caller)
            return try start("data.delete", target: model, for: caller, auditing: action) {
                job throws(OperatorProblem) in
                var deletion = BulkDeletion(source, graphQL, total: values.count)
                for start in stride(from: 0, to: values.count, by: BulkLimits.pageCount) {
                    let part = Array(values[start..<min(start + BulkLimits.pageCount, values.count)])
                    let found = try Self.items(part, source, graphQL)
                    for (key, item) in zip(part, found) where item == nil {
                        deletion.reject(key, "There is no item with this key.")
                    }
                    try deletion.delete(found.compactMap(\.self), job)
                }
                return deletion.end(job)
            }
        case .deleteMatching(let selection, let expected, let isDryRun):
            let source = try source(selection.model)
            let condition = try selection.filter.flatMap { filter throws(OperatorProblem) in
                try self.condition(of: filter, source, servedAPI)
            }
            let query = try query(selection, nil, source, servedAPI, condition)
            let count = try graphQL.read { items throws(StoreError) in try await items.count(query, upTo: .max) }
            if isDryRun {
                let page = try graphQL.read { items throws(StoreError) in
                    try await items.page(query, after: nil, limit: BulkLimits.samplesMax)
                }
                return OperatorAnswer(
                    body: [
                        "count": DataSource.json(count),
                        "samples": .array(try describe(page.items, source, servedAPI, graphQL)),
                    ])
            }
            guard count.count == expected else {
                var problem = OperatorProblem(
                    code: .conflict, message: "The filter matches \(count.count) items now.",
                    hint: "Repeat the dry run.")
                problem.details = ["count": DataSource.json(count)]
                throw problem
            }
            let action = AuditLog.Action(
                name: "data.delete", target: "\(selection.model) (\(count.count) by a filter)", caller: caller)
            return try start("data.delete", target: selection.model, for: caller, auditing: action) {
                job throws(OperatorProblem) in
                var deletion = BulkDeletion(source, graphQL, total: count.count, matching: condition)
                // Never more items than the caller has expected, whatever is created meanwhile.
                var (position, rest): (Position?, Int) = (nil, count.count)
                while rest > 0 {
                    let (after, limit) = (position, min(rest, BulkLimits.pageCount))
                    let page = try graphQL.read { items throws(StoreError) in
                        try await items.page(query, after: after, limit: limit)
                    }
                    try deletion.delete(page.items, job)
                    rest -= page.items.count
                    position = page.next
                    if position == nil { break }
                }
                return deletion.end(job)
            }
        case .importItems(let model, let request):
            let source = try source(model)
            let rows = try ImportRows(request, source)
            let action = AuditLog.Action(
                name: "data.import", target: "\(model) (\(request.mode.rawValue))", fields: rows.fields, caller: caller)
            return try start(
                "data.import", target: model, for: caller, auditing: request.isDryRun ? nil : action
            ) { job throws(OperatorProblem) in
                var run = BulkImport(request, source, graphQL)
                return try run.carryOut(rows, job)
            }
        case .generators(let model):
            let fields = ItemGeneration.fields(of: try source(model), servedAPI)
            return OperatorAnswer(body: .object(["fields": .array(fields.map(\.json))]))
        case .generate(let model, let request):
            let run = try BulkGeneration(request, try source(model), servedAPI, graphQL)
            guard !request.isDryRun else { return try run.sampleAnswer() }
            _ = try run.samples()
            let action = AuditLog.Action(
                name: "data.generate", target: run.target, fields: request.fields.map(\.key), caller: caller)
            return try start("data.generate", target: model, for: caller, auditing: action) {
                job throws(OperatorProblem) in
                var run = run
                return try run.carryOut(job)
            }
        case .export(let selection, let format, let fields):
            let source = try source(selection.model)
            let query = try query(selection, nil, source, servedAPI)
            return try DataExport(source, query, format, fields, graphQL).answer
        case .links(let model, let key, let field, let window):
            return try links(of: try source(model), key, field, window, servedAPI, graphQL)
        }
    }

    private func sample(
        _ keys: [[Value]], _ source: DataSource, _ servedAPI: ServedAPI, _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) -> OperatorAnswer {
        let found = try Self.items(keys, source, graphQL).compactMap(\.self)
        let samples = try describe(Array(found.prefix(BulkLimits.samplesMax)), source, servedAPI, graphQL)
        return OperatorAnswer(
            body: ["count": DataSource.json((found.count, true)), "samples": .array(samples)])
    }

    /// The items with these keys; nil for one that is not there.
    static func items(
        _ keys: [[Value]], _ source: DataSource, _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) -> [StoredItems.Item?] {
        let table = source.stored
        return try graphQL.read { items throws(StoreError) in
            var found: [StoredItems.Item?] = []
            for key in keys { found.append(try await items.item(key, of: table)) }
            return found
        }
    }
}

/// Deletes items, a mutation each, and counts what became of them.
private struct BulkDeletion {
    private let writer: BulkWriter
    private let total: Int
    /// What the items have to meet, also in the transaction that deletes them; nil for items that were named.
    private let condition: Condition?
    private var (deleted, rejected) = (0, 0)
    private var rejects = RejectList(countMax: BulkLimits.rejectsListedMax)

    init(_ source: DataSource, _ graphQL: OperatorGraphQL, total: Int, matching condition: Condition? = nil) {
        writer = BulkWriter(source: source, graphQL: graphQL)
        (self.total, self.condition) = (total, condition)
    }

    mutating func delete(_ items: [StoredItems.Item], _ job: Job) throws(OperatorProblem) {
        let source = writer.source
        for start in stride(from: 0, to: items.count, by: BulkLimits.writesMax) {
            try job.check()
            let part = items[start..<min(start + BulkLimits.writesMax, items.count)]
            let keys = part.map { item in source.table.key.columns.map { item.values[$0] } }
            let inputs = zip(part, keys).map { item, key in
                var input = source.keyInput(key)
                if let metadata = source.table.metadata {
                    input["_version"] = .number(String(item.values[metadata.version].asInteger))
                }
                return input
            }
            let expectations = condition.map { condition in part.map { condition.asMet(by: $0) } } ?? []
            let outcomes = try writer.write(
                .deleteItem(model: source.place), inputs, expecting: expectations,
                isCancelled: { job.isToBeCancelled })
            for (key, outcome) in zip(keys, outcomes) {
                switch outcome {
                case .written: deleted += 1
                case .conflict: reject(key, "The item changed or was deleted meanwhile.")
                case .rejected(let reason): reject(key, reason)
                }
            }
            job.setResult(result)
            job.setProgress(done: deleted + rejected, total: total, rejected: rejected)
        }
    }

    mutating func reject(_ key: [Value], _ reason: String) {
        rejected += 1
        guard !rejects.isFull else { return }
        rejects.add([
            "key": .array(key.map { .string($0.keyPart) }), "reason": .string(RejectList.reason(reason)),
        ])
    }

    private var result: JSONObject {
        [
            "deleted": .number(String(deleted)), "rejected": .number(String(rejected)),
            "rejects": .array(rejects.elements),
        ]
    }

    func end(_ job: Job) -> JSONObject {
        job.setProgress(done: deleted + rejected, total: total, rejected: rejected)
        return result
    }
}

extension Condition {
    /// The condition for an item that meets it. Where it names many texts, as one on a related item does, it is that the column is as the
    /// item has it now: a write is not to compare thousands of texts.
    func asMet(by item: StoredItems.Item) -> Condition {
        var columns: Set<Int> = []
        let condition = replacingSets(item, &columns)
        guard !columns.isEmpty else { return self }
        return .and([condition] + columns.sorted().map { .compare(column: $0, .eq, item.values[$0]) })
    }

    private func replacingSets(_ item: StoredItems.Item, _ columns: inout Set<Int>) -> Condition {
        switch self {
        case .and(let parts): return .and(parts.map { $0.replacingSets(item, &columns) })
        case .or(let parts): return .or(parts.map { $0.replacingSets(item, &columns) })
        case .not(let part): return .not(part.replacingSets(item, &columns))
        case .isAny(let column, let texts):
            columns.insert(column)
            return texts.contains(item.values[column]) ? .and([]) : .or([])
        default: return self
        }
    }
}
