import GraphQL
import JSON
import Tables

/// Fetches all rows that a selection needs before it is completed: level by level, the fetches of one level and all of its
/// parents' keys in one wave, and the pipelines of the level beside it. For stores and resolvers that do not answer while a
/// selection is completed.
///
/// It asks what `Completion` will ask, with the same functions, and leaves to it whatever is an error of a field: null
/// propagation, errors, order and tokens are the completion's alone. Rows are also fetched for fields that completion then
/// leaves out because a null in a sibling field propagates.
///
/// Used on one loop; the reader calls it back there. Pending callbacks retain it.
final class Gather {
    typealias Finish = (Result<GatheredRows, StoreError>) -> Void

    private let scope: Completion.Scope
    private let reader: any BatchReader
    private let deadline: ContinuousClock.Instant
    private let finish: Finish
    private let gathered = GatheredRows()
    private var fields: [ObjectIdentifier: GatheredField] = [:]
    /// The fields with keys that are not asked for yet, in the order met.
    private var waiting: [GatheredField] = []
    private var resolverCount = 0
    private var deniedCount = 0
    /// The pipelines of the next level, in the order met.
    private var pipelines: [PipelineQueue.Run] = []
    private var pipelineCount = 0
    private let pipelineQueue: PipelineQueue
    /// What the events of a field have in common; nil of a field whose arguments could not be had.
    private var events: [ObjectIdentifier: FunctionEvent?] = [:]
    private var objectCount = 0
    /// The halves of the level that are under way: its wave, its pipelines.
    private var pendingCount = 0
    private var isFinished = false

    init(
        _ scope: Completion.Scope, by reader: any BatchReader, on executor: any Executor,
        deadline: ContinuousClock.Instant, finish: @escaping Finish
    ) {
        (self.scope, self.reader, self.deadline, self.finish) = (scope, reader, deadline, finish)
        pipelineQueue = PipelineQueue(scope.schema, on: executor, deadline: deadline)
    }

    /// Gathers what a selection on a row needs; `finish` is called when all is there, at once if nothing is needed.
    func run(_ fields: [PlannedField], of row: some ParentRow) {
        do throws(StoreError) {
            try gather(fields, of: row)
            nextLevel()
        } catch { end(.failure(error)) }
    }

    // MARK: - Fields

    private func gather(_ fields: [PlannedField], of row: some ParentRow) throws(StoreError) {
        var checks = RowChecks()
        for field in fields where field.resolution.isGathered && field.isIncluded(scope.variables) {
            var allowed: RowDecision?
            if let authorization = field.authorization {
                switch scope.access(to: authorization, of: row, &checks) {
                case .open: break
                case .rows(let rows): allowed = rows
                case .redacted: continue
                case .denied:
                    deniedCount += 1
                    // So many errors make the response too large.
                    guard deniedCount <= deniedCountMax else { return }
                    continue
                }
            }
            switch field.resolution {
            case .pipeline(let plan):
                add(plan, field, of: row)
                continue
            case .json(let position, let shape):
                try gatherObjects(field, shape, at: position, of: row)
                continue
            // Gathered with its object.
            case .property: continue
            default: break
            }
            guard let gatheredField = gatheredField(field, allowed) else { continue }
            // Completion goes depth first and may run other resolvers than these before it has run all it may, so twice
            // as many are run here before the rest is left out.
            resolverCount += 1
            guard resolverCount <= 2 * resolverCountMax else { return }
            add(gatheredField, of: row)
        }
    }

    /// Denied fields after which nothing more is gathered: their errors make the response too large.
    private var deniedCountMax: Int { scope.schema.options.limits.responseBytesMax / Completion.bytesPerError }

    private var resolverCountMax: Int {
        let limit = scope.schema.options.limits.resolverCountLimit
        return limit == 0 ? Completion.resolverCountMax : limit
    }

    /// What is known of a field, decided when it is first met.
    private func gatheredField(_ field: PlannedField, _ allowed: RowDecision?) -> GatheredField? {
        if let known = fields[ObjectIdentifier(field)] { return known }
        let made = GatheredField(field, scope, allowed)
        fields[ObjectIdentifier(field)] = made
        return made
    }

    /// Adds the key that a field has for a parent's row to the next wave.
    private func add(_ field: GatheredField, of row: some ParentRow) {
        switch field.source {
        case .unavailable: return
        case .sync: break
        case .item(let plan):
            if let allowed = field.allowed, !plan.mayBeReadable(by: allowed, keyOf: row, scope.variables) { return }
            var values: [Value] = []
            for part in 0..<plan.key.count {
                guard let operand = plan.key.operand(part, of: row, scope.variables) else {
                    return gathered.setNone(field.field, under: row.number)
                }
                values.append(operand.value)
            }
            let isItem = plan.access == .item
            field.add(
                isItem
                    ? BatchFetch.Key(values)
                    : BatchFetch.Key([values[0]], sort: ItemPlan.sort(Array(values.dropFirst()))), under: row.number)
        case .page(let plan, let arguments):
            let request: PageRequest?
            do throws(ResolverError) {
                request = try arguments.request(environment: scope.schema.environment) { plan.operand($0, of: row) }
            } catch { return }
            guard let request else { return gathered.setNone(field.field, under: row.number) }
            field.request = request
            field.add(
                BatchFetch.Key(
                    [request.partitionKey?.value].compactMap { $0 }, sort: arguments.hasParentsSort ? request.sort : nil
                ),
                under: row.number)
        }
        if !field.isWaiting {
            field.isWaiting = true
            waiting.append(field)
        }
    }

