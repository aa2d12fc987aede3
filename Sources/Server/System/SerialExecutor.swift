import NIOPosix
import Synchronization
import Tables

/// One thread, which runs work in the order in which it is given, one piece at a time.
///
/// Proof that two pieces never run at the same time, not even after `end`: `NIOThreadPool` runs what it is given after its end at
/// once, on the thread that gives it, and at its end what is still queued, on the thread that ends it. But the pool is only given
/// `runQueued`, and only when `isRunning` becomes true. It becomes false again when `runQueued` has found the queue empty, under the
/// same lock. So at most one call of `runQueued` is queued or running at any time, whichever thread it is on, and all work
/// runs inside such a call. The lock orders what consecutive calls write and read. Work that is given by running work waits in the
/// queue until that work has returned.
final class SerialExecutor: Tables.Executor {
    private struct State {
        /// Work in the order in which it was given, the last one first.
        var taken: [@Sendable () -> Void] = []
        /// Work that came after `taken`, the last one last.
        var queued: [@Sendable () -> Void] = []
        var isRunning = false

        mutating func next() -> (@Sendable () -> Void)? {
            if taken.isEmpty {
                taken = queued.reversed()
                queued = []
            }
            return taken.popLast()
        }
    }

    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let state = Mutex(State())

    init() { thread.start() }

    func execute(_ work: @escaping @Sendable () -> Void) {
        let begins = state.withLock { state in
            state.queued.append(work)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if begins { thread.submit { [self] _ in runQueued() } }
    }

    private func runQueued() {
        while let work = next() { work() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let work = state.next()
            if work == nil { state.isRunning = false }
            return work
        }
    }

    /// Ends the thread when it has run what it was given. Work that is given later runs on the thread that gives it.
    func end() { thread.shutdownGracefully { _ in } }
}
