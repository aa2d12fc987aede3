import NIOPosix
import Synchronization

/// Compresses large answers on a thread of its own: on an event loop, a megabyte would hold up all other clients for tens
/// of milliseconds. Used from any thread.
final class LargeAnswerCompression: Sendable {
    private struct State {
        /// Made with the first answer.
        var pool: NIOThreadPool?
        var queuedBytes = 0
        var hasEnded = false
    }

    private let queueBytesMax: Int
    private let state = Mutex(State())

    /// - Parameter queueBytesMax: Bytes of answers that may wait or be in work.
    init(queueBytesMax: Int) { self.queueBytesMax = queueBytesMax }

    /// Compresses `body` and calls `finish` on the loop, with nil where it would not shrink.
    /// - Returns: False where too much waits already; then nothing is done.
    func gzip(
        _ body: UnsafeRawBufferPointer, on loop: EventLoop,
        finish: @escaping @Sendable (_ body: [UInt8], _ packed: [UInt8]?) -> Void
    ) -> Bool {
        let pool = state.withLock { state -> NIOThreadPool? in
            guard !state.hasEnded, state.queuedBytes + body.count <= queueBytesMax else { return nil }
            state.queuedBytes += body.count
            if let pool = state.pool { return pool }
            let pool = NIOThreadPool(numberOfThreads: 1)
            pool.start()
            state.pool = pool
            return pool
        }
        guard let pool else { return false }
        let body = unsafe [UInt8](body)
        pool.submit { [self] work in
            var packed: [UInt8]?
            if case .active = work { packed = unsafe body.withUnsafeBytes { unsafe Deflater().gzip($0) } }
            state.withLock { $0.queuedBytes -= body.count }
            loop.execute { [packed] in finish(body, packed) }
        }
        return true
    }

    /// Ends the thread. Answers that come later are not compressed here.
    func end() async {
        let pool = state.withLock { state in
            state.hasEnded = true
            defer { state.pool = nil }
            return state.pool
        }
        try? await pool?.shutdownGracefully()
    }
}
