import Synchronization

/// Lets one deployment or reload at a time change what is served. A caller that waits for it blocks its thread, for as long as a
/// migration takes.
final class SchemaLock: Sendable {
    private let mutex = Mutex(())

    func with<Success: Sendable, Failure>(_ body: () throws(Failure) -> Success) throws(Failure) -> Success {
        try mutex.withLock { (_) throws(Failure) -> Success in try body() }
    }
}
