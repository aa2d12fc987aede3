import GraphQL
import JSON
import Tables
import Transformer

/// Runs a mutation: root fields one after the other, the first committed and completed before the second is written
/// (GraphQL spec §6.2.2).
///
/// Unchecked Sendable. Proof: it is handed on, never shared. It runs on its loop until it gives a write to the writer,
/// a conflict to a function or a long selection to a worker, and does nothing until that one has called it back; each
/// handover is a queue, which orders the memory of the two threads.
final class Mutation: @unchecked Sendable {
    private let api: GraphQLAPI
    private let context: LoopContext
    private let reply: Answer.Reply
    /// One for the whole request: what waits in a queue at this moment is taken out of it.
    private let deadline: ContinuousClock.Instant
    private var completion: Completion
    /// The loop's own; a worker brings another.
    private let source: Completion.Source
    private var nextRoot = 0
    private var isFirst = true
    private var hasCommitted = false
    /// What the selections have cost so far, those that failed included.
    private var work = AnswerWork()
    /// For the log: the first field whose selection the store failed to read after a commit, and why. The answer says no
    /// more than that it failed.
    private var storeFailure: String?
    /// The committed write whose event is expected, by its sequence; settled when its field is done with.
    private var expected: UInt64?
    /// The event, once its field is completed.
    private var event: Event?
    /// What was committed, of which the event is made where the field's own answer fails.
    private var committed: (topic: Topic, item: Item, plan: WritePlan, field: PlannedField)?

    static func run(
        _ scope: Completion.Scope, by api: GraphQLAPI, on context: LoopContext, reply: @escaping Answer.Reply
    ) {
        Mutation(scope, by: api, on: context, reply: reply).advance()
    }

    private init(
        _ scope: Completion.Scope, by api: GraphQLAPI, on context: LoopContext, reply: @escaping Answer.Reply
    ) {
        self.api = api
        self.context = context
        self.reply = reply
        deadline = .now + .seconds(scope.schema.options.limits.executionSeconds)
        source = scope.source
        completion = Completion(scope: scope, writer: JSONWriter(capacity: 1024))
        completion.writer.append("{\"data\":{")
    }

    deinit {
        // An executor that has ended runs nothing any more; the events after it must not wait for it.
        if let expected { _ = eventQueues.settle(expected, nil, on: context.executor) {} }
    }

    private var eventQueues: EventQueues { scope.schema.environment.publisher.eventQueues }

    private var scope: Completion.Scope { completion.scope }

    /// Completes root fields until one has to wait for the writer, or all are done.
    private func advance() {
        while nextRoot < scope.plan.roots.count {
            let field = scope.plan.roots[nextRoot]
            nextRoot += 1
            guard field.isIncluded(scope.variables) else { continue }
            if isFirst { isFirst = false } else { completion.writer.append(UInt8(ascii: ",")) }
            completion.writer.append(field.key)
            if case .write(let plan) = field.resolution {
                do throws(ResolverError) {
                    if let attempt = try attempt(plan, of: field) { return submit(attempt) }
                } catch {
                    guard refuse(field, error) else { return finishWithoutData() }
                }
            } else {
                do throws(StoreError) {
                    let mark = completion.writer.mark()
                    let isValid = try onStack { () throws(StoreError) in
                        guard try completion.completeField(field, of: RootRow()) else { return false }
                        publishAnswer(of: field, from: mark)
                        return true
                    }
                    guard isValid else { return finishWithoutData() }
                } catch {
                    return failed(error, at: field)
                }
            }
        }
        completion.writer.append(UInt8(ascii: "}"))
        finish()
    }

    /// One field's write on its way.
    private struct Attempt {
        let plan: WritePlan
        let field: PlannedField
        let arguments: ArgumentValues
        /// What the caller asked for.
        let asked: Write
        /// What is written: the same, or what the function of a conflict made of it.
        var write: Write
        /// How often the function was asked.
        var conflictCount = 0
    }

