import JSON
import Tables
import Transformer

/// Runs the pipelines of one level of a request: together, as many at one time as a request may, and the steps of each one
/// after the other. Used on one loop; functions call back on any thread.
final class PipelineQueue {
    /// A pipeline for one parent.
    struct Run {
        let field: PlannedField
        let plan: PipelinePlan
        let event: FunctionEvent
        /// The parent's number.
        let parent: Int
        /// The parent, as the event has it.
        let source: [UInt8]
        var nextStep = 0
        /// What the step before answered.
        var result = Array("{}".utf8)
    }

    typealias Finish = (Run, Result<JSONValue, ResolverError>, _ byteCount: Int) -> Void

    private let environment: APIEnvironment
    private let runningMax: Int
    private let executor: any Executor
    private let deadline: ContinuousClock.Instant
    private var waiting: ArraySlice<Run> = []
    private var runningCount = 0
    private var isCancelled = false
    private var finish: Finish?
    private var end: (() -> Void)?

    init(_ schema: ExecutableSchema, on executor: any Executor, deadline: ContinuousClock.Instant) {
        environment = schema.environment
        runningMax = schema.options.limits.functionCallsPerRequestMax
        self.executor = executor
        self.deadline = deadline
    }

    /// Runs pipelines. `end` is called after the last one, not within this call.
    func run(_ runs: [Run], finish: @escaping Finish, end: @escaping () -> Void) {
        precondition(self.end == nil, "one level runs at a time")
        (waiting, self.finish, self.end) = (runs[...], finish, end)
        startSome()
    }

    /// Drops pipelines that have not started. Running ones invoke no further function, and their results are discarded.
    func cancel() { (isCancelled, waiting, finish, end) = (true, [], nil, nil) }

    private func startSome() {
        while runningCount < runningMax, let run = waiting.popFirst() {
            runningCount += 1
            invoke(run)
        }
    }

    private func invoke(_ run: Run) {
        guard ContinuousClock.now < deadline else { return take(.failed(.functionTimeout), of: run) }
        guard let invoker = environment.invokeFunction else {
            return take(.failed(.functionNotFound(run.invocation.name)), of: run)
        }
        let event = run.event.bytes(source: run.source, result: run.result)
        guard event.count <= LambdaQuota.eventBytesMax else {
            return take(.failed(.functionEventTooLarge(event.count)), of: run)
        }
        let call = FunctionCall(
            name: run.invocation.name, region: run.invocation.region, accountId: run.invocation.accountId,
            event: event, deadline: deadline)
        let own = Unchecked((queue: self, run: run))
        invoker(call) { [executor] result in
            let answer = StepAnswer(result, of: call.name)
            executor.execute { own.value.queue.receive(answer, of: own.value.run) }
        }
    }

    /// What needs no function is taken in a later turn as well, so that nothing is called back within `run`.
    private func take(_ answer: StepAnswer, of run: Run) {
        let own = Unchecked((queue: self, run: run))
        executor.execute { own.value.queue.receive(answer, of: own.value.run) }
    }

    private func receive(_ answer: StepAnswer, of run: Run) {
        guard !isCancelled else { return }
        var run = run
        switch answer {
        case .value(_, let bytes) where run.nextStep + 1 < run.plan.steps.count:
            run.nextStep += 1
            run.result = bytes
            return invoke(run)
        case .value(let value, let bytes): finish?(run, .success(value), bytes.count)
        case .failed(let error): finish?(run, .failure(error), 0)
        }
        runningCount -= 1
        startSome()
        guard runningCount == 0, let end else { return }
        (self.end, finish) = (nil, nil)
        end()
    }
}

extension PipelineQueue.Run {
    fileprivate var invocation: FunctionInvocation {
        switch plan.steps[nextStep] {
        case .function(let invocation): invocation
        }
    }
}

/// What a step gave. A large answer is read where it arrives, not on the loop of the request.
private enum StepAnswer: Sendable {
    case value(JSONValue, [UInt8])
    case failed(ResolverError)

    init(_ result: FunctionResult, of name: String) {
        switch result {
        case .failed(let errorType, let message):
            self = .failed(ResolverError(errorType: errorType, message: message))
        case .answered(let bytes):
            let value = unsafe bytes.withUnsafeBytes {
                try? unsafe JSONReader.read($0, depthMax: JSONShape.storedDepthMax)
            }
            self = value.map { .value($0, bytes) } ?? .failed(.functionAnswerUnreadable(name))
        }
    }
}

extension ResolverError {
    /// The request's time is over.
    static let functionTimeout = ResolverError(
        errorType: "Lambda:ExecutionTimeoutException", message: "Execution timed out.")

    static func functionNotFound(_ name: String) -> ResolverError {
        ResolverError(errorType: "Lambda:ResourceNotFoundException", message: "Function not found: \(name)")
    }

    static func functionAnswerUnreadable(_ name: String) -> ResolverError {
        ResolverError(
            errorType: "Lambda:IllegalArgument",
            message: "Unable to parse the response of the function '\(name)' as JSON.")
    }

    static func functionEventTooLarge(_ byteCount: Int) -> ResolverError {
        ResolverError(
            errorType: "Lambda:RequestTooLargeException",
            message: "\(byteCount) byte payload is too large for the RequestResponse invocation type "
                + "(limit \(LambdaQuota.eventBytesMax) bytes)")
    }
}
