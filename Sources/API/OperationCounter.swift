import Synchronization

/// Counts the answers to operations of one name on one loop. The loop adds, any thread reads.
final class OperationCounter: Sendable {
    private let answers = Atomic(0)
    private let failures = Atomic(0)
    private let time = Atomic<Int64>(0)

    var count: Int { answers.load(ordering: .relaxed) }
    var failureCount: Int { failures.load(ordering: .relaxed) }
    var nanoseconds: Int64 { time.load(ordering: .relaxed) }

    /// Counts an answer. On the counter's loop only, which is why nothing is lost between the load and the store; an
    /// atomic addition takes as long as all of this several times over.
    func answered(nanoseconds: Int64, isFailure: Bool) {
        answers.store(answers.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        time.store(time.load(ordering: .relaxed) &+ nanoseconds, ordering: .relaxed)
        if isFailure { failures.store(failures.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }
    }
}
