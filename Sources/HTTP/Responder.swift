/// What is done with requests: the one thing the layer above gives to `HTTPServer`.
public protocol Responder: Sendable {
    /// How the body of a request is received. Called on `loop` with the head alone, of requests that have a body. A
    /// body that is collected may be followed by others whose heads are equal to the byte, without another call.
    func bodyReception(for head: Request, on loop: EventLoop) -> BodyReception

    /// Answers `request` by `reply`, now or later. Called on `loop`, which serves many connections: what takes long
    /// goes elsewhere. Requests of one connection may be answered in any order; the answers leave in theirs.
    func respond(to request: Request, on loop: EventLoop, reply: Reply)

    /// The answer to what the server refuses by itself: what never became a request, or a reply that was released
    /// unanswered. Called on `loop`; the answer's `requestID` is the one that is given, and its status the refusal's unless it
    /// is another one of 400 or more.
    ///
    /// - Parameters:
    ///   - head: The request without its body, and without the header lines that had not arrived or were not read; nil before its
    ///     request line was read.
    ///   - peer: Who is refused.
    func response(
        to refusal: Refusal, head: Request?, peer: Peer, requestID: RequestID, on loop: EventLoop
    ) -> Response

    /// Notified of such an answer. Called on `loop`.
    func noteRefusal(_ refusal: Refusal, requestID: RequestID, peer: Peer, on loop: EventLoop)

    /// Notified of a TLS handshake that failed. Called on `loop`.
    func noteHandshake(failure: TLSHandshakeFailure, peer: Peer, on loop: EventLoop)

    /// Notified once a minute at most while the server is short of something, with the number of clients that were turned
    /// away for it since the last time. Called on a loop.
    func noteShortage(_ shortage: HTTPShortage, clientCount: Int, on loop: EventLoop)
}

extension Responder {
    /// Whole.
    public func bodyReception(for head: Request, on loop: EventLoop) -> BodyReception { .collect() }

    /// The message as plain text. RFC 9110 §10.2.3: a place may be free again in a second.
    public func response(
        to refusal: Refusal, head: Request?, peer: Peer, requestID: RequestID, on loop: EventLoop
    ) -> Response {
        Response(
            status: refusal.status, headers: HeaderBlock(["Content-Type": "text/plain;charset=UTF-8"]),
            fields: refusal.status == 503 ? [("Retry-After", "1")] : [], body: Array(refusal.message.utf8))
    }

    /// Who keeps no log need not listen.
    public func noteRefusal(_ refusal: Refusal, requestID: RequestID, peer: Peer, on loop: EventLoop) {}

    /// Who keeps no log need not listen.
    public func noteHandshake(failure: TLSHandshakeFailure, peer: Peer, on loop: EventLoop) {}

    /// Who keeps no log need not listen.
    public func noteShortage(_ shortage: HTTPShortage, clientCount: Int, on loop: EventLoop) {}
}
