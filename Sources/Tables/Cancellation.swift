internal import Synchronization

/// A flag that ends a read from another thread.
public final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    /// Makes a flag that is not set.
    public init() {}

    /// Whether `cancel` was called.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Ends the read at its next look.
    public func cancel() {
        flag.store(true, ordering: .relaxed)
    }
}
