/// How long a WebSocket waits for its client: what is due at a moment, in seconds of a clock that is passed in.
struct WebSocketPatience {
    enum Due {
        case nothing, ping, end
    }

    private let pingSeconds: Int
    private let closeSeconds: Int
    private var lastHeard: Int
    private var hasPinged = false
    private var closesSince: Int?

    init(limits: WebSocketLimits, now: Int) {
        pingSeconds = limits.pingSeconds
        closeSeconds = limits.closeSeconds
        lastHeard = now
    }

    /// Something came from the client, whatever it was.
    mutating func hear(at now: Int) {
        lastHeard = now
        hasPinged = false
    }

    /// A close frame has been sent; the first one counts.
    mutating func beginClosing(at now: Int) { closesSince = closesSince ?? now }

    /// One ping for each silence; what is due is due once.
    mutating func due(at now: Int) -> Due {
        if let closesSince { return now - closesSince > closeSeconds ? .end : .nothing }
        let silence = now - lastHeard
        if silence >= 2 * pingSeconds { return .end }
        guard silence >= pingSeconds, !hasPinged else { return .nothing }
        hasPinged = true
        return .ping
    }
}
