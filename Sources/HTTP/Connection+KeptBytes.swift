/// The budgets of the server: what a connection keeps is added to them, and given up when they are exceeded.
extension Connection {
    /// Brings the count of what the client has not taken up to date.
    func countOutgoing() {
        guard unsafe machine.state != .closed else { return }
        let change = unsafe keptBytes.countOutgoing(
            waitingBytes: machine.outgoing.keptBytes + machine.answers.waitingBytes, bufferedBytes: bufferedBytes,
            nowNanoseconds: EventLoop.uptimeNanoseconds)
        if change != 0, service.outgoing.add(change) { service.relieve(.outgoing) }
    }

    /// Brings the count of what has not arrived whole up to date.
    func countIncoming() {
        guard unsafe machine.state != .closed else { return }
        let change = unsafe keptBytes.countIncoming(
            webSocket?.keptBytes ?? machine.parser.keptBytes,
            messageCount: webSocket?.messageCount ?? machine.answers.issuedCount,
            nowNanoseconds: EventLoop.uptimeNanoseconds)
        if change != 0, service.incoming.add(change) { service.relieve(.incoming) }
    }

    /// The connection is closed.
    func countNothing() {
        let counted = unsafe keptBytes.removeAll()
        if counted.outgoing > 0 { _ = service.outgoing.add(-counted.outgoing) }
        if counted.incoming > 0 { _ = service.incoming.add(-counted.incoming) }
    }

    /// What closing the connection would give back; nil when that is nothing.
    func reliefCandidate(_ direction: ByteBudget.Direction) -> ReliefCandidate? {
        switch direction {
        case .incoming:
            guard unsafe keptBytes.incoming > 0 else { return nil }
            return unsafe ReliefCandidate(
                connection: self, keptBytes: keptBytes.incoming,
                sinceNanoseconds: keptBytes.incomingSinceNanoseconds)
        case .outgoing:
            if unsafe keptBytes.mayHaveUnsent { countOutgoing() }
            guard unsafe keptBytes.outgoing > 0 else { return nil }
            return unsafe ReliefCandidate(
                connection: self, keptBytes: keptBytes.outgoing, sinceNanoseconds: keptBytes.progressNanoseconds)
        }
    }

    /// Gives back what is kept: the client is refused, or closed where it would not read why.
    /// - Returns: False when there is nothing left to be given back.
    func giveUp(_ direction: ByteBudget.Direction) -> Bool {
        guard unsafe (direction == .incoming ? keptBytes.incoming : keptBytes.outgoing) > 0 else { return false }
        switch unsafe (direction, machine.state) {
        case (.incoming, .open) where unsafe !machine.isHandshaking:
            unsafe machine.giveUpRequest()
            endTurn()
            countIncoming()
        case (.incoming, .upgraded):
            webSocket?.giveUpMessage()
            countIncoming()
        default: abort()
        }
        return true
    }
}
