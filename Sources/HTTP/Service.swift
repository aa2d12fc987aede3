import NIOCore
import Synchronization

/// What all connections of a server share.
final class Service: Sendable {
    let limits: HTTPLimits
    let loops: [EventLoop]
    let responder: any Responder
    let outgoing: ByteBudget
    let incoming: ByteBudget
    let compression: LargeAnswerCompression
    private let shortages = Mutex(ShortageReports())
    private let connectionCount = Atomic(0)
    private let acceptedCount = Atomic(0)
    private let refusedCount = Atomic(0)
    private let webSocketCount = Atomic(0)
    private let handshakeCount = Atomic(0)
    private let failedHandshakeCount = Atomic(0)
    private let tls = Mutex<TLSCertificates?>(nil)
    private let drained = Mutex<EventLoopPromise<Void>?>(nil)
    private let draining = Atomic(false)

    init(limits: HTTPLimits, loops: [EventLoop], responder: any Responder) {
        self.limits = limits
        self.loops = loops
        outgoing = ByteBudget(bytesMax: limits.outgoingBytesPerServerMax)
        incoming = ByteBudget(bytesMax: limits.incomingBytesPerServerMax)
        compression = LargeAnswerCompression(queueBytesMax: limits.compressionQueueBytesMax)
        self.responder = responder
    }

    /// The answer to what is refused, in the responder's words.
    func response(
        to refusal: Refusal, head: Request?, peer: Peer, on loop: EventLoop
    ) -> (Response, RequestID) {
        let requestID = loop.makeRequestID()
        var response = responder.response(to: refusal, head: head, peer: peer, requestID: requestID, on: loop)
        // S3's statuses differ, such as 400 for a body that is too large.
        if response.status < 400 { response.status = refusal.status }
        response.requestID = requestID
        return (response, requestID)
    }

    /// Whether the server shuts down, so that no connection should outlive its last answer.
    var isDraining: Bool { draining.load(ordering: .acquiring) }

    /// Counts a connection in; false when there are as many as allowed without it.
    func admitConnection() -> Bool {
        acceptedCount.add(1, ordering: .relaxed)
        let count = connectionCount.add(1, ordering: .sequentiallyConsistent).newValue
        guard count > limits.connectionsMax else { return true }
        refusedCount.add(1, ordering: .relaxed)
        return false
    }

    /// Counts a connection that was answered 503 before it became one.
    func connectionRefused() {
        acceptedCount.add(1, ordering: .relaxed)
        refusedCount.add(1, ordering: .relaxed)
    }

    func connectionClosed() {
        let count = connectionCount.subtract(1, ordering: .sequentiallyConsistent).newValue
        if count == 0 { finishDraining() }
    }

    func webSocketOpened() { webSocketCount.add(1, ordering: .relaxed) }

    func webSocketClosed() { webSocketCount.subtract(1, ordering: .relaxed) }

    var statistics: HTTPStatistics {
        HTTPStatistics(
            openCount: connectionCount.load(ordering: .relaxed), acceptedCount: acceptedCount.load(ordering: .relaxed),
            refusedCount: refusedCount.load(ordering: .relaxed),
            webSocketCount: webSocketCount.load(ordering: .relaxed),
            handshakeCount: handshakeCount.load(ordering: .relaxed),
            failedHandshakeCount: failedHandshakeCount.load(ordering: .relaxed),
            outgoingBytes: outgoing.keptBytes, incomingBytes: incoming.keptBytes)
    }

    /// What a handshake that begins now shows.
    var certificates: TLSCertificates? { tls.withLock { $0 } }

    func setTLS(_ certificates: TLSCertificates?) { tls.withLock { $0 = certificates } }

    /// Counts a handshake, and reports a failed one to the responder.
    func handshakeEnded(_ failure: TLSHandshakeFailure?, _ peer: Peer, on loop: EventLoop) {
        guard let failure else {
            handshakeCount.add(1, ordering: .relaxed)
            return
        }
        failedHandshakeCount.add(1, ordering: .relaxed)
        responder.noteHandshake(failure: failure, peer: peer, on: loop)
    }

    /// Reports clients that were turned away for a shortage, once a minute at most. On a loop.
    func noteShortage(_ shortage: HTTPShortage, clientCount: Int = 1, on loop: EventLoop) {
        let now = loop.seconds
        let count = shortages.withLock { $0.note(shortage, clientCount: clientCount, now: now) }
        if let count { responder.noteShortage(shortage, clientCount: count, on: loop) }
    }

    /// Keeps `promise` until there is no connection. Both sides write first and look second, so one of them sees it.
    func beginDraining(_ promise: EventLoopPromise<Void>) {
        drained.withLock { $0 = promise }
        draining.store(true, ordering: .releasing)
        if connectionCount.load(ordering: .sequentiallyConsistent) == 0 { finishDraining() }
    }

    private func finishDraining() {
        let promise = drained.withLock { drained in
            defer { drained = nil }
            return drained
        }
        promise?.succeed()
    }
}
