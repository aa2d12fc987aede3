/// How a connection ends, and after which time.
extension ConnectionStateMachine {
    /// How a connection ends from which everything has been handed over.
    enum Finish {
        case close
        /// Only the sending half is closed: a socket closed with bytes unread would reset the connection, and the client
        /// might never see the answer (RFC 9112 §9.6).
        case closeOutput
        /// The same, once the channel has sent what it holds.
        case closeWhenSent
        case closeOutputWhenSent
    }

    /// - Parameter hasUnsent: Whether the channel holds bytes that the socket has not taken.
    func finish(hasUnsent: Bool, isActive: Bool) -> Finish {
        guard isActive || hasUnsent else { return .close }
        if !hasUnsent, !lingers || isInputClosed { return .close }
        // NIO drops what is unsent when both halves are closed, so the close waits for it. TLS may know of the client's
        // end before this connection does, and then closes both.
        if isInputClosed { return .closeWhenSent }
        return isSecure ? .closeOutputWhenSent : .closeOutput
    }

    /// What a second that has passed means.
    enum Tick {
        case wait, close, handshakeTooSlow
        /// `next` has what follows.
        case proceed
    }

    /// - Parameter hasUnsent: Whether the client has not taken all that was handed over.
    mutating func tick(now: Int, hasUnsent: Bool) -> Tick {
        let waited = now - deadlines.waitsSince
        switch state {
        case .open where transport == .handshaking: return waited > limits.handshakeSeconds ? .handshakeTooSlow : .wait
        case .open where answers.owedCount == 0 && !isPaused:
            switch parser.phase {
            case .idle:
                let isIdle = now - deadlines.lastActivity > limits.idleSeconds
                return isIdle && !hasUnsent && outgoing.queued.isEmpty ? .close : .wait
            case .head where waited > limits.headSeconds: refuse(.headTooSlow)
            case .body where waited > limits.bodySeconds: refuse(.bodyTooSlow)
            case .head, .body, .failed: return .wait
            }
            return .proceed
        case .open where isStreamTooSlow(now: now), .ending where isStreamTooSlow(now: now):
            failStream(.refused(.bodyTooSlow))
            return .proceed
        case .lingering: return !hasUnsent && waited > limits.lingerSeconds ? .close : .wait
        case .open, .upgraded, .ending, .flushing, .closed: return .wait
        }
    }
}