    /// The write that a field asks for; nil when its arguments could not be had, which is noted and null.
    private func attempt(_ plan: WritePlan, of field: PlannedField) throws(ResolverError) -> Attempt? {
        guard let decision = scope.decisions.decision(about: field) else { throw .unauthorized(field) }
        guard completion.takeResolver() else { throw .resolverLimit }
        let request = WriteRequest(
            plan: plan, environment: scope.schema.environment, options: scope.schema.options,
            filters: scope.schema.filterRules)
        let errorCount = completion.errors.count
        guard let arguments = completion.coerceArguments(plan.arguments) else {
            completion.locate(from: errorCount, at: .key(field.responseKey))
            completion.writer.writeNull()
            return nil
        }
        let write = try request.write(arguments, decision, of: field)
        return Attempt(plan: plan, field: field, arguments: arguments, asked: write, write: write)
    }

    private func submit(_ attempt: Attempt) {
        api.store.write(attempt.write, deadline: deadline, on: context.executor) { [self] result in
            let (plan, field) = (attempt.plan, attempt.field)
            switch result {
            case .success(.item(let item, let sequence)):
                hasCommitted = true
                if let topic = plan.topic, eventQueues.isExpected(sequence) {
                    expect(sequence, topic, item, plan, field)
                }
                complete(Selection(item: item, plan: plan, field: field))
            case .success(.conditionFailed(let current)):
                guard plan.model.conflictHandler != nil else {
                    return proceed(refuse(field, .conditionalCheckFailed()))
                }
                // Who creates an item that is there is not shown it
                // (reference: datastore-sync, "Outcomes of mutations").
                refuse(plan, field, .versionedConditionFailed(), showing: plan.kind == .create ? nil : current)
            case .success(.notPermitted(.item)): proceed(refuse(field, .unauthorized(field)))
            case .success(.notPermitted(.fields(let names))): proceed(refuse(field, .unauthorized(names)))
            case .success(.conflict(let current, let version)):
                guard plan.model.conflictHandler == .lambda else {
                    return refuse(plan, field, .conflictUnhandled, showing: current)
                }
                resolve(attempt, current, version)
            case .failure(let error):
                failed(error, at: field)
            }
        }
    }

    // MARK: - Conflicts

    /// How often a function decides about one write, before the item's other writers win.
    private static let conflictCountMax = 5

    /// Lets the model's function decide, and writes what it decides if the item is still the one it was given. The
    /// writer does not wait for it.
    private func resolve(_ attempt: Attempt, _ current: Item, _ version: Int64) {
        let (plan, field) = (attempt.plan, attempt.field)
        guard attempt.conflictCount < Self.conflictCountMax else {
            return refuse(plan, field, .maxConflicts(Self.conflictCountMax), showing: nil)
        }
        guard let resolveConflict = scope.schema.environment.resolveConflict else {
            return refuse(plan, field, .conflictError, showing: nil)
        }
        let call = ConflictCall(
            attempt.asked, of: plan, current: current, field: field.fieldName, arguments: attempt.arguments,
            region: scope.schema.options.region)
        resolveConflict(call) { [self] answer in
            context.executor.execute { [self] in
                switch answer {
                case .answered(let answer): carryOut(ConflictDecision(answer, to: plan.kind), attempt, current, version)
                case .failed: refuse(plan, field, .conflictError, showing: nil)
                case .busy: failed(StoreError(.busy, "Too many conflicts are being decided."), at: field)
                }
            }
        }
    }

    private func carryOut(_ decision: ConflictDecision?, _ attempt: Attempt, _ current: Item, _ version: Int64) {
        let (plan, field) = (attempt.plan, attempt.field)
        if decision == .reject { return refuse(plan, field, .conflictUnhandled, showing: current) }
        guard let write = decision?.write(in: attempt.asked, of: plan, current: current, version: version) else {
            return refuse(plan, field, .invalidConflictDecision, showing: nil)
        }
        var next = attempt
        next.write = write
        next.conflictCount += 1
        submit(next)
    }

    /// The write was refused, and the error shows the stored item, cut to what the mutation selects.
    private func refuse(_ plan: WritePlan, _ field: PlannedField, _ error: ResolverError, showing current: Item?) {
        guard let current else { return proceed(refuse(field, error)) }
        complete(Selection(item: current, plan: plan, field: field, refusal: error))
    }

