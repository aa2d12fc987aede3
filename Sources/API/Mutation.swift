import GraphQL
import JSON
import Tables
import Transformer

/// Runs a mutation: root fields one after the other, the first committed and completed before the second is written
/// (GraphQL spec §6.2.2).
///
/// Unchecked Sendable. Proof: it is handed on, never shared. It runs on its loop until it gives a write to the writer, a
/// conflict to a function, a long selection to a worker or a selection to a `Gather`, and does nothing until that one has
/// called it back; each handover is a queue, which orders the memory of the two threads. A thread of `LargeStack` runs
/// while the loop's thread waits for it.
///
/// Memory safety: `reply` borrows the bytes of the answer for its call; ranges of the writer's bytes begin at one of its marks.
@safe final class Mutation: @unchecked Sendable {
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
    /// Whether `advance` is running, and whether it has to go on with the next field.
    private var isAdvancing = false
    private var isNextDue = false
    private var course = MutationCourse()
    /// What the selections have cost so far, those that failed included.
    private var work = AnswerWork()
    /// For the log: the first field whose selection the store failed to read after a commit, and why. The answer says no
    /// more than that it failed.
    private var storeFailure: String?
    /// For operators: what is written, and the events of it. Nil unless the request is recorded or explained.
    private let notes: WorkNotes?
    /// The event of the current field.
    private var eventNote: EventNote?

    static func run(
        _ scope: Completion.Scope, by api: GraphQLAPI, on context: LoopContext, notes: WorkNotes? = nil,
        reply: @escaping Answer.Reply
    ) {
        unsafe Mutation(scope, by: api, on: context, notes, reply: reply).advance()
    }

    private init(
        _ scope: Completion.Scope, by api: GraphQLAPI, on context: LoopContext, _ notes: WorkNotes?,
        reply: @escaping Answer.Reply
    ) {
        self.api = api
        self.notes = notes
        self.context = context
        unsafe self.reply = unsafe reply
        deadline = .now + .seconds(scope.schema.options.limits.executionSeconds)
        source = scope.source
        completion = Completion(scope: scope, writer: JSONWriter(capacity: 1024))
        completion.writer.append("{\"data\":{")
    }

    deinit {
        // An executor that has ended runs nothing any more; the events after it must not wait for it.
        if let sequence = course.unsettledSequence {
            _ = eventQueues.settle(sequence, nil, on: context.executor) {}
        }
    }

    private var eventQueues: EventQueues { scope.schema.environment.publisher.eventQueues }

    private var scope: Completion.Scope { completion.scope }

    /// Completes root fields until one has to wait for the writer or a function, or all are done. A field that is done
    /// within its own call is followed by the next one here, so that many fields need no deeper stack.
    private func advance() {
        guard !isAdvancing else {
            isNextDue = true
            return
        }
        isAdvancing = true
        repeat {
            isNextDue = false
            completeRoots()
        } while isNextDue
        isAdvancing = false
    }

