import GraphQL
import JSON
import Tables

/// Runs a mutation: root fields one after the other, the first committed and completed before the second is written
/// (spec §6.2.2).
///
/// Unchecked Sendable. Proof: it is handed on, never shared. It runs on its loop until it gives a write to the writer
/// or a long selection to a worker, and does nothing until that one has called it back; each handover is a queue,
/// which orders the memory of the two threads.
final class Mutation: @unchecked Sendable {
    private let context: LoopContext
    private let reply: Answer.Reply
    /// One for the whole request: what waits in a queue at this moment is taken out of it.
    private let deadline: ContinuousClock.Instant
    private var completion: Completion
    private var nextRoot = 0
    private var isFirst = true
    private var hasCommitted = false
    /// The committed write whose event somebody waits for, by its sequence; settled when its field is done with.
    private var expected: UInt64?
    /// The event, once its field is completed.
    private var event: Event?

    static func run(_ scope: Completion.Scope, on context: LoopContext, reply: @escaping Answer.Reply) {
        Mutation(scope, on: context, reply: reply).advance()
    }

    private init(_ scope: Completion.Scope, on context: LoopContext, reply: @escaping Answer.Reply) {
        self.context = context
        self.reply = reply
        deadline = .now + .seconds(scope.api.options.limits.executionSeconds)
        completion = Completion(scope: scope, writer: JSONWriter(capacity: 1024))
        completion.writer.append("{\"data\":{")
    }

    deinit {
        // An executor that has ended runs nothing any more; those behind the event must not wait for it.
        if let expected { _ = lanes.settle(expected, nil, on: context.executor) {} }
    }