    // MARK: - Selections

    /// An item whose selection is completed: as the field's answer, or for the error that refuses the write.
    private struct Selection {
        let item: Item
        let plan: WritePlan
        let field: PlannedField
        var refusal: ResolverError?
    }

    /// The selection of a written item. Its children are read from a snapshot that has the commit.
    private func complete(_ selection: Selection) {
        let reader: Reader
        switch context.reads {
        case .live(let live): reader = live
        case .batched(let batches): return gather(selection, by: batches)
        }
        context.beginRequest(scope.schema.options.limits.loopBudget, by: reader)
        do throws(StoreError) {
            let isValid = try select(selection)
            work.add(reader)
            proceed(isValid)
        } catch {
            work.add(reader)
            guard error.code == .repeatOnWorker else { return failed(error, at: selection.field) }
            completeOnWorker(selection)
        }
    }

    /// The same over rows that are fetched first.
    private func gather(_ selection: Selection, by reader: any BatchReader) {
        Gather(scope, by: reader, deadline: deadline) { [self] result in
            do throws(StoreError) {
                let rows = try result.get()
                work.add(rows)
                completion.scope.source = .gathered(rows)
                proceed(try select(selection))
            } catch { failed(error, at: selection.field) }
        }.run(selection.plan.fields, of: selection.item)
    }

    /// Runs what walks the plan, on a stack that holds it.
    private func onStack(_ body: () throws(StoreError) -> Bool) throws(StoreError) -> Bool {
        scope.plan.isDeep ? try LargeStack.run(body) : try body()
    }

    /// The selection in the response; when the store fails, nothing of it is left there.
    private func select(_ selection: Selection) throws(StoreError) -> Bool {
        try onStack { () throws(StoreError) in try completeSelection(selection) }
    }

    private func completeSelection(_ selection: Selection) throws(StoreError) -> Bool {
        let (plan, field) = (selection.plan, selection.field)
        let mark = completion.writer.mark()
        let errorCount = completion.errors.count
        do throws(StoreError) {
            if let refusal = selection.refusal { return try self.refuse(selection, refusal) }
            let isValid =
                try completion.completeObject(plan.fields, of: selection.item) || completion.collapse(field, to: mark)
            try completion.checkSize()
            completion.locate(from: errorCount, at: .key(field.responseKey))
            if expected != nil, event == nil, let topic = plan.topic {
                let isNull = completion.writer.withBytes { $0[mark...].elementsEqual("null".utf8) }
                if !isNull { event = answer(of: field, from: mark, for: topic) ?? committedEvent() }
            }
            return isValid
        } catch {
            completion.writer.rewind(to: mark)
            completion.errors.removeLast(completion.errors.count - errorCount)
            throw error
        }
    }

    /// The field's error with the selection as its data: completed as an answer would be, and taken out again. Errors
    /// in it are left out: there is one error, the refusal.
    private func refuse(_ selection: Selection, _ refusal: ResolverError) throws(StoreError) -> Bool {
        let mark = completion.writer.mark()
        let errorCount = completion.errors.count
        var error = refusal
        if try completion.completeObject(selection.plan.fields, of: selection.item) {
            try completion.checkSize()
            error.data = completion.writer.withBytes { bytes in
                try? JSONReader.read(UnsafeRawBufferPointer(rebasing: bytes[mark...]), depthMax: Plan.answerLevelsMax)
            }
        }
        completion.writer.rewind(to: mark)
        completion.errors.removeLast(completion.errors.count - errorCount)
        return refuse(selection.field, error)
    }

    private func completeOnWorker(_ selection: Selection) {
        context.statistics.readMovedOff()
        let refusal = api.readOnWorker(
            for: scope.client, deadline: deadline, workSoFar: work, on: context.executor
        ) { [self] (reader) throws(StoreError) in
            completion.scope.source = Completion.Source(reader: reader)
            return try select(selection)
        } finish: { [self] result, work in
            self.work = work
            completion.scope.source = source
            switch result {
            case .success(let isValid): proceed(isValid)
            case .failure(let error): failed(error, at: selection.field)
            }
        }
        if let refusal { failed(refusal, at: selection.field) }
    }

