import NIOCore

/// A connection after its upgrade: text messages both ways, and the close handshake. RFC 6455.
///
/// Not Sendable: it is its loop's, as all that calls it. What is sent during one turn of the loop leaves in one write.
///
/// The life of it: *opening* until the answer 101 is written; *open*; *closing* once the server has sent its close
/// frame and waits for the client's; *ended* when only the end of the connection is awaited.
public final class WebSocket {
    /// The loop that serves the connection.
    public let loop: EventLoop

    private enum State {
        case opening, open, closing, ended
    }

    private let limits: WebSocketLimits
    private let service: Service
    /// Nil once it is closed.
    private var connection: Connection?
    /// Nil after it was notified that the socket is closed.
    private var handler: (any WebSocketHandler)?
    private var state = State.opening
    private var frames: WebSocketFrames
    /// Whether bytes that followed the request immediately are still to be read.
    private var hasRest = false
    /// What the client has not taken is not more than this. An estimate from above: to ask the channel before each
    /// message would cost more than to count.
    private var unsentBytesMax = 0
    private var timeouts: WebSocketTimeouts
    /// Whole messages that were received.
    private(set) var messageCount = 0

    init(connection: Connection, service: Service, limits: WebSocketLimits, handler: any WebSocketHandler) {
        loop = connection.loop
        self.connection = connection
        self.service = service
        self.limits = limits.clamped
        self.handler = handler
        frames = WebSocketFrames(limits: limits)
        timeouts = WebSocketTimeouts(limits: limits.clamped, now: loop.seconds)
    }
}

// MARK: - What the handler does

extension WebSocket {
    /// Sends one text message, which the caller knows to be UTF-8. Nothing happens once the socket is closed.
    public func send(_ text: UnsafeRawBufferPointer) {
        guard makesRoom(for: text.count) else { return }
        connection?.append { outgoing in
            outgoing.writeHeader(of: .text, payloadCount: text.count)
            unsafe outgoing.writeBytes(text)
        }
    }

    /// Sends one text message of three pieces, of which many sockets share the middle.
    public func send(_ prefix: UnsafeRawBufferPointer, _ shared: SharedBytes, _ suffix: UnsafeRawBufferPointer) {
        let count = prefix.count + shared.buffer.readableBytes + suffix.count
        guard makesRoom(for: count) else { return }
        let isReferenced = shared.buffer.readableBytes >= SharedBytes.referencedBytesMin
        connection?.append { outgoing in
            outgoing.writeHeader(of: .text, payloadCount: count)
            unsafe outgoing.writeBytes(prefix)
            guard !isReferenced else { return }
            outgoing.writeImmutableBuffer(shared.buffer)
            unsafe outgoing.writeBytes(suffix)
        }
        guard isReferenced else { return }
        connection?.append(referencing: shared.buffer)
        connection?.append { unsafe $0.writeBytes(suffix) }
    }

    /// Lets what `body` sends leave at its end, in one write, instead of at the end of the turn: for who sends to many
    /// sockets, one after the other, and does not want to come back to each of them.
    public func gather(_ body: () -> Void) {
        guard let connection else { return body() }
        connection.gather(body)
    }

    /// Closes after everything that was sent before: then the client has `closeSeconds` to answer the close frame.
    /// The reason is cut to what a close frame holds, 123 bytes.
    public func close(_ code: WebSocketCloseCode, reason: String = "") {
        guard state == .open else { return }
        sendClose(code, reason: reason)
        state = .closing
        timeouts.beginClosing(at: loop.seconds)
        leave(code)
    }

    /// Whether so many bytes more may wait for the client. When they may not, it reads too slowly and is closed.
    private func makesRoom(for count: Int) -> Bool {
        guard state == .open, let connection else { return false }
        let count = count + WebSocketFrameHeader.byteCountMax
        unsentBytesMax += count
        guard unsentBytesMax > limits.outgoingBytesMax else { return true }
        let unsentBytes = connection.flushedUnsentBytes()
        // The flush may have met the connection's end.
        guard state == .open else { return false }
        unsentBytesMax = unsentBytes + count
        guard unsentBytes > 0, unsentBytesMax > limits.outgoingBytesMax else { return true }
        close(.policyViolation, reason: "The reader is too slow.")
        return false
    }
}

// MARK: - Events of the connection

extension WebSocket {
    /// The answer 101 is written. `rest` followed the request immediately.
    func open(with rest: [UInt8]) {
        state = .open
        service.webSocketOpened()
        timeouts.noteReceived(at: loop.seconds)
        hasRest = !rest.isEmpty
        unsafe rest.withUnsafeBytes { unsafe frames.append($0) }
        handler?.opened(self)
    }

    func read(_ bytes: UnsafeRawBufferPointer) {
        timeouts.noteReceived(at: loop.seconds)
        unsafe frames.append(bytes)
        readFrames()
    }

