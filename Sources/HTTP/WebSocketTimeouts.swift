/// The timeouts of a WebSocket: what is due at a moment, in seconds of a clock that is passed in.
struct WebSocketTimeouts {
    enum Due {
        case nothing, ping, end
    }

    private let pingSeconds: Int
    private let closeSeconds: Int
    private var lastReceived: Int
    private var hasPinged = false
    private var closesSince: Int?

    init(limits: WebSocketLimits, now: Int) {
        pingSeconds = limits.pingSeconds
        closeSeconds = limits.closeSeconds
        lastReceived = now
    }

    /// Something came from the client, whatever it was.
    mutating func noteReceived(at now: Int) {
        lastReceived = now
        hasPinged = false
    }

    /// A close frame has been sent; the time runs from the first one.
    mutating func beginClosing(at now: Int) { closesSince = closesSince ?? now }

    /// Sends one ping per period of silence, and ends the connection once.
    mutating func due(at now: Int) -> Due {
        if let closesSince { return now - closesSince > closeSeconds ? .end : .nothing }
        let silence = now - lastReceived
        if silence >= 2 * pingSeconds { return .end }
        guard silence >= pingSeconds, !hasPinged else { return .nothing }
        hasPinged = true
        return .ping
    }
}
