import Synchronization

/// What is done with requests: the one thing the layer above gives to `HTTPServer`.
public protocol Responder: Sendable {
    /// Answers `request` by `reply`, now or later. Called on `loop`, which serves many connections: what takes long
    /// goes elsewhere. Requests of one connection may be answered in any order; the answers leave in theirs.
    func respond(to request: Request, on loop: EventLoop, reply: Reply)

    /// Notified of an answer that the server gave by itself: to what never became a request, or for a reply that was
    /// released unanswered. The message is a fixed sentence and holds nothing that the client sent. Called on `loop`.
    func noteRefusal(
        status: Int, errorType: String, message: String, requestID: RequestID, peer: Peer, on loop: EventLoop)

    /// Notified of a TLS handshake that failed. Called on `loop`.
    func noteHandshake(failure: TLSHandshakeFailure, peer: Peer, on loop: EventLoop)

    /// Notified once a minute at most while the server is short of something, with the number of clients that were turned
    /// away for it since the last time. Called on a loop.
    func noteShortage(_ shortage: HTTPShortage, clientCount: Int, on loop: EventLoop)
}

extension Responder {
    /// Who keeps no log need not listen.
    public func noteRefusal(
        status: Int, errorType: String, message: String, requestID: RequestID, peer: Peer, on loop: EventLoop
    ) {}

    /// Who keeps no log need not listen.
    public func noteHandshake(failure: TLSHandshakeFailure, peer: Peer, on loop: EventLoop) {}

    /// Who keeps no log need not listen.
    public func noteShortage(_ shortage: HTTPShortage, clientCount: Int, on loop: EventLoop) {}
}

/// The one answer to one request.
///
/// It may be completed on the loop at once, or from any thread later; it then hops to the loop. The first completion
/// counts, further ones do nothing. A reply that is let go without an answer answers 500, so no client waits for ever.
public final class Reply: Sendable {
    private let connection: Connection
    private let sequence: Int
    private let traits: ReplyTraits
    private let isAnswered = Atomic(false)

    init(connection: Connection, sequence: Int, traits: ReplyTraits) {
        self.connection = connection
        self.sequence = sequence
        self.traits = traits
    }

    /// The loop that serves the connection.
    public var loop: EventLoop { connection.loop }

    /// Who is at the other end.
    public var peer: Peer { connection.peer }

    /// Identifies the connection among all that are open.
    public var connectionID: ObjectIdentifier { ObjectIdentifier(connection) }

    /// Whether the connection is gone, so that an answer would reach nobody.
    public var isCancelled: Bool { connection.isClosed.load(ordering: .relaxed) }

    /// Answers, from any thread.
    public func send(_ response: Response) {
        guard claim() else { return }
        if loop.isCurrent {
            connection.answer(sequence, traits, response)
        } else {
            loop.execute { [connection, sequence, traits] in connection.answer(sequence, traits, response) }
        }
    }

    /// Answers without a copy in between and without allocation: the shared head, the request's identifier under the
    /// name the head gives it, and the body, which is copied once, into the connection's outgoing bytes. `fields` are
    /// the lines of this answer alone, as in `Response`. On the loop only.
    public func send(
        status: Int, head: HeaderBlock, requestID: RequestID? = nil, fields: [(name: String, value: String)] = [],
        body: UnsafeRawBufferPointer
    ) {
        precondition(loop.isCurrent, "an answer of borrowed bytes is sent on the loop of its connection")
        guard claim() else { return }
        let writer = ResponseWriter(
            status: status, headers: head, requestID: requestID, fields: fields, traits: traits)
        connection.answer(sequence, writer, body)
    }

    /// Answers 101, after which the connection is a WebSocket and `handler` is called, from within this call or, where
    /// earlier answers are still owed, later. `subprotocol` is one the client offers, and the only one the answer
    /// names; nil names none. A server that shuts down answers 503 instead. On the loop only.
    public func upgrade(
        _ handshake: WebSocketHandshake, subprotocol: String?, head: HeaderBlock = .empty,
        requestID: RequestID? = nil, limits: WebSocketLimits, handler: any WebSocketHandler
    ) {
        precondition(loop.isCurrent, "a connection is upgraded on its loop")
        precondition(
            subprotocol.map { $0.utf8.allSatisfy(\.isToken) && handshake.subprotocols.contains($0) } ?? true,
            "the subprotocol is a token, and one that the client offers")
        guard claim() else { return }
        let answer = handshake.answer(
            subprotocol: subprotocol, head: head, requestID: requestID ?? loop.makeRequestID(), date: loop.date)
        connection.upgrade(sequence, traits, answer, limits, handler)
    }

    /// True for the first completion only.
    private func claim() -> Bool { !isAnswered.exchange(true, ordering: .relaxed) }

    deinit {
        guard !isAnswered.load(ordering: .relaxed) else { return }
        // `self` ends here, so what the answer needs is taken along.
        let (connection, sequence, traits) = (connection, sequence, traits)
        if connection.loop.isCurrent {
            connection.answerForgotten(sequence, traits)
        } else {
            connection.loop.execute { connection.answerForgotten(sequence, traits) }
        }
    }
}

/// What an answer must know of its request, once the request itself is gone.
struct ReplyTraits: OptionSet, Sendable {
    let rawValue: UInt8

    /// The answer leaves without its body.
    static let isHead = ReplyTraits(rawValue: 1)
    /// The connection ends with the answer.
    static let closes = ReplyTraits(rawValue: 2)
    /// An HTTP/1.0 client needs `Connection: keep-alive` to keep the connection open.
    static let isHTTP10 = ReplyTraits(rawValue: 4)
    /// The client takes gzip.
    static let acceptsGzip = ReplyTraits(rawValue: 8)
    /// The client asks to go on in WebSocket frames, so what follows the request is not read before it is answered.
    static let asksWebSocket = ReplyTraits(rawValue: 16)
}
