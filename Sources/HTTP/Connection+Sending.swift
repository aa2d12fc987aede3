import NIOCore

/// How the outgoing bytes leave: at once where the socket takes them, in pieces where they are many.
extension Connection {
    /// Lends the outgoing bytes. They are taken out of the connection and put back, by instantaneous accesses, which the
    /// compiler proves exclusive; lent in place, each access is checked while the server runs, at 85 instructions.
    func withOutgoing(_ append: (inout ByteBuffer) -> Void) {
        var bytes = ByteBuffer()
        swap(&bytes, &outgoing)
        if bytes.capacity == 0 { bytes = leavesSoon ? loop.takeBuffer() : loop.makeSocketBuffer() }
        append(&bytes)
        swap(&bytes, &outgoing)
    }

    /// Whether what is appended now is with the socket before others append.
    private var leavesSoon: Bool { state != .upgraded || isGathering && !mayHaveUnsent }

    /// During a read, the end of the read flushes; otherwise the end of the turn does.
    func wantFlush() {
        guard !isReading, !awaitsFlush, !isGathering else { return }
        awaitsFlush = true
        if state == .upgraded { loop.flushLater(socket: self) } else { loop.flushLater(self) }
    }

    func flush() {
        guard outgoing.readableBytes > 0 || hasUnflushed || !queued.isEmpty, let context else { return }
        isFlushing = true
        defer { isFlushing = false }
        guard queued.isEmpty, outgoing.readableBytes <= QueuedBytes.pieceBytesMax else { return sendQueued(context) }
        if writesDirectly() {
            if countedOutgoing > 0 { countOutgoing() }
            return
        }
        mayHaveUnsent = true
        hasUnflushed = false
        if outgoing.readableBytes > 0 {
            var bytes = ByteBuffer()
            swap(&bytes, &outgoing)
            hand(bytes)
            context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
            loop.giveBack(&bytes)
        } else {
            context.flush()
        }
        countOutgoing()
    }

    /// Puts bytes behind what is outgoing, without a copy, to leave in pieces.
    func enqueue(_ bytes: ByteBuffer) {
        var before = ByteBuffer()
        swap(&before, &outgoing)
        queued.append(before)
        queued.append(bytes)
    }

    /// Hands the channel one piece of what is queued. The next one has a turn of its own, and waits until the channel has
    /// room.
    private func sendQueued(_ context: ChannelHandlerContext) {
        enqueue(ByteBuffer())
        guard isWritable, !isSendingOn, let (piece, keptBytes) = queued.next() else { return countOutgoing() }
        mayHaveUnsent = true
        hasUnflushed = false
        unsent.hand(piece.readableBytes, keptBytes: keptBytes)
        context.writeAndFlush(wrapOutboundOut(piece), promise: nil)
        countOutgoing()
        guard !queued.isEmpty else {
            if endsWhenSent { end() }
            return
        }
        guard isWritable else { return }
        isSendingOn = true
        loop.executeAfterReads { [self] in
            isSendingOn = false
            endTurn()
        }
    }

    /// Writes what is outgoing to the socket itself, unless something waits in the channel. True when it took all of it.
    private func writesDirectly() -> Bool {
        guard let socket, !hasUnflushed else { return false }
        if mayHaveUnsent {
            guard bufferedBytes == 0 else { return false }
            (mayHaveUnsent, unsent) = (false, UnsentBytes())
        }
        var bytes = ByteBuffer()
        swap(&bytes, &outgoing)
        bytes.moveReaderIndex(forwardBy: bytes.withUnsafeReadableBytes { socket.write($0) })
        guard bytes.readableBytes > 0 else {
            loop.giveBack(&bytes)
            return true
        }
        // What a slow reader has not taken holds on to little more memory than it needs.
        outgoing = bytes.readableBytes > bytes.capacity / 4 ? bytes : ByteBuffer(bytes: bytes.readableBytesView)
        return false
    }
}
