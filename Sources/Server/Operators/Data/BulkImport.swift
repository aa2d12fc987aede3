import API
import JSON
import Tables
import Transformer

/// Creates or changes items by the rows of a file, a mutation each, and keeps the rows that are rejected.
struct BulkImport {
    private let request: BulkCall.Import
    /// The model as it is served now.
    private var source: DataSource
    private let writer: BulkWriter
    private let graphQL: OperatorGraphQL
    private var (done, created, updated, skipped, rejected) = (0, 0, 0, 0, 0)
    private var rejects = RejectList(countMax: JobLimits.rejectCountMax)
    private var file = CSVWriter.line(["line", "reason", "row"])
    /// The keys of a dry run's rows so far, which an import would have made.
    private var keys: Set<[Value]> = []
    private var isCancelled: @Sendable () -> Bool = { false }

    init(_ request: BulkCall.Import, _ source: DataSource, _ graphQL: OperatorGraphQL) {
        (self.request, self.source, self.graphQL) = (request, source, graphQL)
        writer = BulkWriter(source: source, graphQL: graphQL)
    }

    mutating func carryOut(_ rows: ImportRows, _ job: Job) throws(OperatorProblem) -> JSONObject {
        job.setProgress(done: 0, total: rows.count)
        isCancelled = { job.isToBeCancelled }
        var (copy, total) = (self, rows.count)
        try rows.forEach(BulkLimits.writesMax) { batch throws(OperatorProblem) in
            try job.check()
            do throws(OperatorProblem) { try copy.carryOut(batch) } catch {
                // What a part of the batch has written is reported.
                job.setResult(copy.result)
                throw error
            }
            copy.done += batch.count
            job.setResult(copy.result)
            if copy.rejected > 0 { job.setRejects(copy.file) }
            job.setProgress(done: copy.done, total: total, rejected: copy.rejected)
        }
        self = copy
        return result
    }

    private var result: JSONObject {
        func number(_ count: Int) -> JSONValue { .number(String(count)) }
        return [
            "accepted": number(created + updated), "created": number(created), "updated": number(updated),
            "skipped": number(skipped), "rejected": number(rejected), "rejects": .array(rejects.elements),
        ]
    }

    private mutating func carryOut(_ rows: [ImportRows.Row]) throws(OperatorProblem) {
        var good: [ImportRows.Row] = []
        for row in rows {
            if let (field, reason) = row.problem { reject(row, reason, field) } else { good.append(row) }
        }
        // One after the other, so that a row can change what one before it has made.
        var pending: [ImportRows.Row] = []
        var seen: Set<[Value]> = []
        for row in good {
            if let key = key(of: row), !seen.insert(key).inserted {
                try write(pending)
                (pending, seen) = ([], [key])
            }
            pending.append(row)
        }
        try write(pending)
    }

    /// The key that a row names; nil if the server makes it.
    private func key(of row: ImportRows.Row) -> [Value]? {
        var values: [Value] = []
        for position in source.table.key.columns {
            let column = source.table.columns[position]
            switch row.input[column.field] {
            case .string(let text)?: values.append(.text(text))
            case .number(let text)?:
                guard let number = Int64(text) else { return nil }
                values.append(column.type == .real ? .real(Double(number)) : .integer(number))
            default: return nil
            }
        }
        return values
    }

    private mutating func write(_ rows: [ImportRows.Row]) throws(OperatorProblem) {
        guard !rows.isEmpty else { return }
        source = try writer.served().source
        let rowKeys = rows.map(key)
        let isLookedUp = request.mode == .upsert || request.isDryRun
        let named = isLookedUp ? rowKeys.compactMap(\.self) : []
        let stored = zip(named, try OperatorCallHandler.items(named, source, graphQL)).compactMap { key, item in
            item.flatMap { source.isDeleted($0) ? nil : (key, $0) }
        }
        let items = Dictionary(stored, uniquingKeysWith: { $1 })
        var (creations, changes): ([(row: ImportRows.Row, key: [Value]?)], [(row: ImportRows.Row, input: JSONObject)]) =
            ([], [])
        for (row, key) in zip(rows, rowKeys) {
            let item = key.flatMap { items[$0] }
            let isThere = item != nil || request.isDryRun && key.map(keys.contains) == true
            guard isThere else {
                creations.append((row, key))
                continue
            }
            switch request.mode {
            case .create: reject(row, BulkWriter.keyIsTaken, nil)
            case .skip: skipped += 1
            case .upsert:
                var input = row.input
                if let item, let metadata = source.table.metadata {
                    input["_version"] = .number(String(item.values[metadata.version].asInteger))
                }
                changes.append((row, input))
            }
        }
        for (row, outcome) in zip(
            creations.map(\.row), try run(.createItem(model: source.place), creations.map(\.row.input)))
        {
            switch outcome {
            case .written: created += 1
            case .conflict where request.mode == .skip: skipped += 1
            case .conflict: reject(row, BulkWriter.keyIsTaken, nil)
            case .rejected(let reason): reject(row, reason, nil)
            }
        }
        if request.isDryRun { keys.formUnion(creations.compactMap(\.key)) }
        for (row, outcome) in zip(changes.map(\.row), try run(.updateItem(model: source.place), changes.map(\.input))) {
            switch outcome {
            case .written: updated += 1
            case .conflict: reject(row, "The item changed meanwhile.", nil)
            case .rejected(let reason): reject(row, reason, nil)
            }
        }
    }

    private func run(_ resolver: Resolver, _ inputs: [JSONObject]) throws(OperatorProblem) -> [BulkWriter.Outcome] {
        inputs.isEmpty ? [] : try writer.write(resolver, inputs, isDryRun: request.isDryRun, isCancelled: isCancelled)
    }

    private mutating func reject(_ row: ImportRows.Row, _ reason: String, _ field: String?) {
        rejected += 1
        guard !rejects.isFull else { return }
        let reason = RejectList.reason(reason)
        rejects.add([
            "line": .number(String(row.line)), "reason": .string(reason),
            "field": field.map { JSONValue.string(LogText.excerpt($0)) } ?? .null,
        ])
        let line = CSVWriter.line([String(row.line), CSVWriter.cell(reason), CSVWriter.cell(row.text)])
        if file.count + line.count <= JobLimits.rejectBytesMax { file += line }
    }
}