    // MARK: - Waves

    /// How many keys a fetch of a wave has at most.
    static let keysMax = 1_000

    /// A part of a wave: what it is asked for, and what is done with its outcome.
    private struct Member {
        var request: BatchRequest
        var take: (BatchOutcome) throws(StoreError) -> Void
    }

    private func nextLevel() {
        var wave: [Member] = []
        let fields = waiting
        waiting = []
        for field in fields {
            field.isWaiting = false
            if case .sync(let plan, let arguments) = field.source, let member = prerequisite(field, plan, arguments) {
                wave.append(member)
                continue
            }
            wave += members(of: field)
        }
        let pipelines = pipelines
        self.pipelines = []
        guard !wave.isEmpty || !pipelines.isEmpty else {
            // A sync that goes on with its base has no prerequisite, and its fetch is the next wave.
            return waiting.isEmpty ? end(.success(gathered)) : nextLevel()
        }
        guard ContinuousClock.now < deadline else {
            return end(.failure(StoreError(.timedOut, "Execution timed out.")))
        }
        pendingCount = (wave.isEmpty ? 0 : 1) + (pipelines.isEmpty ? 0 : 1)
        if !wave.isEmpty { run(wave) }
        if !pipelines.isEmpty, !isFinished { run(pipelines) }
    }

    private func run(_ wave: [Member]) {
        reader.run(wave.map(\.request), deadline: deadline) { [self] result in
            guard !isFinished else { return }
            do throws(StoreError) {
                for (member, outcome) in zip(wave, try result.get()) { try member.take(outcome) }
                try endPartOfLevel()
            } catch { end(.failure(error)) }
        }
    }

    /// The reads or the pipelines of the level have ended; the next level begins when both have.
    private func endPartOfLevel() throws(StoreError) {
        guard gathered.byteCount <= gatherBytesMax else { throw .responseTooLarge }
        pendingCount -= 1
        if pendingCount == 0 { nextLevel() }
    }

    private func end(_ result: Result<GatheredRows, StoreError>) {
        guard !isFinished else { return }
        isFinished = true
        pipelineQueue.cancel()
        finish(result)
    }

    // MARK: - Pipelines

    /// Adds a pipeline for a parent's row to the next level. A pipeline may have effects, so that no more are run than the
    /// request may run resolvers.
    private func add(_ plan: PipelinePlan, _ field: PlannedField, of row: some ParentRow) {
        guard let event = event(of: plan, field), pipelineCount < resolverCountMax else { return }
        pipelineCount += 1
        let source = plan.source(row)
        gathered.add(byteCount: source.count)
        pipelines.append(
            PipelineQueue.Run(field: field, plan: plan, event: event, parent: row.number, source: source))
    }

    private func event(of plan: PipelinePlan, _ field: PlannedField) -> FunctionEvent? {
        if let known = events[ObjectIdentifier(field)] { return known }
        let arguments = try? plan.template.coerceArgumentValues(scope.variables)
        let event = arguments.map { FunctionEvent(plan, $0, scope) }
        events[ObjectIdentifier(field)] = .some(event)
        return event
    }

    private func run(_ pipelines: [PipelineQueue.Run]) {
        pipelineQueue.run(pipelines) { [self] run, result, byteCount in
            guard !isFinished else { return }
            do throws(StoreError) {
                try take(result, byteCount, of: run)
            } catch { end(.failure(error)) }
        } end: { [self] in
            guard !isFinished else { return }
            do throws(StoreError) { try endPartOfLevel() } catch { end(.failure(error)) }
        }
    }

    private func take(
        _ result: Result<JSONValue, ResolverError>, _ byteCount: Int, of run: PipelineQueue.Run
    ) throws(StoreError) {
        switch result {
        case .failure(let error): gathered.set(.failed(error), of: run.field, under: run.parent)
        case .success(let value):
            gathered.add(byteCount: byteCount)
            guard gathered.byteCount <= gatherBytesMax else { throw .responseTooLarge }
            let value = try makeRows(of: value, run.plan.shape)
            gathered.set(.value(value), of: run.field, under: run.parent)
        }
    }

    // MARK: - Objects

    /// The objects of a column, where fields of theirs wait.
    private func gatherObjects(
        _ field: PlannedField, _ shape: JSONShape, at position: Int, of row: some ParentRow
    ) throws(StoreError) {
        guard !row.isNull(position),
            let value = unsafe row.withText(
                position, { try? unsafe JSONReader.read($0, depthMax: JSONShape.storedDepthMax) })
        else { return }
        gathered.set(.value(try makeRows(of: value, shape)), of: field, under: row.number)
    }

