import NIOPosix
import Synchronization
import Tables

/// The threads on which the operations of user pools run: a bounded number, behind the event loops where cores are short.
final class OperationExecutor: TaskExecutor {
    private let threads: NIOThreadPool
    private let isServing = Atomic(false)

    init(threadCount: Int) {
        threads = NIOThreadPool(numberOfThreads: threadCount)
        threads.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        threads.submit { [self] _ in
            if isServing.load(ordering: .relaxed) { ThreadPriority.lower() }
            // Memory safety: the executor lives for the call, and a job is run once.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Lets the event loops go first from now on. Until then nobody is served, and the start waits for what runs here.
    func beginServing() { isServing.store(true, ordering: .relaxed) }

    /// Takes no further work.
    func end() { threads.shutdownGracefully { _ in } }
}
