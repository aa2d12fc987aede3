import NIOCore
import NIOTLS
import Synchronization

/// One client's connection: bytes from the socket to requests, answers back, in order, within bounds.
///
/// The life of it: *open* while requests are read; *upgraded* when it has left HTTP and its bytes are a `WebSocket`'s;
/// *ending* when no further request is taken and answers are still to be sent; *lingering* when all is sent and the
/// client is given time to receive it; *closed*.
///
/// Answers given while the socket is read are written together when the read is done, the others together at the end of
/// the loop's turn: one write and one flush either way. Long ones leave in pieces, each in a turn of its own
/// (`QueuedBytes`).
///
/// `@unchecked Sendable`: all but `isClosed` and `hasHungUp` is touched on the loop's thread only. NIO calls a handler there, the loop
/// calls its own connections there, and `Reply` hops there before it answers.
final class Connection: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum State {
        case open, upgraded, ending, lingering, closed
    }

    let loop: EventLoop
    /// Readable from any thread.
    let isClosed = Atomic(false)
    /// Whether the client has closed its side, or all is closed.
    let hasHungUp = Atomic(false)
    /// The place in the loop's list, kept by the loop.
    var place = 0

    let service: Service
    let peer: Peer
    var context: ChannelHandlerContext?
    /// Nil where bytes must go the channel's way, as those of TLS.
    var socket: ChannelSocket?
    var state = State.open
    var parser: RequestParser
    private var isTooMany = false
    private var hasSniffed = false
    /// The place of a request to upgrade that has no answer yet: what follows it may be frames.
    var upgrading: Int?
    var webSocket: WebSocket?
    let isTLSOnly: Bool
    var isSecure = false
    var isHandshaking = false

    /// Requests handed to the responder, and answers that are on their way in order. The difference is owed.
    private(set) var issued = 0
    var written = 0
    var waiting: [Int: WaitingAnswer] = [:]
    var waitingBytes = 0
    /// Bytes of answers that are being compressed.
    private(set) var compressingBytes = 0
    /// What leaves before `outgoing`.
    var queued = QueuedBytes()
    /// Whether others have a turn before the next piece of what is queued.
    var isSendingOn = false
    /// Whether the connection ends when what is queued has been handed over.
    var endsWhenSent = false
    var outgoing = ByteBuffer()
    /// Whether bytes before `outgoing` are with the channel already, but not on their way.
    var hasUnflushed = false
    private var owesContinue = false
    var lingers = false

    private var isServing = false
    var isFlushing = false
    var isGathering = false
    var isReading = false
    private var isCompletingRead = false
    var awaitsFlush = false
    var isPaused = false
    /// Whether others have a turn before this connection goes on.
    private var isYielding = false
    var isWritable = true
    private var isInputClosed = false

    // Moments by the loop's clock, in seconds.
    var lastActivity = 0
    var waitsSince = 0
    var waitsFor = (phase: RequestParser.Phase.idle, issued: 0)
    private var droppedBytes = 0

    // What the server's budgets count of this connection; see `Connection+Kept.swift`.
    var mayHaveUnsent = false
    var unsent = UnsentBytes()
    var countedOutgoing = 0
    /// When the client last took something of what is kept for it, or the first of it began to be kept.
    var progressNanoseconds: Int64 = 0
    var countedIncoming = 0
    var incomingSinceNanoseconds: Int64 = 0
    var incomingMessageCount = 0

    var limits: HTTPLimits { service.limits }

    init(loop: EventLoop, service: Service, peer: Peer, isTLSOnly: Bool) {
        self.loop = loop
        self.service = service
        self.isTLSOnly = isTLSOnly
        self.peer = peer
        parser = RequestParser(limits: service.limits, peer: peer)
        lastActivity = loop.seconds
    }
}

// MARK: - Events from NIO

