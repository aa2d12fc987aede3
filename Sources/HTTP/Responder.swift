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
