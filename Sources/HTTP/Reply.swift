import Synchronization

/// The one answer to one request.
///
/// It may be completed on the loop at once, or from any thread later; it then hops to the loop. The first completion
/// counts, further ones do nothing. A reply that is released without an answer answers 500, so no client waits forever.
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

    /// The host that the client named in its TLS handshake (SNI), in lower case; nil without TLS, and for hosts outside of
    /// `TLSCertificates.trackedDomains`; empty if the ClientHello could not be read. On the loop only.
    public var serverName: String? { unsafe connection.machine.serverName }

    /// Identifies the connection among all that are open.
    public var connectionID: ObjectIdentifier { ObjectIdentifier(connection) }

    /// A hash of `Peer.network`, made once for the connection.
    public var addressHash: Int { connection.addressHash }

    /// Whether the connection is closed, so that an answer could not be delivered.
    public var isCancelled: Bool { connection.isClosed.load(ordering: .relaxed) }

    /// Whether the client has closed its side of the connection. Most such clients have hung up; one that has only
    /// finished sending looks the same and still gets its answer. From any thread.
    public var hasClientHungUp: Bool { connection.hasHungUp.load(ordering: .relaxed) }

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
    /// the lines of only this answer, and `lines` those already encoded, as in `Response`. On the loop only.
    public func send(
        status: Int, head: HeaderBlock, lines: [UInt8] = [], requestID: RequestID? = nil,
        fields: [(name: String, value: String)] = [], allowsCompression: Bool = true, body: UnsafeRawBufferPointer
    ) {
        precondition(loop.isCurrent, "an answer of borrowed bytes is sent on the loop of its connection")
        guard claim() else { return }
        let writer = ResponseWriter(
            status: status, headers: head, lines: lines, requestID: requestID, fields: fields, traits: traits,
            allowsCompression: allowsCompression)
        unsafe connection.answer(sequence, writer, body)
    }

    /// Answers 101, after which the connection is a WebSocket and `handler` is called, from within this call or, where
    /// earlier answers are still pending, later. `subprotocol` is one the client offers, and the only one the answer
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
            connection.answerUnanswered(sequence, traits)
        } else {
            connection.loop.execute { connection.answerUnanswered(sequence, traits) }
        }
    }
}
