import Tables
import Transformer

/// How far a mutation has come: what its current root field waits for, and which step follows from what came back. A value
/// that knows no store, no event queue and no response: `Mutation` carries the steps out and reports their results, and
/// every order of results is tested without a thread.
struct MutationCourse {
    /// Where the current root field is.
    enum State {
        /// There is none: before the first, between two, or after the last.
        case idle
        /// The writer has the field's write, which follows this many decisions about conflicts.
        case writing(decisionCount: Int)
        /// The model's function decides about a conflict with the stored item.
        case resolvingConflict(current: Item, version: Int64, decisionCount: Int)
        /// The functions that answer the field are invoked.
        case invoking
        /// The writer or the functions have answered: the field is being completed, or fails. The event is that of the
        /// commit; nil if no subscription waits for it.
        case completing(ExpectedEvent?)
        /// The field is completed, and its event waits for the events of earlier commits.
        case publishing
    }

    /// A commit whose event later events of its topic wait for.
    struct ExpectedEvent {
        /// The commit's place in the store's order, by which the event is settled.
        let sequence: UInt64
        /// What was committed: the event is made of it if the field's own answer fails.
        let item: Item
        /// The event, once it is made.
        var event: Event?
    }

    /// What follows a result of the writer or of a conflict's function.
    enum Step: Equatable {
        /// The write is committed: its event is expected, if anyone subscribes, and its selection completed.
        case complete(Item, sequence: UInt64)
        /// The write is refused: the field is null, with an error that shows the selection of this item.
        case refuse(Refusal, showing: Item?)
        /// The model's function is asked about the conflict with this item.
        case askFunction(current: Item, version: Int64)
        /// The write that carries the function's decision out is made and given to the writer.
        case write(ConflictDecision, current: Item, version: Int64)
        /// The store failed: see `failure`.
        case fail(StoreError)
    }

    /// Why a write is refused.
    enum Refusal: Equatable {
        case conditionFailed
        /// The same for a model with versions, whose error shows the stored item.
        case versionedConditionFailed
        /// Either of the two, because of rules.
        case guardFailed(isVersioned: Bool)
        case unauthorized
        case unauthorizedFields([String])
        /// The stored version is another, and the model has no function, or the function rejects the change.
        case conflictUnhandled
        case conflictFunctionFailed
        case invalidConflictDecision
        case tooManyConflicts
    }

    /// What becomes of a failure of the store.
    enum Failure: Equatable {
        /// The request was refused for what it asks; the field is null.
        case validation(String)
        /// Something is committed already, so only this field is null: the client must not repeat what was done.
        case field(isTimeout: Bool)
        /// Nothing is committed: the whole request fails, and the client may repeat it.
        case request
    }

    /// How often a function decides about one write, before the item's other writers win.
    static let decisionCountMax = 5

    private(set) var state = State.idle
    /// Whether something was done that a repeated request would do again.
    private(set) var hasCommitted = false

    /// The field's write is given to the writer.
    mutating func beginWrite() {
        switch state {
        case .idle: state = .writing(decisionCount: 0)
        case .resolvingConflict(_, _, let decisionCount): state = .writing(decisionCount: decisionCount + 1)
        case .writing, .invoking, .completing, .publishing:
            preconditionFailure("a field is written once, and again after a conflict")
        }
    }

    /// The writer's result.
    /// - Parameter failsCondition: Whether a write that rules do not permit is answered like a failed condition, as in
    ///   version 1.
    mutating func finishWrite(
        _ result: Result<WriteResult, StoreError>, kind: WritePlan.Kind, handler: ConflictHandler?,
        failsCondition: Bool = false
    ) -> Step {
        guard case .writing(let decisionCount) = state else { preconditionFailure("no write was begun") }
        state = .completing(nil)
        switch result {
        case .success(.item(let item, let sequence)):
            hasCommitted = true
            return .complete(item, sequence: sequence)
        case .success(.conditionFailed(let current)):
            guard handler != nil else { return .refuse(.conditionFailed, showing: nil) }
            // A caller who creates an item that exists is not shown it (reference: datastore-sync, "Outcomes of mutations").
            return .refuse(.versionedConditionFailed, showing: kind == .create ? nil : current)
        case .success(.notPermitted) where failsCondition:
            return .refuse(.guardFailed(isVersioned: handler != nil), showing: nil)
        case .success(.notPermitted(.item)): return .refuse(.unauthorized, showing: nil)
        case .success(.notPermitted(.fields(let names))): return .refuse(.unauthorizedFields(names), showing: nil)
        case .success(.conflict(let current, let version)):
            guard handler == .lambda else { return .refuse(.conflictUnhandled, showing: current) }
            guard decisionCount < Self.decisionCountMax else { return .refuse(.tooManyConflicts, showing: nil) }
            state = .resolvingConflict(current: current, version: version, decisionCount: decisionCount)
            return .askFunction(current: current, version: version)
        case .failure(let error): return .fail(error)
        }
    }

