import Synchronization
import UserPools

/// Work that waits for its turn, and is dropped when no one waits for its result any longer.
final class AwaitedWork: Sendable {
    typealias Body = @Sendable (UserPools) async -> Void

    private let body: Mutex<Body?>

    init(_ body: @escaping Body) { self.body = Mutex(body) }

    /// Takes the work out to run it; nil if it was dropped.
    func take() -> Body? {
        body.withLock { body in
            defer { body = nil }
            return body
        }
    }

    /// Releases what the work holds.
    func drop() { body.withLock { $0 = nil } }
}
