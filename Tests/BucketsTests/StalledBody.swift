import Synchronization

@testable import Buckets

/// A body of which some bytes arrive, and no more until the test fails it.
struct StalledBody: Sendable {
    /// The body.
    let body: S3Body
    private let started: AsyncStream<Void>
    private let release: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - byteCount: The declared size.
    ///   - bytes: What arrives, fewer.
    init(byteCount: Int, _ bytes: [UInt8] = []) {
        let (started, startedEnd) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        (self.started, self.release) = (started, release)
        let rest = Mutex(bytes)
        body = S3Body(byteCount: byteCount) {
            let part = rest.withLock { rest in
                defer { rest = [] }
                return rest
            }
            guard part.isEmpty else { return .bytes(part) }
            startedEnd.yield()
            for await _ in released {}
            return .failed
        }
    }

    /// Waits until all that arrives was read.
    func waitUntilRead() async {
        for await _ in started { break }
    }

    /// Ends the connection.
    func fail() { release.finish() }
}
