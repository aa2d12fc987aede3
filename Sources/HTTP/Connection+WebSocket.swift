import NIOCore

/// After an upgrade.
extension Connection {
    /// Leaves HTTP with `answer`, once the answers before it have left. Nothing after the request has been read.
    func upgrade(
        _ sequence: Int, _ traits: ReplyTraits, _ answer: [UInt8], _ limits: WebSocketLimits,
        _ handler: any WebSocketHandler
    ) {
        precondition(sequence == upgrading, "a handshake is answered by the reply to its own request")
        guard state == .open || state == .ending else { return }
        guard state == .open, !service.isDraining else {
            let refusal = Refusal(status: 503, message: "The server is shutting down. Try again later.")
            return self.answer(sequence, traits, refusal)
        }
        let webSocket = WebSocket(connection: self, service: service, limits: limits, handler: handler)
        guard sequence == written else {
            waitingBytes += answer.count
            waiting[sequence] = WaitingAnswer(bytes: ByteBuffer(bytes: answer), closes: false, webSocket: webSocket)
            return
        }
        append { $0.writeBytes(answer) }
        written += 1
        become(webSocket)
    }

    /// The answer is written. What the parser of requests keeps goes to the socket, or away.
    func become(_ webSocket: WebSocket) {
        state = .upgraded
        upgrading = nil
        self.webSocket = webSocket
        if isPaused {
            isPaused = false
            setAutoRead(true)
        }
        webSocket.open(with: parser.takeRest())
        wantFlush()
        if service.isDraining { webSocket.drain() }
    }

    /// Appends to the bytes that leave at the end of the turn.
    func append(_ write: (inout ByteBuffer) -> Void) {
        guard state == .open || state == .upgraded else { return }
        withOutgoing(write)
        // A long burst leaves in pieces, as that of answers does.
        if outgoing.readableBytes > 128 * 1024 { flush() } else { wantFlush() }
    }

    /// What `body` appends leaves at its end, in one write; what waited for the end of the turn goes with it.
    func gather(_ body: () -> Void) {
        isGathering = true
        body()
        isGathering = false
        flush()
    }

    /// Appends bytes that others hold too, without a copy.
    func append(referencing bytes: ByteBuffer) {
        guard state == .upgraded, let context else { return }
        guard queued.isEmpty else {
            enqueue(bytes)
            return wantFlush()
        }
        if outgoing.readableBytes > 0 {
            var before = ByteBuffer()
            swap(&before, &outgoing)
            hand(before)
            context.write(wrapOutboundOut(before), promise: nil)
        }
        hand(bytes)
        context.write(wrapOutboundOut(bytes), promise: nil)
        hasUnflushed = true
        wantFlush()
    }

    /// Writes all queued bytes; returns how many the socket has not accepted.
    func flushedUnsentBytes() -> Int {
        flush()
        return bufferedBytes + queued.readableBytes
    }

    /// The close frames are written, or will not come. `lingers` where the client may still be sending.
    func endWebSocket(lingers: Bool) {
        self.lingers = lingers
        end()
    }
}