    private var lanes: EventLanes { scope.api.environment.publisher.lanes }

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
                    if let write = try write(plan, of: field) { return submit(write, plan, field) }
                } catch {
                    guard refuse(field, error) else { return finishWithoutData() }
                }
            } else {
                do throws(StoreError) {
                    let mark = completion.writer.mark()
                    guard try completion.completeField(field, of: RootRow()) else { return finishWithoutData() }
                    publishAnswer(of: field, from: mark)
                } catch {
                    return failed(error, at: field)
                }
            }
        }
        completion.writer.append(UInt8(ascii: "}"))
        finish()
    }

    /// The write that a field asks for; nil when its arguments could not be had, which is noted and null.
    private func write(_ plan: WritePlan, of field: PlannedField) throws(ResolverError) -> Write? {
        var narrowing: Condition?
        switch Authorization.decide(field.rules, for: scope.identity) {
        case .allow: break
        case .deny: throw .unauthorized(field)
        case .narrow(let condition): narrowing = condition
        }
        guard completion.takeResolver() else { throw .resolverLimit }
        let request = WriteRequest(
            plan: plan, environment: scope.api.environment, filterTermsMax: scope.api.options.limits.filterTermsMax)
        let errorCount = completion.errors.count
        guard let arguments = completion.coerceArguments(plan.arguments) else {
            completion.locate(from: errorCount, at: .key(field.responseKey))
            completion.writer.writeNull()
            return nil
        }
        return try request.write(arguments, narrowing: narrowing)
    }

    private func submit(_ write: Write, _ plan: WritePlan, _ field: PlannedField) {
        scope.api.store.write(write, deadline: deadline, on: context.executor) { [self] result in
            switch result {
            case .success(.item(let item, let sequence)):
                hasCommitted = true
                if let topic = plan.topic, lanes.isExpected(sequence) { expect(sequence, topic, item, plan, field) }
                complete(item, plan, field)
            case .success(.conditionFailed):
                proceed(refuse(field, .conditionalCheckFailed()))
            case .success(.conflict):
                preconditionFailure("Only a write that names a version meets a conflict.")
            case .failure(let error):
                failed(error, at: field)
            }
        }
    }

    /// The selection of a written item. Its children are read from a snapshot that has the commit.
    private func complete(_ item: Item, _ plan: WritePlan, _ field: PlannedField) {
        context.beginRequest(.loop(steps: scope.api.options.limits.readStepsMax))
        do throws(StoreError) {
            proceed(try select(item, plan, field))
        } catch {
            guard error.code == .movedOff else { return failed(error, at: field) }
            completeOnWorker(item, plan, field)
        }
    }

    /// The selection in the response; when the store fails, nothing of it is left there.
    private func select(_ item: Item, _ plan: WritePlan, _ field: PlannedField) throws(StoreError) -> Bool {
        let mark = completion.writer.mark()
        let errorCount = completion.errors.count
        do throws(StoreError) {
            let isValid = try completion.completeObject(plan.fields, of: item) || completion.collapse(field, to: mark)
            try completion.checkSize()
            completion.locate(from: errorCount, at: .key(field.responseKey))
            if expected != nil, event == nil, let topic = plan.topic {
                event = answer(of: field, from: mark, for: topic)
            }
            return isValid
        } catch {
            completion.writer.rewind(to: mark)
            completion.errors.removeLast(completion.errors.count - errorCount)
            throw error
        }
    }

    private func completeOnWorker(_ item: Item, _ plan: WritePlan, _ field: PlannedField) {
        let api = scope.api
        context.statistics.readMovedOff()
        let isQueued = api.workers.run(queuedMax: api.options.limits.workerQueueCountMax) { [self, deadline] lent in
            let outcome: Result<Bool, StoreError>
            do throws(StoreError) {
                let reader = try lent.get()
                reader.beginRequest(budget: .worker(deadline: deadline))
                defer { reader.endTurn() }
                completion.scope.reader = reader
                outcome = .success(try select(item, plan, field))
            } catch { outcome = .failure(error) }
            context.executor.execute { [self] in
                completion.scope.reader = context.reader
                switch outcome {
                case .success(let isValid): proceed(isValid)
                case .failure(let error): failed(error, at: field)
                }
            }
        }
        if !isQueued { failed(StoreError(.busy, "Too many long reads are waiting."), at: field) }
    }

    // MARK: - Events

    /// The write's commit was announced. An event that is filled is made of the item alone, whatever becomes of the
    /// mutation's own selection.
    private func expect(_ sequence: UInt64, _ topic: Topic, _ item: Item, _ plan: WritePlan, _ field: PlannedField) {
        expected = sequence
        guard scope.api.options.subscriptions == .fill else { return }
        let row = EventRow(item: item, table: plan.table)
        event = Event(topic: topic, tree: row.tree, row: row, origin: field, byteCount: row.byteCount)
    }

    /// The field's answer as an event; nil when it is null.
    private func answer(of field: PlannedField, from mark: Int, for topic: Topic) -> Event? {
        completion.writer.withBytes { bytes in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[mark...])
            return EventTree(variables: scope.variables).tree(bytes, of: field).map {
                // As values the text takes some times its length.
                Event(topic: topic, tree: $0, origin: field, byteCount: 4 * bytes.count)
            }
        }
    }

    /// What a function answered is told at once: no commit gives it a place.
    private func publishAnswer(of field: PlannedField, from mark: Int) {
        guard case .function(let plan) = field.resolution, let topic = plan.topic, topic.isListenedTo,
            let event = answer(of: field, from: mark, for: topic)
        else { return }
        lanes.publish(event)
    }

    // MARK: - Endings

    /// Behind a field: on with the next, or the end where it could not be null. Its event goes first, so that whoever
    /// is answered finds it on its way.
    private func proceed(_ isValid: Bool) {
        guard let expected = expected.take() else { return isValid ? advance() : finishWithoutData() }
        let isDone = lanes.settle(expected, event.take(), on: context.executor) { [self] in
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
        if error.code == .invalidRequest {
            proceed(refuse(field, .validation(error.message)))
        } else if hasCommitted {
            let failure =
                error.code == .timedOut
                ? ResolverError(errorType: "ExecutionTimeout", message: "Execution timed out.")
                : ResolverError(errorType: "InternalFailure", message: "The store could not serve the request.")
            proceed(refuse(field, failure))
        } else {
            Answer.storeError(error).send(to: reply)
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
        let kind = AnswerKind.executed(done.errors)
        let writer = done.finish()
        writer.withBytes { reply(kind, $0) }
    }
}
