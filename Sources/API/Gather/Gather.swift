import GraphQL
import Tables

/// Fetches all rows that a selection needs before it is completed: level by level, the fetches of one level and all of its
/// parents' keys in one wave. For stores and resolvers that do not answer while a selection is completed.
///
/// It asks what `Completion` will ask, with the same functions, and leaves to it whatever is an error of a field: null
/// propagation, errors, order and tokens are the completion's alone. Rows are also fetched for fields that completion then
/// leaves out because a null in a sibling field propagates.
///
/// Used on one loop; the reader calls it back there. It is kept by what it waits for.
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

    init(
        _ scope: Completion.Scope, by reader: any BatchReader, deadline: ContinuousClock.Instant,
        finish: @escaping Finish
    ) {
        (self.scope, self.reader, self.deadline, self.finish) = (scope, reader, deadline, finish)
    }

    /// Gathers what a selection on a row needs; `finish` is called when all is there, at once if nothing is needed.
    func run(_ fields: [PlannedField], of row: some ParentRow) {
        gather(fields, of: row)
        nextWave()
    }

    // MARK: - Fields

    private func gather(_ fields: [PlannedField], of row: some ParentRow) {
        for field in fields where field.resolution.isFetch && field.isIncluded(scope.variables) {
            var allowed: RowDecision?
            if let authorization = field.authorization {
                switch scope.access(to: authorization, of: row) {
                case .open: break
                case .rows(let rows): allowed = rows
                case .redacted, .denied: continue
                }
            }
            guard let gatheredField = gatheredField(field, allowed) else { continue }
            // Completion goes depth first and may run other resolvers than these before it has run all it may, so twice
            // as many are run here before the rest is left out.
            resolverCount += 1
            guard resolverCount <= 2 * resolverCountMax else { return }
            add(gatheredField, of: row)
        }
    }

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
            if let allowed = field.allowed, !plan.isOpen(to: allowed, of: row, scope.variables) { return }
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
                BatchFetch.Key([request.partitionKey?.value].compactMap { $0 }, sort: request.sort), under: row.number)
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
        var take: (BatchOutcome) -> Void
    }

    private func nextWave() {
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
        guard !wave.isEmpty else {
            // A sync that goes on with its base has no prerequisite, and its fetch is the next wave.
            return waiting.isEmpty ? finish(.success(gathered)) : nextWave()
        }
        guard ContinuousClock.now < deadline else {
            return finish(.failure(StoreError(.timedOut, "Execution timed out.")))
        }
        reader.run(wave.map(\.request), deadline: deadline) { [self] result in
            switch result {
            case .failure(let error): finish(.failure(error))
            case .success(let outcomes):
                for (member, outcome) in zip(wave, outcomes) { member.take(outcome) }
                guard gathered.byteCount <= gatherBytesMax else {
                    return finish(
                        .failure(StoreError(.invalidRequest, "The response is larger than the server allows.")))
                }
                nextWave()
            }
        }
    }

    /// The bytes of rows that a request may keep.
    private var gatherBytesMax: Int { 4 * scope.schema.options.limits.responseBytesMax }

    /// What a sync has to know before it asks for its page.
    private func prerequisite(_ field: GatheredField, _ plan: SyncPlan, _ arguments: SyncArguments) -> Member? {
        guard field.sync == nil else { return nil }
        func begin(start: SyncStart?, deltaHorizon: Int64?) {
            let request = arguments.request(
                of: plan.table, plan.indexes, narrowing: field.allowed?.condition, start: start,
                deltaHorizon: deltaHorizon,
                scope.schema.environment.syncStarts)
            field.sync = request
            gathered.setSync(request, of: field.field)
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
                Member(request: .fetch(part.fetch(keys))) { [self] outcome in
                    let first = gathered.append(outcome, to: field.field, parts: part.fields)
                    guard case .rows(let batch) = outcome, !part.selection.isEmpty else { return }
                    for key in keys.indices { gatherChildren(part, of: batch, key, numberedFrom: first) }
                }
            }
        }
    }

    /// What the selection of each item on a page needs.
    private func gatherChildren(
        _ part: GatheredField.Part, of batch: ItemBatch, _ key: Int, numberedFrom first: Int
    ) {
        let cursor = BatchCursor(batch, key: key, numberedFrom: first)
        var itemCount = 0
        // A batch is in memory: nothing about it can fail.
        while itemCount < part.itemsMax, (try? cursor.next()) == true {
            guard cursor.matches else { continue }
            gather(part.selection, of: cursor)
            itemCount += 1
        }
    }
}