    /// The end of a read, or of a turn. What followed the request immediately is not read within its `upgrade`.
    func endTurn(isInputClosed: Bool) {
        if hasRest { readFrames() }
        guard isInputClosed, !hasRest else { return }
        // A client that closes half of the connection without a close frame has ended it (RFC 6455 §7.1.5); one that does
        // so after the server's is given what is on its way.
        if state == .open { connection?.close() }
        if state == .closing { end(lingers: false) }
    }

    /// Memory that is kept for a message which has not arrived whole.
    var keptBytes: Int { frames.keptBytes }

    /// Closes, because the server cannot keep so much of unfinished messages.
    func giveUpMessage() {
        frames.giveUp()
        fail(WebSocketFailure(code: .policyViolation, reason: "The server keeps too much of unfinished messages."))
    }

    /// The connection is closed.
    func connectionClosed() {
        state = .ended
        frames = WebSocketFrames(limits: limits)
        leave(nil)
        connection = nil
    }

    /// The server shuts down: what was sent is still delivered.
    func drain() { close(.goingAway, reason: "The server is shutting down.") }

    /// Once a second.
    func tick() {
        switch timeouts.due(at: loop.seconds) {
        case .nothing: break
        case .ping: sendControl(.ping, [])
        case .end: connection?.close()
        }
    }
}

// MARK: - Frames in, frames out

extension WebSocket {
    private func readFrames() {
        guard connection?.isPaused != true else { return hasRest = true }
        hasRest = false
        var turn = LoopTurn()
        while state == .open || state == .closing {
            if service.keepsTooMuch {
                hasRest = true
                connection?.pauseReading()
                return
            }
            switch frames.next() {
            case .needsBytes: return
            case .text(let text): receive(text)
            case .ping(let payload): pong(payload)
            case .pong: break
            case .close(let code): clientCloses(code)
            case .failure(let failure): fail(failure)
            }
            if frames.hasInput, turn.isOver() {
                hasRest = true
                connection?.yield()
                return
            }
        }
    }

    /// RFC 6455 §1.4: what comes after the server's own close frame is ignored.
    private func receive(_ text: ArraySlice<UInt8>) {
        guard state == .open else { return }
        messageCount += 1
        unsafe text.withUnsafeBytes { unsafe handler?.received($0, on: self) }
    }

    /// RFC 6455 §5.5.3. A client that asks without reading the answers is too slow, like any other.
    private func pong(_ payload: ArraySlice<UInt8>) {
        guard makesRoom(for: payload.count) else { return }
        sendControl(.pong, payload)
    }

    /// RFC 6455 §5.5.1: "When sending a Close frame in response, the endpoint typically echos the status code it
    /// received." RFC 6455 §7.1.1: the server closes the connection first.
    private func clientCloses(_ code: WebSocketCloseCode?) {
        if state == .open {
            sendClose(code)
            leave(code ?? .noStatusReceived)
        }
        end(lingers: false)
    }

    /// RFC 6455 §7.1.7. The client may be in the midst of sending, so it is given time to read why.
    private func fail(_ failure: WebSocketFailure) {
        if state == .open {
            sendClose(failure.code, reason: failure.reason)
            leave(failure.code)
        }
        end(lingers: true)
    }

    private func end(lingers: Bool) {
        state = .ended
        timeouts.beginClosing(at: loop.seconds)
        connection?.endWebSocket(lingers: lingers)
    }

    private func sendClose(_ code: WebSocketCloseCode?, reason: String = "") {
        guard let code else { return sendControl(.close, []) }
        precondition(code.isSendable, "a close frame carries a code that is meant for the wire: \(code.rawValue)")
        var payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        for scalar in reason.unicodeScalars {
            let bytes = UTF8.encode(scalar).map { Array($0) } ?? []
            guard payload.count + bytes.count <= WebSocketFrameHeader.controlPayloadBytesMax else { break }
            payload += bytes
        }
        sendControl(.close, payload[...])
    }

    /// Control frames go past the bound on what waits: there are few of them.
    private func sendControl(_ opcode: WebSocketFrameHeader.Opcode, _ payload: ArraySlice<UInt8>) {
        connection?.append { outgoing in
            outgoing.writeHeader(of: opcode, payloadCount: payload.count)
            outgoing.writeBytes(payload)
        }
    }

    /// Notifies the handler of the close, in a turn of its own: a caller that is sending to many sockets is not called
    /// back in the middle of its loop.
    private func leave(_ code: WebSocketCloseCode?) {
        guard let handler else { return }
        self.handler = nil
        service.webSocketClosed()
        loop.nio.assumeIsolated().execute { handler.closed(code, on: self) }
    }
}

extension ByteBuffer {
    fileprivate mutating func writeHeader(of opcode: WebSocketFrameHeader.Opcode, payloadCount: Int) {
        let header = WebSocketFrameHeader(opcode: opcode, payloadCount: payloadCount)
        unsafe writeWithUnsafeMutableBytes(minimumWritableBytes: WebSocketFrameHeader.byteCountMax) {
            unsafe header.write(to: $0)
        }
    }
}