    private func makeRows(of value: JSONValue, _ shape: JSONShape) throws(StoreError) -> GatheredValue {
        guard shape.isGathered else { return .json(value) }
        guard scope.plan.isDeep else { return try rows(of: value, shape) }
        return try LargeStack.run { () throws(StoreError) in try rows(of: value, shape) }
    }

    /// A value whose objects are rows, and adds what is gathered below them.
    private func rows(of value: JSONValue, _ shape: JSONShape) throws(StoreError) -> GatheredValue {
        switch (shape, value) {
        case (_, _) where !shape.isGathered: return .json(value)
        case (.list(let element, _, _), .array(let elements)):
            var rows: [GatheredValue] = []
            rows.reserveCapacity(elements.count)
            for value in elements { rows.append(try self.rows(of: value, element)) }
            return .list(rows)
        case (.object(let selections, let objectRows), .object(let members)):
            guard let (type, fields) = JSONShape.selection(of: members, among: selections) else { return .json(value) }
            objectCount += 1
            let row = ObjectRow(members, number: objectCount, columns: objectRows?.columns[type] ?? [])
            try gather(fields, of: row)
            var checks = RowChecks()
            for field in fields where field.isIncluded(scope.variables) {
                guard case .property(let name, let shape) = field.resolution, shape.isGathered,
                    scope.allows(field, of: row, &checks), let member = members[name]
                else { continue }
                row.gathered[ObjectIdentifier(field)] = try rows(of: member, shape)
            }
            return .object(row)
        default: return .json(value)
        }
    }

    // MARK: - Bounds

    /// The bytes of rows that a request may keep.
    private var gatherBytesMax: Int { 4 * scope.schema.options.limits.responseBytesMax }

    /// What a sync has to know before it asks for its page.
    private func prerequisite(_ field: GatheredField, _ plan: SyncPlan, _ arguments: SyncArguments) -> Member? {
        guard field.sync == nil else { return nil }
        func begin(start: SyncStart?, deltaHorizon: Int64?) {
            let request = arguments.request(
                of: plan, allowed: field.allowed, start: start, deltaHorizon: deltaHorizon,
                scope.schema.environment.syncStarts)
            field.sync = request
            gathered.setSync(request, of: field.field)
            guard !request.isRefused else { return }
            field.add(
                BatchFetch.Key([request.range?.value].compactMap { $0 }, sort: request.sort), under: 0)
            waiting.append(field)
            field.isWaiting = true
        }
        let request: BatchRequest
        switch arguments.prerequisite {
        case nil:
            begin(start: nil, deltaHorizon: nil)
            return nil
        case .start: request = .beginSync(plan.table)
        case .deltaHorizon: request = .deltaHorizon(plan.table)
        }
        return Member(request: request) { [gathered] outcome in
            switch outcome {
            case .syncStart(let start): begin(start: start, deltaHorizon: nil)
            case .deltaHorizon(let horizon): begin(start: nil, deltaHorizon: horizon)
            case .refused(let error): gathered.refuseSync(of: field.field, error)
            case .rows: preconditionFailure("a sync begins with a start or a horizon")
            }
        }
    }

    /// The fetches of a field's new keys, for each of its parts.
    private func members(of field: GatheredField) -> [Member] {
        let new = field.takeKeys()
        return stride(from: 0, to: new.count, by: Self.keysMax).flatMap { start -> [Member] in
            let keys = Array(new[start..<min(start + Self.keysMax, new.count)])
            let group = field.groupCount
            field.groupCount += 1
            for (index, key) in keys.enumerated() {
                for parent in field.parents(of: key) {
                    gathered.set(field.field, under: parent, group: group, key: index)
                }
            }
            return field.parts(scope).map { part in
                Member(request: .fetch(part.fetch(keys))) { [self] outcome throws(StoreError) in
                    let first = gathered.append(outcome, to: field.field, parts: part.fields)
                    guard case .rows(let batch) = outcome, !part.selection.isEmpty else { return }
                    for key in keys.indices { try gatherChildren(part, of: batch, key, numberedFrom: first) }
                }
            }
        }
    }

    /// What the selection of each item on a page needs.
    private func gatherChildren(
        _ part: GatheredField.Part, of batch: ItemBatch, _ key: Int, numberedFrom first: Int
    ) throws(StoreError) {
        let cursor = BatchCursor(batch, key: key, numberedFrom: first)
        var itemCount = 0
        // A batch is in memory: nothing about it can fail.
        while itemCount < part.itemsMax, (try? cursor.next()) == true {
            guard cursor.matches else { continue }
            try gather(part.selection, of: cursor)
            itemCount += 1
        }
    }
}

extension StoreError {
    static let responseTooLarge = StoreError(.invalidRequest, "The response is larger than the server allows.")
}
