internal import Synchronization

/// What the body of a transaction came to, on its way from the writer's thread to who waits for the commit.
final class TransactionOutcome<Success: Sendable>: Sendable {
    private let value = Mutex<Success?>(nil)

    func set(_ success: Success) { value.withLock { $0 = success } }

    /// Takes it, once the transaction is committed.
    func take() -> Success {
        value.withLock { value in
            guard let success = value else { preconditionFailure("A body that has not failed has come to something.") }
            value = nil
            return success
        }
    }
}
