import NIOCore

/// One end of a tunnel: the other end sends what this end's socket receives, and closes its output when this end's input ends.
///
/// Both ends are on one event loop, on which everything here runs. An end reads only while the other end's output has room, so each
/// direction buffers at most `bufferedBytesMax` bytes. After a peer has closed, everything left in its socket is read at once, at most
/// `socketBytesMax` bytes.
final class ProxyTunnelEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limits: ProxyLimits
    private var context: ChannelHandlerContext?
    private var partner: ProxyTunnelEnd?
    /// What was received before there was a partner: at most one read (`ProxyLimits.readBytesMax`), because reading is paused.
    private var kept: [ByteBuffer] = []
    private var hasReceivedAll = false
    private var hasSentAll = false
    /// Whether everything that was sent has left, after `hasSentAll`.
    private var isSent = false
    private var lastRead = NIODeadline.now()
    private var timer: Scheduled<Void>?

    init(_ limits: ProxyLimits) { self.limits = limits }

    /// Makes a tunnel of two ends. On their loop.
    ///
    /// - Parameters:
    ///   - bytes: What the client has sent already.
    ///   - hasReceivedAll: Whether it sends no more.
    static func connect(
        client: ProxyTunnelEnd, server: ProxyTunnelEnd, sending bytes: [UInt8], hasReceivedAll: Bool
    ) {
        (client.partner, server.partner) = (server, client)
        if !bytes.isEmpty { server.send(ByteBuffer(bytes: bytes)) }
        client.hasReceivedAll = hasReceivedAll
        for end in [client, server] {
            for buffer in end.kept { end.partner?.send(buffer) }
            end.kept = []
            end.partner?.context?.flush()
            if end.hasReceivedAll { end.partner?.finishSending() }
            end.lastRead = .now()
            end.startTimer()
            end.readIfWritable()
        }
    }

    // MARK: Events

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastRead = .now()
        let buffer = unwrapInboundIn(data)
        guard let partner else { return kept.append(buffer) }
        partner.send(buffer)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        partner?.context?.flush()
        readIfWritable()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { partner?.readIfWritable() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed? = event as? ChannelEvent else { return }
        hasReceivedAll = true
        partner?.finishSending()
        closeIfComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        // Where this end is complete, so is the other one once its output has left.
        if !(hasReceivedAll && hasSentAll) { partner?.closeAfterSending() }
        partner?.partner = nil
        partner = nil
        kept = []
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    // MARK: Output

    private func send(_ buffer: ByteBuffer) {
        guard !hasSentAll, let context else { return }
        context.write(wrapOutboundOut(buffer), promise: nil)
    }

    private func readIfWritable() {
        guard let partner, partner.context?.channel.isWritable == true, !hasReceivedAll else { return }
        context?.read()
    }

    /// Ends the output after everything that was written: an empty write is completed after those before it.
    private func finishSending() {
        guard !hasSentAll, let context else { return }
        hasSentAll = true
        afterSending(context) { [self] in
            context.close(mode: .output, promise: nil)
            isSent = true
            closeIfComplete()
        }
    }

    private func closeAfterSending() {
        guard let context else { return }
        hasReceivedAll = true
        hasSentAll = true
        afterSending(context) { context.close(promise: nil) }
    }

    private func afterSending(_ context: ChannelHandlerContext, _ body: @escaping () -> Void) {
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { _ in body() }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: promise)
    }

    /// Closes once both directions have ended here and the bytes of the output have left.
    private func closeIfComplete() {
        if hasReceivedAll, isSent { context?.close(promise: nil) }
    }

    // MARK: Time

    /// When bytes last passed in either direction.
    private var lastPassed: NIODeadline { max(lastRead, partner?.lastRead ?? lastRead) }

    private func startTimer() {
        guard let context else { return }
        let deadline = lastPassed + .seconds(Int64(limits.idleSeconds))
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
            guard let self, let context = self.context else { return }
            if NIODeadline.now() - self.lastPassed >= .seconds(Int64(self.limits.idleSeconds)) {
                context.close(promise: nil)
            } else {
                self.startTimer()
            }
        }
    }
}
