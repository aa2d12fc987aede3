/// How long a connection waits for its client.
extension Connection {
    /// When another message or another part of it begins to be awaited, its time begins.
    func noteWhatIsAwaited() {
        let phase = parser.phase
        guard phase != waitsFor.phase || issued != waitsFor.issued else { return }
        waitsFor = (phase, issued)
        waitsSince = loop.seconds
    }

    /// Once a second, on the loop.
    func sweep() {
        webSocket?.sweep()
        if mayHaveUnsent || countedOutgoing > 0 { countOutgoing() }
        // A WebSocket has its own timeouts.
        if state == .upgraded { return }
        checkUnsent()
        let waited = loop.seconds - waitsSince
        switch state {
        case .open where isHandshaking: if waited > limits.handshakeSeconds { endHandshake(.tooSlow) }
        case .open where owed == 0 && !isPaused: checkAwaited(waited)
        case .lingering where unsent.isEmpty && waited > limits.lingerSeconds: close()
        case .open, .upgraded, .ending, .lingering, .closed: break
        }
    }

    private func checkAwaited(_ waited: Int) {
        switch parser.phase {
        case .idle where loop.seconds - lastActivity > limits.idleSeconds && unsent.isEmpty && queued.isEmpty: close()
        case .head where waited > limits.headSeconds:
            refuse(Refusal(status: 408, message: "The request's head took too long to arrive."))
        case .body where waited > limits.bodySeconds:
            refuse(Refusal(status: 408, message: "The request's body took too long to arrive."))
        case .idle, .head, .body, .failed: break
        }
    }

    /// A client that takes nothing of its answers for as long as it may be idle is given up.
    private func checkUnsent() {
        guard mayHaveUnsent else { return }
        let seconds = (EventLoop.uptimeNanoseconds - progressNanoseconds) / 1_000_000_000
        if seconds > limits.idleSeconds { close() }
    }
}
