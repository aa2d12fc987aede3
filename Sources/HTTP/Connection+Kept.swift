import NIOCore

/// What a connection keeps for its client and for its own requests, as the budgets of the server count it.
extension Connection {
    /// Notes bytes that the channel keeps from now on until they are sent.
    func hand(_ bytes: ByteBuffer) {
        unsent.hand(bytes.readableBytes, keptBytes: bytes.writerIndex)
    }

    /// Brings the count of what the client has not taken up to date.
    func countOutgoing() {
        guard state != .closed else { return }
        var hasProgressed = countedOutgoing == 0
        if mayHaveUnsent {
            let bufferedBytes = bufferedBytes
            if unsent.note(bufferedBytes: bufferedBytes) { hasProgressed = true }
            mayHaveUnsent = bufferedBytes > 0
        }
        if hasProgressed { progressNanoseconds = EventLoop.uptimeNanoseconds }
        let keptBytes = unsent.keptBytes + outgoing.readableBytes + queued.keptBytes + waitingBytes + compressingBytes
        guard keptBytes != countedOutgoing else { return }
        let difference = keptBytes - countedOutgoing
        countedOutgoing = keptBytes
        if service.outgoing.add(difference) { service.relieve(.outgoing) }
    }

    /// Brings the count of what has not arrived whole up to date.
    func countIncoming() {
        guard state != .closed else { return }
        let keptBytes = webSocket?.keptBytes ?? parser.keptBytes
        // What is kept of the next message is not as old as what was kept of the last.
        let messageCount = webSocket?.messageCount ?? issued
        if countedIncoming == 0 || messageCount != incomingMessageCount {
            incomingMessageCount = messageCount
            incomingSinceNanoseconds = keptBytes > 0 ? EventLoop.uptimeNanoseconds : 0
        }
        guard keptBytes != countedIncoming else { return }
        let difference = keptBytes - countedIncoming
        countedIncoming = keptBytes
        if service.incoming.add(difference) { service.relieve(.incoming) }
    }

    /// The connection is closed.
    func countNothing() {
        if countedOutgoing > 0 { _ = service.outgoing.add(-countedOutgoing) }
        if countedIncoming > 0 { _ = service.incoming.add(-countedIncoming) }
        (countedOutgoing, countedIncoming) = (0, 0)
    }

    /// What closing the connection would give back; nil when that is nothing.
    func reliefCandidate(_ direction: ByteBudget.Direction) -> ReliefCandidate? {
        switch direction {
        case .incoming:
            guard countedIncoming > 0 else { return nil }
            return ReliefCandidate(
                connection: self, keptBytes: countedIncoming, sinceNanoseconds: incomingSinceNanoseconds)
        case .outgoing:
            if mayHaveUnsent { countOutgoing() }
            guard countedOutgoing > 0 else { return nil }
            return ReliefCandidate(
                connection: self, keptBytes: countedOutgoing, sinceNanoseconds: progressNanoseconds)
        }
    }

    /// Gives back what is kept: the client is refused, or closed where it would not read why.
    /// - Returns: False when there is nothing left to be given back.
    func giveUp(_ direction: ByteBudget.Direction) -> Bool {
        guard (direction == .incoming ? countedIncoming : countedOutgoing) > 0 else { return false }
        switch (direction, state) {
        case (.incoming, .open) where !isHandshaking:
            parser.giveUp()
            refuse(Refusal(status: 503, message: "The server is receiving as much as it can keep. Try again later."))
            countIncoming()
        case (.incoming, .upgraded):
            webSocket?.giveUpMessage()
            countIncoming()
        default: abort()
        }
        return true
    }
}
