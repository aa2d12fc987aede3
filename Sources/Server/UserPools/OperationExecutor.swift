import NIOPosix
import Tables

/// The threads on which the operations of user pools run: a bounded number, behind the event loops where cores are short.
final class OperationExecutor: TaskExecutor {
    private let threads: NIOThreadPool

    init(threadCount: Int) {
        threads = NIOThreadPool(numberOfThreads: threadCount)
        threads.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        threads.submit { [self] _ in
            ThreadPriority.lower()
            // Memory safety: the executor lives for the call, and a job is run once.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Takes no further work.
    func end() { threads.shutdownGracefully { _ in } }
}
