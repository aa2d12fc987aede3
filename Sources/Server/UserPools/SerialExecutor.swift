import NIOPosix
import Tables

/// One thread, which runs work in the order in which it is given.
final class SerialExecutor: Tables.Executor {
    private let thread = NIOThreadPool(numberOfThreads: 1)

    init() { thread.start() }

    func execute(_ work: @escaping @Sendable () -> Void) { thread.submit { _ in work() } }

    /// Takes no further work.
    func end() { thread.shutdownGracefully { _ in } }
}
