import NIOCore
import NIOPosix
import Synchronization

/// The threads on which a forward proxy resolves names: the system's resolver blocks. Safe to use from any thread.
///
/// A caller that has gone is skipped, and `resolutionsMax` callers wait at one time, so that names that are slow to resolve delay only
/// connections to other such names, and not for long.
final class ProxyResolver: Sendable {
    /// Whether the result of a resolution is still wanted.
    final class Interest: Sendable {
        private let isWithdrawn = Atomic(false)

        func withdraw() { isWithdrawn.store(true, ordering: .relaxed) }

        fileprivate var isWanted: Bool { !isWithdrawn.load(ordering: .relaxed) }
    }

    private let threads: NIOThreadPool
    private let waitingMax: Int
    private let waitingCount = Atomic(0)

    init(_ limits: ProxyLimits) {
        threads = NIOThreadPool(numberOfThreads: limits.resolverThreadCount)
        waitingMax = limits.resolutionsMax
        threads.start()
    }

    /// Runs `body` on a thread. Fails with a `ProxyRefusal` if too many wait, and with a `CancellationError` if the caller has gone.
    func run<Success: Sendable>(
        for interest: Interest, on loop: any EventLoop, _ body: @escaping @Sendable () throws -> Success
    ) -> EventLoopFuture<Success> {
        guard waitingCount.add(1, ordering: .relaxed).newValue <= waitingMax else {
            waitingCount.subtract(1, ordering: .relaxed)
            return loop.makeFailedFuture(ProxyRefusal.tooManyResolutions)
        }
        let promise = loop.makePromise(of: Success.self)
        threads.submit { [self] state in
            defer { waitingCount.subtract(1, ordering: .relaxed) }
            guard case .active = state, interest.isWanted else { return promise.fail(CancellationError()) }
            promise.completeWith(Result { try body() })
        }
        return promise.futureResult
    }

    /// Ends the threads, without waiting for names that are being resolved: `body` is called when they are.
    func end(_ body: @escaping @Sendable () -> Void) { threads.shutdownGracefully { _ in body() } }
}