    // MARK: - Events

    /// The write's commit was announced. An event that is filled is made of the item alone, whatever becomes of the
    /// mutation's own selection.
    private func expect(_ sequence: UInt64, _ topic: Topic, _ item: Item, _ plan: WritePlan, _ field: PlannedField) {
        expected = sequence
        committed = (topic, item, plan, field)
        guard plan.fillsEvents else { return }
        let row = EventRow(item: item, table: plan.table, redacting: plan.redactedFields)
        event = Event(topic: topic, tree: row.tree, row: row, origin: ObjectIdentifier(field), byteCount: row.byteCount)
    }

    /// The field's answer as an event; nil when it is null.
    private func answer(of field: PlannedField, from mark: Int, for topic: Topic) -> Event? {
        completion.writer.withBytes { bytes in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[mark...])
            return EventTree(variables: scope.variables).tree(bytes, of: field).map {
                // As values the text takes some times its length.
                Event(topic: topic, tree: $0, origin: ObjectIdentifier(field), byteCount: 4 * bytes.count)
            }
        }
    }

    /// The event of a write that is committed while its field's answer failed: too large, too late, or nested too deep. It
    /// has what the mutation selects of the item itself; the connections, which were to be read, are null.
    private func committedEvent() -> Event? {
        guard let (topic, item, plan, field) = committed else { return nil }
        let tree = EventTree(variables: scope.variables).tree(of: item, plan.fields) {
            completion.scope.allows($0, of: item)
        }
        return Event(topic: topic, tree: tree, origin: ObjectIdentifier(field), byteCount: item.eventByteCount)
    }

    /// Publishes a function's answer at once: no commit gives it a place in the order.
    private func publishAnswer(of field: PlannedField, from mark: Int) {
        guard case .function(let plan) = field.resolution, let topic = plan.topic, topic.isListenedTo,
            let event = answer(of: field, from: mark, for: topic)
        else { return }
        eventQueues.publish(event)
    }

    // MARK: - Endings

    /// After a field: on with the next, or the end where it could not be null. Its event goes first, so that it is on its
    /// way before the client is answered.
    private func proceed(_ isValid: Bool) {
        committed = nil
        guard let expected = expected.take() else { return isValid ? advance() : finishWithoutData() }
        let isDone = eventQueues.settle(expected, event.take(), on: context.executor) { [self] in
            if isValid { advance() } else { finishWithoutData() }
        }
        guard isDone else { return }
        if isValid { advance() } else { finishWithoutData() }
    }

    /// A root field that failed is null; the others go on. False when the field may not be null.
    private func refuse(_ field: PlannedField, _ error: ResolverError) -> Bool {
        let errorCount = completion.errors.count
        let isValid = completion.fail(field, error)
        completion.locate(from: errorCount, at: .key(field.responseKey))
        return isValid
    }

    /// The store failed. While nothing is committed the whole request fails, so that clients may retry it; afterwards
    /// only this field does, so that nothing is done twice.
    private func failed(_ error: StoreError, at field: PlannedField) {
        if expected != nil, event == nil { event = committedEvent() }
        if error.code == .invalidRequest {
            proceed(refuse(field, .validation(error.message)))
        } else if hasCommitted {
            let failure =
                error.code == .timedOut
                ? ResolverError(errorType: "ExecutionTimeout", message: "Execution timed out.")
                : ResolverError(errorType: "InternalFailure", message: "The store could not serve the request.")
            if storeFailure == nil { storeFailure = "\(field.responseKey): \(error.description)" }
            proceed(refuse(field, failure))
        } else {
            Answer.storeError(error).of(scope.plan.record, work).send(to: reply)
        }
    }

    private func finishWithoutData() {
        completion.writer.rewind(to: 0)
        completion.writer.append("{\"data\":null")
        finish()
    }

    private func finish() {
        var done = Completion(scope: scope, writer: JSONWriter(capacity: 16))
        swap(&done, &completion)
        var kind = AnswerKind.executed(done.errors, of: scope.plan.record, work)
        if let storeFailure { kind.report.cause = storeFailure }
        let writer = done.finish()
        writer.withBytes { reply(kind, $0) }
    }
}
