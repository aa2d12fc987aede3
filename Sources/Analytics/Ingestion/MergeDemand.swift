import Synchronization
import Tables

/// Raised by a transaction that has to be run again with documents that were merged before it.
final class MergeDemand: Sendable {
    private let raised = Mutex(false)

    /// Whether it was raised. A transaction may still fail for another reason.
    var isRaised: Bool { raised.withLock { $0 } }

    /// Raises it.
    ///
    /// - Returns: The error that rolls the transaction back.
    func raise() -> StoreError {
        raised.withLock { $0 = true }
        return Self.error
    }

    static let error = StoreError(.busy, "The endpoints are changed by other requests.", hint: "Try again in a moment.")
}
