import JSON
import Synchronization

/// Long work that an operator has started: its steps, how far it is, and what came of it. Its thread changes it, others read it.
final class Job: Sendable {
    enum Phase: String, Sendable {
        case running, done, failed, cancelled
    }

    private struct Step {
        enum Phase: String {
            case waiting, running, done, failed, skipped
        }

        let name: String
        var phase = Phase.waiting
        var start: ContinuousClock.Instant?
        var milliseconds: Int64?

        var json: JSONValue {
            [
                "name": .string(name), "state": .string(phase.rawValue),
                "milliseconds": milliseconds.map { .number(String($0)) } ?? .null,
            ]
        }

        mutating func end(as phase: Phase) {
            self.phase = phase
            milliseconds = start.map { $0.duration(to: .now).milliseconds }
        }
    }

    private struct State {
        var phase = Phase.running
        var steps: [Step]
        var progress: (done: Int, total: Int?, rejected: Int)?
        var result: JSONObject?
        var error: OperatorProblem?
        var endMilliseconds: Int64?
        var rejects: [UInt8]?
        var lastMessage: ContinuousClock.Instant?
        var keptBytes = 0
    }

    let id: String
    let kind: String
    let target: String?
    /// The operator who has started it.
    let starter: String
    private let startMilliseconds = Moment.now.milliseconds
    private let state: Mutex<State>
    private let isCancelled = Atomic(false)
    private let changed: @Sendable (JSONValue) -> Void

    init(
        id: String, kind: String, target: String?, steps: [String], starter: String,
        changed: @escaping @Sendable (JSONValue) -> Void
    ) {
        (self.id, self.kind, self.target, self.starter) = (id, kind, target, starter)
        self.changed = changed
        state = Mutex(State(steps: steps.map { Step(name: $0) }))
    }

    var phase: Phase { state.withLock { $0.phase } }

    /// The parts of its input that were rejected, as a file; nil where there are none.
    var rejects: [UInt8]? { state.withLock { $0.rejects } }

    /// Bytes that it holds after its end, roughly: those of its text and its file. 0 while it runs.
    var keptBytes: Int { state.withLock { $0.keptBytes } }

    /// As the operators' API has it.
    var json: JSONValue { state.withLock { json($0) } }

    /// The same without the list of what was rejected, for lists and messages.
    var summary: JSONValue { state.withLock { summary($0) } }

    private func summary(_ state: State) -> JSONValue {
        var state = state
        state.result?["rejects"] = JSONValue?.none
        return json(state)
    }

    private func json(_ state: State) -> JSONValue {
        var object: JSONObject = [
            "id": .string(id), "kind": .string(kind), "target": target.map(JSONValue.string) ?? .null,
            "by": .string(starter), "state": .string(state.phase.rawValue),
            "startedAt": .string(Moment(milliseconds: startMilliseconds).text),
            "endedAt": state.endMilliseconds.map { .string(Moment(milliseconds: $0).text) } ?? .null,
            "steps": .array(state.steps.map(\.json)), "progress": .null,
            "result": state.result.map(JSONValue.object) ?? .null, "error": state.error?.json ?? .null,
        ]
        if let (done, total, rejected) = state.progress {
            object["progress"] = [
                "done": .number(String(done)), "total": total.map { .number(String($0)) } ?? .null,
                "rejected": .number(String(rejected)),
            ]
        }
        return .object(object)
    }

    // MARK: - By its thread

    /// Whether somebody has asked for its end.
    var isToBeCancelled: Bool { isCancelled.load(ordering: .relaxed) }

    /// Throws if the job is to be cancelled.
    func check() throws(OperatorProblem) {
        guard !isToBeCancelled else { throw .cancelled }
    }

    /// Carries out a step.
    func step<Success>(
        _ name: String, _ work: () throws(OperatorProblem) -> Success
    ) throws(OperatorProblem) -> Success {
        begin(name)
        do throws(OperatorProblem) {
            let success = try work()
            finish(name)
            return success
        } catch {
            change(name) { $0.end(as: .failed) }
            throw error
        }
    }

    func begin(_ name: String) {
        change(name) { step in
            step.phase = .running
            step.start = .now
        }
    }

    func finish(_ name: String) { change(name) { $0.end(as: .done) } }

    /// Ends the step that runs as failed, if one does.
    func failRunningStep() {
        guard let name = state.withLock({ $0.steps.first { $0.phase == .running }?.name }) else { return }
        change(name) { $0.end(as: .failed) }
    }

    func skip(_ name: String) { change(name) { $0.end(as: .skipped) } }

    func setProgress(done: Int, total: Int?, rejected: Int = 0) {
        let message = state.withLock { state -> JSONValue? in
            state.progress = (done, total, rejected)
            let now = ContinuousClock.now
            let least = Duration.milliseconds(JobLimits.progressMilliseconds)
            if let last = state.lastMessage, last.duration(to: now) < least { return nil }
            state.lastMessage = now
            return summary(state)
        }
        if let message { changed(message) }
    }

    /// What is known of the result while it runs, which a cancelled job keeps.
    func setResult(_ result: JSONObject) { state.withLock { $0.result = result } }

    func setRejects(_ file: [UInt8]) { state.withLock { $0.rejects = file } }

    private func change(_ name: String, _ body: (inout Step) -> Void) {
        let message = state.withLock { state -> JSONValue? in
            guard let index = state.steps.firstIndex(where: { $0.name == name }) else { return nil }
            body(&state.steps[index])
            return summary(state)
        }
        if let message { changed(message) }
    }

    // MARK: - By others

    /// Asks it to end; what it has done stays.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    func end(with result: Result<JSONObject, OperatorProblem>) {
        let message = state.withLock { state in
            switch result {
            case .success(let object): (state.phase, state.result) = (.done, object)
            case .failure(let problem) where problem.isCancellation: state.phase = .cancelled
            case .failure(var problem):
                let step = state.steps.first { $0.phase == .failed }?.name
                if let step { problem.details = problem.details ?? ["step": .string(step)] }
                (state.phase, state.error) = (.failed, problem)
            }
            state.endMilliseconds = Moment.now.milliseconds
            state.keptBytes = json(state).description.utf8.count + (state.rejects?.count ?? 0)
            return summary(state)
        }
        changed(message)
    }
}

extension OperatorProblem {
    fileprivate static let cancelled = OperatorProblem(code: .conflict, message: "The job was cancelled.")

    fileprivate var isCancellation: Bool { code == .conflict && message == Self.cancelled.message }

    /// The members of an error.
    fileprivate var json: JSONValue {
        var object: JSONObject = ["code": .string(code.rawValue), "message": .string(message)]
        object["hint"] = hint.map(JSONValue.string)
        object["field"] = field.map(JSONValue.string)
        object["details"] = details.map(JSONValue.object)
        return .object(object)
    }
}
