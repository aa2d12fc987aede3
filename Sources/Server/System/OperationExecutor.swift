import NIOPosix
import Synchronization
import Tables

/// A fixed number of threads on which operations run that compute or wait for the disk: those of user pools, buckets and analytics. From
/// `beginServing` on their priority is lower than that of the event loops; operations of buckets keep the loops' priority, because
/// they mostly wait.
final class OperationExecutor: TaskExecutor {
    private let threads: NIOThreadPool
    private let isServing = Atomic(false)

    init(threadCount: Int) {
        threads = NIOThreadPool(numberOfThreads: threadCount)
        threads.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        submit { [self] in
            // Memory safety: the executor lives for the call, and a job is run once.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Runs work on one of the threads, after what was submitted before.
    func submit(_ work: @escaping @Sendable () -> Void) {
        threads.submit { [self] _ in
            if isServing.load(ordering: .relaxed) { ThreadPriority.lower() }
            work()
        }
    }

    /// Lowers the priority of the threads below that of the event loops from now on. During the start nothing is served yet, and
    /// generating keys should not take longer than necessary.
    func beginServing() { isServing.store(true, ordering: .relaxed) }

    /// Takes no further work.
    func end() { threads.shutdownGracefully { _ in } }
}
