import Synchronization

/// The body of a request whose route streams it. Parts are asked for one at a time; while none is, the client is kept
/// waiting, so that no more than `HTTPLimits.streamBytesMax` and one read of the socket are kept. When the client ends its
/// side, the rest of the socket's buffer is read at once. Used from any thread.
///
/// A body that is not read to its end before the request is answered ends the connection with the answer, unless it has a
/// `Content-Length` and the rest of it has arrived already.
public final class RequestBody: Sendable {
    /// What there is of the body.
    public enum Part: Sendable {
        /// The next bytes, at least one.
        case bytes([UInt8])
        /// There are no more.
        case end
        /// The rest of the body will not come.
        case failed(RequestBodyError)
    }

    private struct State {
        var receive: (@Sendable (Part) -> Void)?
        /// What every further part is.
        var final: Part?
    }

    /// The bytes of the whole body, if the client said so.
    public let byteCount: Int?
    private let connection: Connection
    private let state = Mutex(State())

    init(byteCount: Int?, connection: Connection) {
        self.byteCount = byteCount
        self.connection = connection
    }

    /// Asks for the next part. `receive` is called with it once, on the connection's loop; after `.end` and `.failed`, with
    /// the same again. Not to be called again before that.
    public func read(_ receive: @escaping @Sendable (Part) -> Void) {
        let final = state.withLock { state in
            precondition(state.receive == nil, "one part of a body is asked for at a time")
            if state.final == nil { state.receive = receive }
            return state.final
        }
        let connection = connection
        guard !connection.loop.isCurrent else {
            if let final { return receive(final) }
            return connection.wantPart(of: self)
        }
        connection.loop.execute { [self] in
            if let final { receive(final) } else { connection.wantPart(of: self) }
        }
    }

    /// On the loop.
    func deliver(_ part: Part) {
        let (receive, delivered) = state.withLock { state in
            defer { state.receive = nil }
            if case .bytes = part { return (state.receive, part) }
            let final = state.final ?? part
            state.final = final
            return (state.receive, final)
        }
        receive?(delivered)
    }
}

extension RequestBody: AsyncSequence {
    /// The parts, in their order.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let body: RequestBody

        /// The next part, nil at the end.
        public func next() async throws(RequestBodyError) -> [UInt8]? {
            let part = await withCheckedContinuation { continuation in
                body.read { continuation.resume(returning: $0) }
            }
            switch part {
            case .bytes(let bytes): return bytes
            case .end: return nil
            case .failed(let error): throw error
            }
        }
    }

    /// Reads the body from where it is.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }
}