    private func completeRoots() {
        while nextRoot < scope.plan.roots.count {
            let field = scope.plan.roots[nextRoot]
            nextRoot += 1
            guard field.isIncluded(scope.variables) else { continue }
            if isFirst { isFirst = false } else { completion.writer.append(UInt8(ascii: ",")) }
            completion.writer.append(field.key)
            switch field.resolution {
            case .write(let plan):
                do throws(ResolverError) {
                    if let attempt = try attempt(plan, of: field) { return submit(attempt) }
                } catch {
                    guard refuse(field, error) else { return finishWithoutData() }
                }
            case .pipeline: return runPipeline(field)
            default:
                do throws(StoreError) {
                    guard try completeAnswer(field) else { return finishWithoutData() }
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
    }

    /// The write that a field asks for; nil when its arguments could not be had, which is noted and null.
    private func attempt(_ plan: WritePlan, of field: PlannedField) throws(ResolverError) -> Attempt? {
        guard let decision = scope.decisions.decision(about: field) else { throw .unauthorized(field) }
        guard completion.takeResolver() else { throw .resolverLimit }
        let request = WriteRequest(
            plan: plan, environment: scope.schema.environment, options: scope.schema.options,
            filters: scope.schema.filterRules, expectation: scope.expectation)
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
        course.beginWrite()
        api.store.write(attempt.write, deadline: deadline, on: context.executor) { [self] result in
            let model = attempt.plan.model
            carryOut(
                course.finishWrite(
                    result, kind: attempt.plan.kind, handler: model.conflictHandler,
                    failsCondition: scope.schema.definition.transformerVersion == .v1), for: attempt)
        }
    }

    private func carryOut(_ step: MutationCourse.Step, for attempt: Attempt) {
        let (plan, field) = (attempt.plan, attempt.field)
        switch step {
        case .complete(let item, let sequence):
            scope.schema.environment.publisher.changes.report(attempt.write, of: plan, writing: item)
            if notes != nil { note(attempt, version: plan.versionPosition.map(item.integer), sequence) }
            if let topic = plan.topic, eventQueues.isExpected(sequence) { expect(sequence, topic, item, plan, field) }
            complete(Selection(item: item, plan: plan, field: field))
        case .refuse(let refusal, nil):
            if notes != nil { note(attempt, refusedFor: refusal) }
            proceed(refuse(field, ResolverError(refusal, at: field)))
        case .refuse(let refusal, let current?):
            if notes != nil { note(attempt, refusedFor: refusal) }
            // The error shows the stored item, cut to what the mutation selects.
            complete(
                Selection(item: current, plan: plan, field: field, refusal: ResolverError(refusal, at: field)))
        case .askFunction(let current, _): askFunction(about: current, for: attempt)
        case .write(let decision, let current, let version):
            guard let write = decision.write(in: attempt.asked, of: plan, current: current, version: version) else {
                return carryOut(course.refuse(.invalidConflictDecision), for: attempt)
            }
            var next = attempt
            next.write = write
            submit(next)
        case .fail(let error): failed(error, at: field)
        }
    }

    /// Notes a committed write, and begins to count the subscriptions that its event reaches.
    private func note(_ attempt: Attempt, version: Int64?, _ sequence: UInt64) {
        notes?.add(
            WriteNote(
                path: attempt.field.responseKey, statement: WriteStatement(attempt.write), version: version))
        guard let topic = attempt.plan.topic else { return }
        eventNote = notes?.addEvent(of: topic)
        if !eventQueues.isExpected(sequence) { endNote(publishing: nil) }
    }

    /// Notes a write that was not carried out.
    private func note(_ attempt: Attempt, refusedFor refusal: MutationCourse.Refusal) {
        notes?.add(
            WriteNote(
                path: attempt.field.responseKey, statement: WriteStatement(attempt.write), conflict: refusal.reason))
    }

    /// The current field's event is about to be published, or there is none.
    private func endNote(publishing event: Event?) {
        if event == nil { eventNote?.publish(toLoops: 0) }
        eventNote = nil
    }

    /// Lets the model's function decide about a conflict. The writer does not wait for it.
    private func askFunction(about current: Item, for attempt: Attempt) {
        guard let resolveConflict = scope.schema.environment.resolveConflict else {
            return carryOut(course.refuse(.conflictFunctionFailed), for: attempt)
        }
        let call = ConflictCall(
            attempt.asked, of: attempt.plan, current: current, field: attempt.field.fieldName,
            arguments: attempt.arguments, identity: scope.eventIdentity(scope.requestDetails?()),
            region: scope.schema.options.region)
        resolveConflict(call) { [self] answer in
            context.executor.execute { [self] in
                carryOut(course.finishDecision(answer, kind: attempt.plan.kind), for: attempt)
            }
        }
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
        case .live(let live) where !scope.plan.hasPipelines: reader = live
        default: return gather(selection)
        }
        context.beginRequest(scope.schema.options.limits.loopBudget, by: reader)
        do throws(StoreError) {
            let isValid = try select(selection)
            work.add(reader)
            proceed(isValid)
        } catch {
            work.add(reader)
            guard error.code == .repeatOnWorker else { return failed(error, at: selection.field) }
            completeOnWorker(nil, at: selection.field) { [self] () throws(StoreError) in try select(selection) }
        }
    }

    /// The same over rows that are fetched first.
    private func gather(_ selection: Selection) {
        makeGather { [self] result in
            do throws(StoreError) {
                let rows = try result.get()
                work.add(rows)
                complete(rows, at: selection.field) { [self] () throws(StoreError) in try select(selection) }
            } catch { failed(error, at: selection.field) }
        }.run(selection.plan.fields, of: selection.item)
    }

    /// Completes gathered rows on the loop, and again on a worker if that takes too long.
    private func complete(
        _ rows: GatheredRows, at field: PlannedField, _ body: @escaping @Sendable () throws(StoreError) -> Bool
    ) {
        completion.scope.source = .gathered(
            rows, context.beginCompletion(scope.schema.options.limits.loopBudget, deadline: deadline))
        do throws(StoreError) {
            proceed(try body())
        } catch {
            guard error.code == .repeatOnWorker else { return failed(error, at: field) }
            completeOnWorker(LentRows(rows), at: field, body)
        }
    }

    private func makeGather(_ finish: @escaping Gather.Finish) -> Gather {
        Gather(
            scope, by: context.waves(api, for: scope.client), on: context.executor, deadline: deadline, finish: finish)
    }

    // MARK: - Pipelines

    /// Runs the pipeline of a root field, and completes what it answers.
    private func runPipeline(_ field: PlannedField) {
        course.beginPipeline()
        makeGather { [self] result in
            course.finishPipeline()
            do throws(StoreError) {
                let rows = try result.get()
                work.add(rows)
                complete(rows, at: field) { [self] () throws(StoreError) in try completeAnswer(field) }
            } catch { failed(error, at: field) }
        }.run([field], of: RootRow())
    }

    /// The answer of a field that writes nothing itself; when it cannot be completed, nothing of it is left.
    private func completeAnswer(_ field: PlannedField) throws(StoreError) -> Bool {
        let mark = completion.writer.mark()
        let beginning = completion.mark()
        do throws(StoreError) {
            return try onStack { () throws(StoreError) in
                var checks = RowChecks()
                guard try completion.completeField(field, of: RootRow(), &checks) else { return false }
                try completion.checkSize()
                publishAnswer(of: field, from: mark)
                return true
            }
        } catch {
            completion.rewind(to: beginning)
            throw error
        }
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
        let beginning = completion.mark()
        do throws(StoreError) {
            if let refusal = selection.refusal { return try self.refuse(selection, refusal) }
            let isValid =
                try completion.completeObject(plan.fields, of: selection.item) || completion.collapse(field, to: mark)
            try completion.checkSize()
            completion.locate(from: errorCount, at: .key(field.responseKey))
            if let item = course.itemWithoutEvent, let topic = plan.topic {
                let isNull = unsafe completion.writer.withBytes { unsafe $0[mark...].elementsEqual("null".utf8) }
                if !isNull {
                    course.setEvent(
                        answer(of: field, from: mark, for: topic) ?? event(of: item, topic, plan.fields, field))
                }
            }
            return isValid
        } catch {
            completion.rewind(to: beginning)
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
            error.data = unsafe completion.writer.withBytes { bytes in
                try? unsafe JSONReader.read(
                    UnsafeRawBufferPointer(rebasing: bytes[mark...]), depthMax: Plan.answerLevelsMax)
            }
        }
        completion.writer.rewind(to: mark)
        completion.errors.removeLast(completion.errors.count - errorCount)
        return refuse(selection.field, error)
    }

    /// - Parameter gathered: The rows that were gathered; nil if the worker reads them.
    private func completeOnWorker(
        _ gathered: LentRows?, at field: PlannedField, _ body: @escaping @Sendable () throws(StoreError) -> Bool
    ) {
        context.statistics.readHandedToWorker()
        let refusal = api.readOnWorker(
            for: scope.client, deadline: deadline, workSoFar: work, on: context.executor
        ) { [self] (reader) throws(StoreError) in
            completion.scope.source = Completion.Source(reader: reader, gathered: gathered)
            return try body()
        } finish: { [self] result, work in
            self.work = work
            completion.scope.source = source
            switch result {
            case .success(let isValid): proceed(isValid)
            case .failure(let error): failed(error, at: field)
            }
        }
        if let refusal { failed(refusal, at: field) }
    }

    // MARK: - Events

    /// The write's commit was announced. An event that is filled is made of the item alone, whatever becomes of the
    /// mutation's own selection.
    private func expect(_ sequence: UInt64, _ topic: Topic, _ item: Item, _ plan: WritePlan, _ field: PlannedField) {
        course.expectEvent(of: item, sequence: sequence)
        guard plan.fillsEvents else { return }
        let row = EventRow(item: item, table: plan.table, redacting: plan.redactedFields)
        course.setEvent(
            Event(
                topic: topic, tree: row.tree, row: row, origin: ObjectIdentifier(field), byteCount: row.byteCount,
                note: eventNote))
    }

    private var eventTree: EventTree {
        EventTree(variables: scope.variables, omitsCheckedFields: scope.identity.isAdministrator)
    }

    /// The field's answer as an event; nil when it is null.
    private func answer(of field: PlannedField, from mark: Int, for topic: Topic) -> Event? {
        unsafe completion.writer.withBytes { bytes in
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: bytes[mark...])
            return unsafe eventTree.tree(bytes, of: field).map {
                // As values the text takes some times its length.
                Event(
                    topic: topic, tree: $0, origin: ObjectIdentifier(field), byteCount: 4 * bytes.count,
                    note: eventNote)
            }
        }
    }

    /// The event of a write that is committed while its field's answer failed: too large, too late, or nested too deep. It
    /// has what the mutation selects of the item itself; the connections, which were to be read, are null.
    private func event(of item: Item, _ topic: Topic, _ fields: [PlannedField], _ field: PlannedField) -> Event {
        var checks = RowChecks()
        let tree = eventTree.tree(of: item, fields) {
            completion.scope.allows($0, of: item, &checks)
        }
        return Event(
            topic: topic, tree: tree, origin: ObjectIdentifier(field), byteCount: item.eventByteCount, note: eventNote)
    }

    /// Publishes a function's answer at once: no commit gives it a place in the order.
    private func publishAnswer(of field: PlannedField, from mark: Int) {
        let topic: Topic? =
            switch field.resolution {
            case .function(let plan): plan.topic
            case .pipeline(let plan): plan.topic
            default: nil
            }
        guard let topic else { return }
        eventNote = notes?.addEvent(of: topic)
        guard topic.isListenedTo, let event = answer(of: field, from: mark, for: topic) else {
            return endNote(publishing: nil)
        }
        endNote(publishing: event)
        eventQueues.publish(event)
    }

    // MARK: - Endings

    /// After a field: on with the next, or the end where it could not be null. Its event goes first, so that it is on its
    /// way before the client is answered.
    private func proceed(_ isValid: Bool) {
        guard let expected = course.finishField() else { return isValid ? advance() : finishWithoutData() }
        endNote(publishing: expected.event)
        let isPublished = eventQueues.settle(expected.sequence, expected.event, on: context.executor) { [self] in
            proceedPublished(isValid)
        }
        if isPublished { proceedPublished(isValid) }
    }

    private func proceedPublished(_ isValid: Bool) {
        course.finishPublishing()
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
        if let item = course.itemWithoutEvent, case .write(let plan) = field.resolution, let topic = plan.topic {
            course.setEvent(event(of: item, topic, plan.fields, field))
        }
        switch course.failure(error) {
        case .validation(let message): proceed(refuse(field, .validation(message)))
        case .field(let isTimeout):
            if storeFailure == nil { storeFailure = "\(field.responseKey): \(error.description)" }
            proceed(refuse(field, isTimeout ? .executionTimeout : .internalFailure))
        case .request: unsafe Answer.storeError(error).of(scope.plan.record, work).send(to: reply)
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
        var kind = AnswerKind.executed(done.errors, in: scope, work)
        if let storeFailure { kind.report.cause = storeFailure }
        if let notes { kind.report.add(notes) }
        let writer = done.finish()
        unsafe writer.withBytes { unsafe reply(kind, $0) }
    }
}