extension Connection {
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.add(self)
        isTooMany = !service.connectionOpened()
    }

    func channelActive(context: ChannelHandlerContext) {
        if service.isDraining { return close() }
        guard isTooMany else { return }
        refuse(Refusal(status: 503, message: "The server has as many connections as it takes. Try again later."))
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        becomeClosed()
        self.context = nil
        socket = nil
        loop.remove(self)
        service.connectionClosed()
    }

    func channelInactive(context: ChannelHandlerContext) { becomeClosed() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isHandshaking, state == .open { return endHandshake(TLSHandshakeFailure(error)) }
        // NIO reports the end itself next.
        if TLSHandshake.isUncleanEnd(error) { return }
        // Else only errors of the socket and of TLS come here, and each of them means that the client is gone.
        close()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        guard state == .open || state == .upgraded else { return drop(bytes.readableBytes) }
        isReading = true
        lastActivity = loop.seconds
        if let webSocket { return bytes.withUnsafeReadableBytes { webSocket.read($0) } }
        if !hasSniffed {
            hasSniffed = true
            guard mayBeHTTP(bytes, context) else { return }
            socket = ChannelSocket(context.channel)
        }
        bytes.withUnsafeReadableBytes { parser.append($0) }
        // NIO empties the socket before it reports that the client has finished, even while reading is paused.
        guard parser.bufferedCount <= inputBytesMax else { return close() }
        serve()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isCompletingRead = true
        endTurn()
        isCompletingRead = false
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        // Who serves or flushes looks at `isWritable` afterwards; to go on from here as well would recurse.
        if isWritable, !isReading, !isServing, !isFlushing { endTurn() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { return completeHandshake() }
        guard case .some(.inputClosed) = event as? ChannelEvent else { return }
        isInputClosed = true
        hasHungUp.store(true, ordering: .relaxed)
        endTurn()
    }

    /// A whole request and a socket's worth of bytes more.
    private var inputBytesMax: Int { limits.requestHeadBytesMax + 2 * limits.bodyBytesMax + 1024 * 1024 }
}

// MARK: - Requests

extension Connection {
    /// Takes requests from what has been read, until it is used up or a bound says to wait.
    private func serve() {
        guard !isServing, !isYielding else { return }
        isServing = true
        defer { isServing = false }
        var turn = LoopTurn()
        while state == .open {
            guard mayServe else { return pauseReading() }
            switch parser.next() {
            case .needsBytes: return
            case .expectsContinue:
                owesContinue = !parser.hasBodyBytes
                sayContinue()
            case .request(let request): serve(request)
            case .refusal(let refusal): refuse(refusal)
            }
            // A long burst leaves in pieces, so that the socket can say when it is too much.
            if outgoing.readableBytes > 128 * 1024 { flush() }
            if parser.hasBufferedBytes, turn.isOver() { return yield() }
        }
    }

    /// Lets other connections have their turn before what has been read is gone through to its end.
    func yield() {
        guard !isYielding else { return }
        isYielding = true
        pauseReading()
        loop.executeAfterReads { [self] in
            isYielding = false
            endTurn()
        }
    }

    /// A request to upgrade may leave HTTP here: it is whole, and nothing after it is read until it is answered.
    private func serve(_ request: Request) {
        owesContinue = false
        var traits = request.traits
        if traits.contains(.asksWebSocket) { upgrading = issued }
        if service.isDraining { traits.insert(.closes) }
        if limits.requestsPerConnectionMax > 0, issued + 1 >= limits.requestsPerConnectionMax, upgrading == nil {
            lingers = !traits.contains(.closes)
            traits.insert(.closes)
        }
        let reply = Reply(connection: self, sequence: issued, traits: traits)
        issued += 1
        if traits.contains(.closes) { state = .ending }
        service.responder.respond(to: request, on: loop, reply: reply)
    }

    /// Answers instead of the responder, after all answers that are owed. Nothing is read after that.
    func refuse(_ refusal: Refusal) {
        state = .ending
        // A connection too many is closed at once: to wait for it would be to have it.
        lingers = !isTooMany
        issued += 1
        answer(issued - 1, .closes, refusal)
    }

    var owed: Int { issued - written }

    private var mayServe: Bool {
        isWritable && upgrading == nil && owed < limits.pipelinedRequestsMax
            && waitingBytes <= limits.outgoingBytesMax && queued.isEmpty && !service.keepsTooMuch
    }

    func pauseReading() {
        guard !isPaused else { return }
        isPaused = true
        setAutoRead(false)
    }

    /// Goes on where `serve` stopped, when there is room again: half of what made it stop.
    private func resumeReading() {
        guard !isYielding, !service.keepsTooMuch else { return }
        if state == .upgraded { return resumeSocket() }
        while isPaused, !isYielding, state == .open, isWritable, upgrading == nil, !service.keepsTooMuch,
            owed <= limits.pipelinedRequestsMax / 2, waitingBytes <= limits.outgoingBytesMax / 2, queued.isEmpty
        {
            isPaused = false
            waitsSince = loop.seconds
            serve()
            flush()
            if !isPaused { setAutoRead(true) }
        }
    }

    private func resumeSocket() {
        isPaused = false
        webSocket?.endTurn(isInputClosed: isInputClosed)
        if !isPaused { setAutoRead(true) }
    }

    func setAutoRead(_ isOn: Bool) {
        // Fails only on a closed channel, which reads nothing anyway.
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }

    /// RFC 9110 §10.1.1. It must not overtake the answers before it.
    private func sayContinue() {
        guard owesContinue, owed == 0 else { return }
        owesContinue = false
        withOutgoing { $0.writeStaticString("HTTP/1.1 100 Continue\r\n\r\n") }
        wantFlush()
    }
}

// MARK: - Answers

extension Connection {
    func answer(_ sequence: Int, _ traits: ReplyTraits, _ response: Response) {
        var traits = traits
        if response.closesConnection, !traits.contains(.closes) {
            // The client did not ask for it, and may be sending.
            lingers = true
            traits.insert(.closes)
        }
        let writer = ResponseWriter(
            status: response.status, headers: response.headers,
            requestID: response.requestID ?? requestID(for: response.headers), fields: response.fields,
            traits: traits, allowsCompression: response.allowsCompression)
        response.body.withUnsafeBytes { answer(sequence, writer, $0) }
    }

    /// The answer to a request whose `Reply` was let go.
    func answerForgotten(_ sequence: Int, _ traits: ReplyTraits) {
        answer(sequence, traits, Refusal(status: 500, message: "The request was not answered."))
    }

    /// An answer of the server's own, which is reported to the responder.
    func answer(_ sequence: Int, _ traits: ReplyTraits, _ refusal: Refusal) {
        var response = refusal.response(headers: service.refusalHeaders)
        let requestID = loop.makeRequestID()
        response.requestID = requestID
        answer(sequence, traits, response)
        service.responder.noteRefusal(
            status: refusal.status, errorType: Refusal.errorType(for: refusal.status), message: refusal.message,
            requestID: requestID, peer: peer, on: loop)
    }

    func answer(_ sequence: Int, _ writer: ResponseWriter, _ body: UnsafeRawBufferPointer) {
        if body.count > limits.compressionLoopBytesMax, compress(sequence, writer, body) { return }
        answer(sequence, writer, body, isPacked: nil)
    }

    /// Has a large body compressed elsewhere; its answer keeps its place in the order meanwhile. False where it leaves as
    /// it is: when the client does not ask for it, or too much is being compressed.
    private func compress(_ sequence: Int, _ writer: ResponseWriter, _ body: UnsafeRawBufferPointer) -> Bool {
        guard wantsCompression(of: body, writer), state == .open || state == .ending else { return false }
        let isUnderWay = service.compression.gzip(body, on: loop) { [self] body, packed in
            compressingBytes -= body.count
            (packed ?? body).withUnsafeBytes { answer(sequence, writer, $0, isPacked: packed != nil) }
        }
        guard isUnderWay else { return false }
        lastActivity = loop.seconds
        compressingBytes += body.count
        countOutgoing()
        return true
    }

    private func wantsCompression(of body: UnsafeRawBufferPointer, _ writer: ResponseWriter) -> Bool {
        limits.compressesResponses && body.count >= limits.compressionBytesMin && writer.wantsCompression
    }

    /// - Parameter isPacked: Whether the body is compressed; nil where that is still to be decided.
    private func answer(
        _ sequence: Int, _ writer: ResponseWriter, _ body: UnsafeRawBufferPointer, isPacked: Bool?
    ) {
        guard state == .open || state == .ending else { return }
        lastActivity = loop.seconds
        if sequence == upgrading { upgrading = nil }
        // While the server shuts down, the last answer that is owed says that it is the last.
        let isLast = service.isDraining && sequence == issued - 1 && parser.phase == .idle
        let closes = writer.traits.contains(.closes) || isLast
        guard sequence == written else {
            var bytes = ByteBufferAllocator().buffer(capacity: 0)
            write(body, by: writer, isPacked, closes: closes, into: &bytes)
            waitingBytes += bytes.readableBytes
            waiting[sequence] = WaitingAnswer(bytes: bytes, closes: closes)
            return countOutgoing()
        }
        withOutgoing { write(body, by: writer, isPacked, closes: closes, into: &$0) }
        written += 1
        if closes { return end() }
        if !waiting.isEmpty, writeWaiting() { return end() }
        sayContinue()
        wantFlush()
    }

    /// Writes the answers whose turn has come. True when the last of them ends the connection.
    private func writeWaiting() -> Bool {
        while var next = waiting.removeValue(forKey: written) {
            waitingBytes -= next.bytes.readableBytes
            if next.bytes.readableBytes > QueuedBytes.pieceBytesMax / 2 {
                enqueue(next.bytes)
            } else {
                withOutgoing { $0.writeBuffer(&next.bytes) }
            }
            written += 1
            if next.closes { return true }
            if let webSocket = next.webSocket { become(webSocket) }
        }
        return false
    }

