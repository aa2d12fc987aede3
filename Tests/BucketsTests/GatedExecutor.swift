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

/// One thread for tasks, whose jobs wait until the gate is open and then run in the order in which they came.
final class GatedTaskExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "gated tasks")
    private let count = Mutex(0)

    init() { queue.suspend() }

    /// Jobs that were submitted.
    var submittedCount: Int { count.withLock { $0 } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        count.withLock { $0 += 1 }
        queue.async { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// To be called once.
    func open() { queue.resume() }
}
