import API
import HTTP
import Synchronization
import Tables

/// Whether requests are answered: found out by reading and by a write that commits nothing.
///
/// All who ask share one probe: its outcome is kept for a while, and who asks while it is on its way waits for it. So
/// `/ready` may be asked as often as anyone likes. A probe that does not come back in time counts as failed, and no other
/// begins before it has: it stands in the writer's queue.
final class Readiness: Sendable {
    /// What is answered: why not, or nil.
    typealias Reply = @Sendable (Problem?) -> Void

    private struct State {
        /// The last outcome, and when it was found out; why requests are not answered, or nil.
        var cause: String?
        var nanoseconds: Int64?
        /// Whether a probe is on its way, which one, and who waits for it.
        var isProbing = false
        var number = 0
        var waiting: [(loop: EventLoop, reply: Reply)] = []
    }

    /// Those who wait for one probe; more are answered with the last outcome.
    private static let waitingCountMax = 1_000

    private let probeMilliseconds: Int
    private let intervalNanoseconds: Int64
    private let log: Log
    private let state = Mutex(State())

    /// - Parameters:
    ///   - probeMilliseconds: How long a probe may take.
    ///   - intervalMilliseconds: How long an outcome is kept.
    init(_ log: Log, probeMilliseconds: Int, intervalMilliseconds: Int) {
        self.log = log
        self.probeMilliseconds = probeMilliseconds
        intervalNanoseconds = Int64(intervalMilliseconds) * 1_000_000
    }

    /// Answers on the loop, which is the context's and the caller's: at once, or when the probe on its way has ended.
    func ask(_ api: GraphQLAPI, on context: LoopContext, loop: EventLoop, reply: @escaping Reply) {
        enum Step {
            case answer(String?)
            case wait(Int)
            case probe(Int)
        }
        let now = EventLoop.uptimeNanoseconds
        let step: Step = state.withLock { state in
            if let nanoseconds = state.nanoseconds, now - nanoseconds < intervalNanoseconds {
                return .answer(state.cause)
            }
            guard state.isProbing else {
                state.isProbing = true
                state.number += 1
                state.waiting = [(loop, reply)]
                return .probe(state.number)
            }
            // The result of a late probe is ignored; the probe itself stays in the writer's queue.
            guard !state.waiting.isEmpty, state.waiting.count < Self.waitingCountMax else {
                return .answer(state.cause ?? Self.tooManyAsk)
            }
            state.waiting.append((loop, reply))
            return .wait(state.number)
        }
        switch step {
        case .answer(let cause): reply(cause.map { _ in .notAnswering })
        case .wait(let number): expire(number, on: loop)
        case .probe(let number):
            expire(number, on: loop)
            api.probe(on: context) { [self] error in conclude(number, error?.description, isLate: false) }
        }
    }

    private static let tooManyAsk = "Too many ask at one time."

    /// Each loop looks at the time itself: the one that probes may be what is stuck.
    private func expire(_ number: Int, on loop: EventLoop) {
        loop.schedule(afterMilliseconds: probeMilliseconds) { [self] in
            conclude(number, "A query and a write did not end within \(probeMilliseconds) ms.", isLate: true)
        }
    }

    private func conclude(_ number: Int, _ cause: String?, isLate: Bool) {
        let (waiting, isNews) = state.withLock { state -> ([(loop: EventLoop, reply: Reply)], Bool) in
            guard state.isProbing, state.number == number, !(isLate && state.waiting.isEmpty) else {
                return ([], false)
            }
            let isNews = (state.cause == nil) != (cause == nil)
            (state.cause, state.nanoseconds) = (cause, EventLoop.uptimeNanoseconds)
            state.isProbing = isLate
            defer { state.waiting = [] }
            return (state.waiting, isNews)
        }
        if isNews {
            if let cause {
                log(.warning, "The server is not ready: /ready is 503 now.", ["cause": cause])
            } else {
                log(.notice, "The server is ready again.")
            }
        }
        let problem: Problem? = cause.map { _ in .notAnswering }
        for (loop, reply) in waiting { loop.execute { reply(problem) } }
    }
}