    /// The answer of a conflict's function.
    mutating func finishDecision(_ answer: ConflictAnswer, kind: WritePlan.Kind) -> Step {
        guard case .resolvingConflict(let current, let version, _) = state else {
            preconditionFailure("no conflict is being decided")
        }
        switch answer {
        case .answered(let bytes):
            switch ConflictDecision(bytes, to: kind) {
            case nil: return refuse(.invalidConflictDecision)
            case .reject: return refuse(.conflictUnhandled, showing: current)
            case .some(let decision): return .write(decision, current: current, version: version)
            }
        case .failed: return refuse(.conflictFunctionFailed)
        case .busy:
            state = .completing(nil)
            return .fail(StoreError(.busy, "Too many conflicts are being decided."))
        }
    }

    /// A conflict ends without a write.
    mutating func refuse(_ refusal: Refusal, showing current: Item? = nil) -> Step {
        guard case .resolvingConflict = state else { preconditionFailure("no conflict is being decided") }
        state = .completing(nil)
        return .refuse(refusal, showing: current)
    }

    // MARK: - Pipelines

    /// The field's pipeline is run.
    mutating func beginPipeline() {
        guard case .idle = state else { preconditionFailure("root fields are run one after the other") }
        state = .invoking
    }

    /// The pipeline has ended, with a value or an error. Functions may have had effects, which a client must not repeat
    /// either: they count as committed.
    mutating func finishPipeline() {
        guard case .invoking = state else { preconditionFailure("no pipeline was begun") }
        state = .completing(nil)
        hasCommitted = true
    }

    // MARK: - Events

    /// Later events of the topic wait for the event of the commit.
    mutating func expectEvent(of item: Item, sequence: UInt64) {
        guard case .completing(nil) = state else { preconditionFailure("an event is expected of a commit, once") }
        state = .completing(ExpectedEvent(sequence: sequence, item: item))
    }

    /// The committed item whose event is expected and not made.
    var itemWithoutEvent: Item? {
        guard case .completing(let expected?) = state, expected.event == nil else { return nil }
        return expected.item
    }

    /// The event of the commit is made.
    mutating func setEvent(_ event: Event?) {
        guard case .completing(var expected?) = state else { preconditionFailure("no event is expected") }
        expected.event = event
        state = .completing(expected)
    }

    // MARK: - Ends

    /// The store failed while the field was written or completed.
    func failure(_ error: StoreError) -> Failure {
        if error.code == .invalidRequest { return .validation(error.message) }
        return hasCommitted ? .field(isTimeout: error.code == .timedOut) : .request
    }

    /// The current field is done with.
    /// - Returns: The event that has to be settled before the next field begins; then `finishPublishing` follows.
    mutating func finishField() -> ExpectedEvent? {
        guard case .completing(let expected?) = state else {
            state = .idle
            return nil
        }
        state = .publishing
        return expected
    }

    /// The field's event is in the inboxes.
    mutating func finishPublishing() {
        guard case .publishing = state else { preconditionFailure("no event is being published") }
        state = .idle
    }

    /// The commit whose event is still expected, if the mutation is destroyed before its end.
    var unsettledSequence: UInt64? {
        guard case .completing(let expected?) = state else { return nil }
        return expected.sequence
    }
}

extension ResolverError {
    /// The error of a refused write.
    init(_ refusal: MutationCourse.Refusal, at field: PlannedField) {
        switch refusal {
        case .conditionFailed: self = .conditionalCheckFailed()
        case .versionedConditionFailed: self = .versionedConditionFailed()
        case .guardFailed(let isVersioned):
            self = isVersioned ? .versionedConditionFailed() : .conditionalCheckFailed()
            isOfRules = true
        case .unauthorized: self = .unauthorized(field)
        case .unauthorizedFields(let names): self = .unauthorized(names)
        case .conflictUnhandled: self = .conflictUnhandled
        case .conflictFunctionFailed: self = .conflictError
        case .invalidConflictDecision: self = .invalidConflictDecision
        case .tooManyConflicts: self = .maxConflicts(MutationCourse.decisionCountMax)
        }
    }
}
