import JSON
import NIOPosix
import Synchronization

/// The jobs of a server: a bounded number runs, each on a thread of its own, and the last ones are kept. In memory: a server that
/// starts again has none.
final class Jobs: Sendable {
    private struct State {
        /// The oldest first.
        var jobs: [Job] = []
        var lastNumber = 0
        var runningCount = 0
        var isEnding = false
        /// Those who wait until none runs.
        var waiting: [CheckedContinuation<Void, Never>] = []

        /// Forgets the oldest jobs that have ended, but not the last one, until those that are kept keep to the bounds.
        mutating func forgetOldJobs() {
            let ended = jobs.filter { $0.phase != .running }
            var (count, bytes) = (ended.count, ended.reduce(0) { $0 + $1.keptBytes })
            for job in ended.dropLast() where count > JobLimits.keptMax || bytes > JobLimits.keptBytesMax {
                jobs.removeAll { $0 === job }
                (count, bytes) = (count - 1, bytes - job.keptBytes)
            }
        }
    }

    private let state = Mutex(State())
    private let threads = NIOThreadPool(numberOfThreads: JobLimits.runningMax)
    /// Distinguishes the jobs of this start from those of another.
    private let suffix = String(UInt16.random(in: .min ... .max), radix: 36)
    private let changed: @Sendable (JSONValue) -> Void

    /// - Parameter changed: Receives a job as the operators' API has it, when it begins, progresses or ends.
    init(changed: @escaping @Sendable (JSONValue) -> Void = { _ in }) {
        self.changed = changed
        threads.start()
    }

    /// The newest first.
    var all: [Job] { state.withLock { $0.jobs.reversed() } }

    subscript(id: String) -> Job? { state.withLock { $0.jobs.first { $0.id == id } } }

    /// Starts a job.
    ///
    /// - Parameters:
    ///   - steps: The names of its steps, in their order.
    ///   - work: Runs on a thread that may wait; returns the result.
    func start(
        _ kind: String, target: String? = nil, steps: [String] = [], by starter: String,
        _ work: @escaping @Sendable (Job) throws(OperatorProblem) -> JSONObject
    ) throws(OperatorProblem) -> Job {
        let job = try state.withLock { state throws(OperatorProblem) -> Job in
            guard !state.isEnding else { throw .notReady }
            guard state.runningCount < JobLimits.runningMax else { throw .tooManyJobs }
            state.lastNumber += 1
            state.runningCount += 1
            let job = Job(
                id: "j\(state.lastNumber)-\(suffix)", kind: kind, target: target, steps: steps, starter: starter,
                changed: changed)
            state.jobs.append(job)
            state.forgetOldJobs()
            return job
        }
        changed(job.json)
        threads.submit { [self] threadState in
            if case .active = threadState {
                job.end(with: Result { () throws(OperatorProblem) in try work(job) })
            } else {
                job.end(with: .failure(.notReady))
            }
            noteEnd()
        }
        return job
    }

    private func noteEnd() {
        let waiting = state.withLock { state in
            state.runningCount -= 1
            state.forgetOldJobs()
            guard state.runningCount == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Starts no further job, cancels those that run, and waits for their end. A step that cannot be left half done is finished.
    func end() async {
        await withCheckedContinuation { continuation in
            let (running, isIdle) = state.withLock { state in
                state.isEnding = true
                if state.runningCount > 0 { state.waiting.append(continuation) }
                return (state.jobs, state.runningCount == 0)
            }
            for job in running { job.cancel() }
            if isIdle { continuation.resume() }
        }
        threads.shutdownGracefully { _ in }
    }
}

extension OperatorProblem {
    fileprivate static let tooManyJobs = OperatorProblem(
        code: .limited, message: "\(JobLimits.runningMax) jobs are running. Wait until one has ended, or cancel it.")

    static func unknownJob(_ id: String) -> OperatorProblem {
        OperatorProblem(
            code: .notFound, message: "There is no job \(LogText.excerpt(id)).",
            hint: "Jobs are kept until the server ends, \(JobLimits.keptMax) at most, and fewer if they are large.")
    }
}
