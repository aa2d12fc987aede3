internal import Synchronization

/// Gives a value that is not `Sendable` to another thread, once. Safe, because the giver's `sending` parameter proves
/// that nobody else has it, and the mutex sees to it that only one takes it.
final class Handover<Value>: @unchecked Sendable {
    private let lock = Mutex<Void>(())
    private var value: Value?

    init(_ value: sending Value) {
        self.value = value
    }

    func take() -> Value? {
        lock.withLock { _ in
            defer { value = nil }
            return value
        }
    }
}
