import NIOCore

/// Bytes that leave, and pauses.
extension ConnectionStateMachine {
    /// The bytes of the action `.write`, the memory that goes with them, and whether they are all or the last piece.
    mutating func takeBytesToWrite() -> (bytes: ByteBuffer, keptBytes: Int, isLastPiece: Bool) {
        let (bytes, keptBytes) = outgoing.take()
        return (bytes, keptBytes, !outgoing.awaitsNextPiece)
    }

    /// The next piece of what is queued may leave.
    mutating func nextPieceIsDue() { outgoing.nextPieceIsDue() }

    /// Appends bytes of the WebSocket.
    mutating func append(room: () -> ByteBuffer, _ write: (inout ByteBuffer) -> Void) {
        guard state == .open || state == .upgraded else { return }
        outgoing.append(room: room, write)
    }

    /// Appends bytes without a copy, after all that is outgoing.
    mutating func enqueue(_ bytes: ByteBuffer) { outgoing.enqueue(bytes) }

    /// Takes what is outgoing, to be handed over before bytes that others hold too.
    mutating func takeOutgoing() -> ByteBuffer { outgoing.takeUnqueued() }

    /// Whether bytes wait to be read as requests.
    var hasInput: Bool { parser.hasBufferedBytes }

    /// Whether the action `.write` has something to hand over.
    var mayWrite: Bool { outgoing.mayWrite(isWritable) }

    /// Whether an answer is still written.
    var takesAnswers: Bool { state == .open || state == .ending }

    /// Whether the connection is encrypted, or is about to be.
    var isSecure: Bool { transport == .handshaking || transport == .tls }

    var isHandshaking: Bool { transport == .handshaking && state == .open }

    mutating func noteActivity(now: Int) { deadlines.noteActivity(now: now) }

    /// Whether no bytes are taken from the client for now.
    var isPaused: Bool { reading != .on }

    mutating func pause() { if reading == .on { reading = .paused } }

    mutating func resume() { if reading == .paused { reading = .on } }

    /// Gives other connections a turn before the rest of what was read is processed.
    /// - Returns: False where that is under way.
    mutating func beginYield() -> Bool {
        guard reading != .yielding else { return false }
        reading = .yielding
        return true
    }

    /// Other connections have had their turn. Requests are taken up to the bounds again, not only below half of them: a
    /// yield is no sign that the connection has reached one.
    mutating func endYield(now: Int) {
        guard reading == .yielding else { return }
        // A WebSocket is resumed by an action.
        reading = state == .upgraded ? .paused : .on
        deadlines.restart(now: now)
    }

    /// The end of a read, or of a turn in which answers came.
    /// - Returns: Whether a part of a request is awaited.
    mutating func turnEnded(now: Int) -> Bool {
        deadlines.noteAwaited(parser.phase, issuedCount: answers.issuedCount, now: now)
        parser.releaseRoom()
        return deadlines.awaitsPart
    }
}
