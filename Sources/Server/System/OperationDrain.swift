import Synchronization

/// The operations of a service that its end waits for: the one rule by which buckets, user pools and analytics end.
///
/// The requests of a server have `drainSeconds`. After that its connections are closed and its outgoing calls have failed, so that
/// no operation waits for a client or a function any longer. What is left are calls of the disk and of the store, which return; the
/// end waits for them however long they take, because the store is closed next. A bound would close it under a write that a client
/// was already promised, or whose outcome nobody would know.
final class OperationDrain: Sendable {
    private let count = Atomic(0)

    /// How often the end looks whether operations are under way.
    private static let pollMilliseconds = 5

    /// An operation begins; `end` is to be called after it.
    func begin() { count.add(1, ordering: .relaxed) }

    /// An operation has ended.
    func end() { count.subtract(1, ordering: .releasing) }

    /// Carries out an operation.
    func run<Success>(_ operation: () async -> Success) async -> Success {
        begin()
        defer { end() }
        return await operation()
    }

    /// Waits until no operation is under way. Not cancellable: the store would be closed under the operations.
    func wait() async {
        while count.load(ordering: .acquiring) > 0 {
            await Task { try? await Task.sleep(for: .milliseconds(Self.pollMilliseconds)) }.value
        }
    }
}