    private func write(
        _ body: UnsafeRawBufferPointer, by writer: ResponseWriter, _ isPacked: Bool?, closes: Bool,
        into buffer: inout ByteBuffer
    ) {
        var isPacked = isPacked
        // A large one that is not compressed elsewhere leaves as it is.
        if body.count > limits.compressionLoopBytesMax, isPacked == nil, wantsCompression(of: body, writer) {
            isPacked = false
        }
        if let isPacked {
            return writer.write(body, isPacked: isPacked, closes: closes, date: loop.date, into: &buffer)
        }
        let bytesMin = limits.compressesResponses ? limits.compressionBytesMin : Int.max
        writer.write(
            body, closes: closes, date: loop.date, compressionBytesMin: bytesMin, deflater: loop.deflater, into: &buffer
        )
    }

    private func requestID(for headers: HeaderBlock) -> RequestID? {
        headers.requestIDPrefix.isEmpty ? nil : loop.makeRequestID()
    }

    /// The end of a read, or of a turn in which answers came: everything that is ready leaves.
    func endTurn() {
        if state == .upgraded { webSocket?.endTurn(isInputClosed: isInputClosed) }
        isReading = false
        awaitsFlush = false
        flush()
        if isPaused { resumeReading() }
        noteWhatIsAwaited()
        if countedIncoming > 0 || waitsFor.phase != .idle || state == .upgraded { countIncoming() }
        parser.releaseRoom()
        endIfIdle()
    }
}

// MARK: - Ends

extension Connection {
    /// The server shuts down: what is owed and what is being received is still answered.
    func drain() {
        if state == .upgraded { webSocket?.drain() }
        if state == .lingering, bufferedBytes == 0 { return close() }
        endIfIdle()
    }

    /// Nothing is owed and nothing more will be asked.
    func endIfIdle() {
        guard state == .open, owed == 0, !isPaused else { return }
        // After its end of the connection, a client cannot complete a request it has begun.
        if isInputClosed || (service.isDraining && parser.phase == .idle) { end() }
    }

    /// The last answer is written: says so to the client, and closes when that has left.
    func end() {
        guard state == .open || state == .upgraded || state == .ending else { return }
        flush()
        guard queued.isEmpty || state == .closed else {
            endsWhenSent = true
            state = .ending
            return
        }
        state = .lingering
        waitsSince = loop.seconds
        waiting = [:]
        guard let context, context.channel.isActive || bufferedBytes > 0 else { return close() }
        if bufferedBytes == 0, !lingers || isInputClosed { return close() }
        guard isInputClosed || isSecure else {
            // Only the sending half is closed, after what is still unsent: a socket closed with bytes unread would
            // reset the connection, and the client might never see the answer (RFC 9112 §9.6).
            return closeOutput()
        }
        // NIO drops what is unsent when both halves are closed, so the close waits for it. TLS may know of the
        // client's end before this handler does, and then closes both.
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { [self] _ in isInputClosed ? close() : closeOutput() }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
    }

    private func closeOutput() {
        if isPaused { setAutoRead(true) }
        context?.close(mode: .output, promise: nil)
    }

    /// Closes without TLS's closing alert, for which the client would have to read first. Not to be called from within an
    /// event of the channel.
    func abort() {
        let context = context
        becomeClosed()
        guard let context else { return }
        if isSecure { TLSHandshake.abort(in: context) } else { context.close(promise: nil) }
    }

    /// Closes at once, whatever is under way.
    func close() {
        let context = context
        becomeClosed()
        guard isCompletingRead || isSecure else {
            context?.close(promise: nil)
            return
        }
        // At the end of a client's input NIO first says that a read is complete and then closes the input itself, for
        // which it must find the channel open. So a close from within that notice waits until NIO is done. TLS hands
        // on what it has decrypted from within the same notice.
        loop.execute { [self] in self.context?.close(promise: nil) }
    }

    private func becomeClosed() {
        state = .closed
        isClosed.store(true, ordering: .relaxed)
        hasHungUp.store(true, ordering: .relaxed)
        waiting = [:]
        waitingBytes = 0
        outgoing = ByteBuffer()
        queued = QueuedBytes()
        webSocket?.lost()
        webSocket = nil
        parser.giveUp()
        countNothing()
    }

    /// Bytes that come after the last request: read so that the client is not reset, and forgotten.
    private func drop(_ count: Int) {
        droppedBytes += count
        guard droppedBytes > limits.lingerBytesMax else { return }
        if state == .lingering { close() } else { pauseReading() }
    }

    /// Bytes the socket has not taken yet.
    var bufferedBytes: Int {
        (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
