import Dispatch
import Synchronization
import Tables

/// One thread, whose work waits until the gate is open.
final class GatedExecutor: Tables.Executor {
    private let queue = DispatchQueue(label: "gated")
    private let count = Mutex(0)

    init() { queue.suspend() }

    /// Work that was submitted.
    var submittedCount: Int { count.withLock { $0 } }

    func execute(_ work: @escaping @Sendable () -> Void) {
        count.withLock { $0 += 1 }
        queue.async { work() }
    }

    /// To be called once.
    func open() { queue.resume() }
}
