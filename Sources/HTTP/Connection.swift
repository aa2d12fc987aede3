import NIOCore
import NIOTLS
import Synchronization

/// The handler of one client's connection: passes what the channel reports to its `ConnectionStateMachine`, and performs
/// the actions that come out.
///
/// Answers given while the socket is read are written together when the read is done, the others together at the end of
/// the loop's turn: one write and one flush either way. Long ones leave in pieces, each in a turn of its own
/// (`QueuedBytes`).
///
/// `@unchecked Sendable`: all but constants, `isClosed` and `hasHungUp` is touched on the loop's thread only. NIO calls a
/// handler there, the loop calls its own connections there, and `Reply` hops there before it answers.
final class Connection: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Where in NIO's notices of a read the handler is.
    private enum ReadNotice {
        case none, bytes, completion
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
    /// `Reply.addressHash`.
    let addressHash: Int
    var context: ChannelHandlerContext?
    /// Nil where bytes must go through the channel, as those of TLS.
    var socket: ChannelSocket?
    /// Not checked for overlapping accesses at run time, which took an eighth of a request and a quarter of an event to
    /// many sockets (`make bench SCENARIO=instructions`). Proof: it is used on the loop's thread only, and no closure that is
    /// passed to one of its methods uses `machine`. The same holds of `keptBytes`, whose methods call `bufferedBytes` and the clock.
    @exclusivity(unchecked) var machine: ConnectionStateMachine
    /// Nil before the upgrade.
    private(set) var webSocket: WebSocket?
    /// What the connection becomes when the answers before the upgrade have left.
    private var openingWebSocket: WebSocket?
    @exclusivity(unchecked) var keptBytes: ConnectionKeptBytes
    /// The body that is streamed to the responder.
    var requestBody: RequestBody?
    /// Whether the responder takes the body whose head it decided about last.
    private var takesBody = true
    /// The body of the answer whose turn it is, if that is sent in parts.
    var sentBody: SentBody?
    /// Those of answers that wait for their turn, by their number.
    var waitingBodies: [Int: SentBody] = [:]

    private var isOneTooMany = false
    private var notice = ReadNotice.none
    /// Whether the actions of the machine are being performed.
    private var isRunning = false
    /// Whether the loop ends a turn of this connection later.
    private var isFlushScheduled = false
    /// Whether what a WebSocket sends leaves at the end of `gather`.
    private var isGathering = false
    /// Whether bytes are with the channel that it was not asked to send yet.
    private var hasUnflushed = false

    var limits: HTTPLimits { service.limits }

    init(loop: EventLoop, service: Service, peer: Peer, _ listener: ListenerProtocol, isForOperators: Bool = false) {
        self.loop = loop
        self.service = service
        self.peer = peer
        addressHash = peer.network.hashValue
        unsafe keptBytes = ConnectionKeptBytes(service.limits)
        unsafe machine = ConnectionStateMachine(
            limits: service.limits, peer: peer, listener, isForOperators: isForOperators, now: loop.seconds)
    }
}

// MARK: - Events from NIO

extension Connection {
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.add(self)
        isOneTooMany = !service.admitConnection()
    }

    func channelActive(context: ChannelHandlerContext) {
        if service.isDraining { return close() }
        guard isOneTooMany else { return }
        unsafe machine.refuseOneTooMany()
        run(flushes: true)
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
        if unsafe machine.isHandshaking { return endHandshake(TLSHandshakeFailure(error)) }
        // NIO reports the end itself next.
        if TLSHandshake.isUncleanEnd(error) { return }
        // Else only errors of the socket and of TLS come here, and each of them means that the client has disconnected.
        close()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        notice = .bytes
        switch unsafe bytes.withUnsafeReadableBytes({ unsafe machine.receive($0, now: loop.seconds) }) {
        case .taken: break
        case .takenFirst: socket = ChannelSocket(context.channel)
        case .webSocket: unsafe bytes.withUnsafeReadableBytes { unsafe webSocket?.read($0) }
        case .tls:
            notice = .none
            return beginHandshake(bytes, context)
        }
        run(flushes: false)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        notice = .completion
        endTurn()
        notice = .none
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        unsafe machine.setWritable(context.channel.isWritable)
        // What performs actions now goes on with them itself, and the end of a read follows.
        if context.channel.isWritable, !isRunning, notice != .bytes { endTurn() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            unsafe machine.handshakeCompleted(now: loop.seconds)
            return service.handshakeEnded(nil, peer, on: loop)
        }
        guard case .some(.inputClosed) = event as? ChannelEvent else { return }
        unsafe machine.inputClosed()
        hasHungUp.store(true, ordering: .relaxed)
        endTurn()
    }
}

// MARK: - Actions

extension Connection {
    /// What the whole server is at.
    private var serverCondition: ConnectionStateMachine.ServerCondition {
        .init(isDraining: service.isDraining, keepsTooMuch: service.keepsTooMuch)
    }

    /// Performs actions of the machine until it waits. An action that leads back here is followed by the next ones when
    /// it is done.
    func run(flushes: Bool) {
        guard !isRunning else { return }
        isRunning = true
        var turn = LoopTurn()
        while unsafe perform(machine.next(flushes: flushes, server: serverCondition, now: loop.seconds), &turn) {}
        isRunning = false
    }

    /// - Returns: Whether there may be another action.
    private func perform(_ action: ConnectionStateMachine.Action, _ turn: inout LoopTurn) -> Bool {
        switch action {
        case .wait: return false
        case .respond:
            let (request, sequence, traits) = unsafe machine.takeRequest()
            let reply = Reply(connection: self, sequence: sequence, traits: traits)
            service.responder.respond(to: request, on: loop, reply: reply)
            if unsafe machine.hasInput, turn.isOver() { yield() }
        case .decideReception:
            let reception = unsafe service.responder.bodyReception(for: machine.head, on: loop)
            takesBody = reception != .refuse
            guard let next = unsafe machine.receiveBody(reception, server: serverCondition) else { break }
            return perform(next, &turn)
        case .respondToStream:
            var request = unsafe machine.head
            let byteCount = unsafe machine.parser.remainingBodyCount
            requestBody = takesBody ? RequestBody(byteCount: byteCount, connection: self) : nil
            request.stream = requestBody
            let reply = unsafe Reply(connection: self, sequence: machine.issued, traits: machine.issuedTraits)
            service.responder.respond(to: request, on: loop, reply: reply)
        case .deliver:
            let part = unsafe machine.takePart()
            let body = requestBody
            if case .bytes = part {} else { requestBody = nil }
            body?.deliver(part)
            if unsafe machine.hasInput, turn.isOver() { yield() }
        case .sendBodyPart: sendBodyPart()
        case .refuse:
            guard let refusal = unsafe machine.refusal else { break }
            unsafe refuse(machine.issued, .closes, refusal, head: machine.refusedHead)
        case .write: write()
        case .setReading(let isOn): setAutoRead(isOn)
        case .resumeWebSocket: unsafe webSocket?.endTurn(isInputClosed: machine.isInputClosed)
        case .becomeWebSocket:
            let rest = unsafe machine.takeRest()
            (webSocket, openingWebSocket) = (openingWebSocket, nil)
            webSocket?.open(with: rest)
            if service.isDraining { webSocket?.drain() }
            scheduleFlush()
        case .finish: finish()
        case .close: close()
        }
        return true
    }

    /// The end of a read, or of a turn in which answers came: everything that is ready leaves.
    func endTurn() {
        if let webSocket { unsafe webSocket.endTurn(isInputClosed: machine.isInputClosed) }
        if notice == .bytes { notice = .none }
        isFlushScheduled = false
        flush()
        let awaitsPart = unsafe machine.turnEnded(now: loop.seconds)
        // Unless nothing was and is kept of what has not arrived whole.
        if unsafe awaitsPart || keptBytes.incoming > 0 || webSocket != nil { countIncoming() }
    }

    /// Hands over what is ready.
    func flush() {
        if isRunning { writeAll() } else { run(flushes: true) }
        flushChannel()
    }

    private func writeAll() { while unsafe machine.mayWrite { write() } }

    private func flushChannel() {
        guard hasUnflushed else { return }
        hasUnflushed = false
        unsafe keptBytes.mayHaveUnsent = true
        context?.flush()
        countOutgoing()
    }

    /// During a read, its end flushes; otherwise the end of the turn does.
    func scheduleFlush() {
        guard notice != .bytes, !isFlushScheduled, !isGathering else { return }
        isFlushScheduled = true
        if unsafe machine.state == .upgraded { loop.flushLater(socket: self) } else { loop.flushLater(self) }
    }

    /// Gives other connections a turn before the rest of what was read is processed.
    func yield() {
        guard unsafe machine.beginYield() else { return }
        loop.executeAfterReads { [self] in
            unsafe machine.endYield(now: loop.seconds)
            endTurn()
        }
    }

    /// Takes no bytes from the client until there is room again.
    func pauseReading() { unsafe machine.pause() }

    var isPaused: Bool { unsafe machine.isPaused }

    private func setAutoRead(_ isOn: Bool) {
        // Fails only on a closed channel, which reads nothing anyway.
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }
}

// MARK: - Writing

extension Connection {
    /// Writes what the machine hands over: to the socket itself, unless something waits in the channel.
    private func write() {
        var (bytes, handedBytes, isLastPiece) = unsafe machine.takeBytesToWrite()
        guard let context else { return }
        if isLastPiece, writeDirectly(&bytes) {
            loop.giveBack(&bytes)
            if unsafe keptBytes.outgoing > 0 { countOutgoing() }
            return
        }
        // What a slow reader has not taken holds on to little more memory than it needs.
        if handedBytes == bytes.writerIndex, bytes.readerIndex > 0, bytes.readableBytes <= bytes.capacity / 4 {
            bytes = ByteBuffer(bytes: bytes.readableBytesView)
            handedBytes = bytes.writerIndex
        }
        unsafe keptBytes.mayHaveUnsent = true
        hasUnflushed = false
        unsafe keptBytes.hand(bytes.readableBytes, keptBytes: handedBytes)
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
        loop.giveBack(&bytes)
        countOutgoing()
        guard !isLastPiece else { return }
        loop.executeAfterReads { [self] in
            unsafe machine.nextPieceIsDue()
            endTurn()
        }
    }

    /// - Returns: Whether the socket took all of it.
    private func writeDirectly(_ bytes: inout ByteBuffer) -> Bool {
        guard let socket, !hasUnflushed else { return false }
        if unsafe keptBytes.mayHaveUnsent {
            guard bufferedBytes == 0 else { return false }
            unsafe keptBytes.noteAllSent()
        }
        let count = unsafe bytes.withUnsafeReadableBytes { unsafe socket.write($0) }
        unsafe keptBytes.noteWritten(count)
        bytes.moveReaderIndex(forwardBy: count)
        return bytes.readableBytes == 0
    }

    /// Bytes the socket has taken and the client has not.
    private var unacknowledgedCount: Int {
        guard let socket = socket ?? context.flatMap({ ChannelSocket($0.channel) }) else { return 0 }
        return socket.unacknowledgedCount
    }

    /// Bytes the socket has not taken yet.
    var bufferedBytes: Int {
        (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}

// MARK: - Answers

extension Connection {
    func answer(_ sequence: Int, _ traits: ReplyTraits, _ response: Response) {
        let requestID = response.requestID ?? (response.headers.hasRequestID ? loop.makeRequestID() : nil)
        let writer = ResponseWriter(
            status: response.status, headers: response.headers, lines: response.lines, requestID: requestID,
            fields: response.fields, traits: traits, allowsCompression: response.allowsCompression)
        switch response.body {
        case .bytes(let bytes):
            unsafe bytes.withUnsafeBytes {
                unsafe answer(sequence, writer, $0, endsConnection: response.closesConnection)
            }
        case .file, .stream: answer(sequence, writer, response)
        }
    }

    /// An answer whose body is sent in parts.
    private func answer(_ sequence: Int, _ writer: ResponseWriter, _ response: Response) {
        guard unsafe machine.takesAnswers else { return }
        let sendsBody = writer.sendsBody && response.body.byteCount != 0
        // RFC 9112 §6.3: without a length, the end of the connection is the end of the body. HTTP/1.0 has no chunks.
        let endsWithConnection = sendsBody && response.body.byteCount == nil && writer.traits.contains(.isHTTP10)
        let ending: AnswerEnding =
            writer.traits.contains(.closes)
            ? .asked : response.closesConnection || endsWithConnection ? .unasked : .stays
        if sendsBody {
            waitingBodies[sequence] = SentBody(response.body, isHTTP10: writer.traits.contains(.isHTTP10))
        }
        let outcome = unsafe machine.answer(
            sequence, ending, hasParts: sendsBody, server: serverCondition, now: loop.seconds, room: loop.takeBuffer
        ) {
            writer.writeHead(bodyCount: response.body.byteCount, closes: $0, date: loop.date, into: &$1)
        }
        proceed(after: outcome)
    }

    /// The answer to a request whose `Reply` was released.
    func answerUnanswered(_ sequence: Int, _ traits: ReplyTraits) { refuse(sequence, traits, .unanswered, head: nil) }

    /// Answers in the responder's words to what the server refuses by itself.
    private func refuse(_ sequence: Int, _ traits: ReplyTraits, _ refusal: Refusal, head: Request?) {
        let (response, requestID) = service.response(to: refusal, head: head, peer: peer, on: loop)
        answer(sequence, traits, response)
        service.responder.noteRefusal(refusal, requestID: requestID, peer: peer, on: loop)
    }

    /// - Parameter endsConnection: Whether the answer ends the connection though the client did not ask for it.
    func answer(
        _ sequence: Int, _ writer: ResponseWriter, _ body: UnsafeRawBufferPointer, endsConnection: Bool = false
    ) {
        let ending: AnswerEnding =
            writer.traits.contains(.closes) ? .asked : endsConnection ? .unasked : .stays
        if body.count > limits.compressionLoopBytesMax, unsafe compress(sequence, ending, writer, body) { return }
        unsafe answer(sequence, ending, writer, body, isPacked: nil)
    }

    /// Has a large body compressed elsewhere; its answer keeps its place in the order meanwhile. False where it leaves as
    /// it is: when the client does not ask for it, or too much is being compressed.
    private func compress(
        _ sequence: Int, _ ending: AnswerEnding, _ writer: ResponseWriter, _ body: UnsafeRawBufferPointer
    ) -> Bool {
        guard unsafe wantsCompression(of: body, writer), unsafe machine.takesAnswers else { return false }
        let isUnderWay = unsafe service.compression.gzip(body, on: loop) { [self] body, packed in
            unsafe keptBytes.compressing -= body.count
            unsafe (packed ?? body).withUnsafeBytes {
                unsafe answer(sequence, ending, writer, $0, isPacked: packed != nil)
            }
        }
        guard isUnderWay else { return false }
        unsafe machine.noteActivity(now: loop.seconds)
        unsafe keptBytes.compressing += body.count
        countOutgoing()
        return true
    }

    private func wantsCompression(of body: UnsafeRawBufferPointer, _ writer: ResponseWriter) -> Bool {
        limits.compressesResponses && body.count >= limits.compressionBytesMin && writer.wantsCompression
    }

    /// - Parameter isPacked: Whether the body is compressed; nil where that is still to be decided.
    private func answer(
        _ sequence: Int, _ ending: AnswerEnding, _ writer: ResponseWriter, _ body: UnsafeRawBufferPointer,
        isPacked: Bool?
    ) {
        let outcome = unsafe machine.answer(
            sequence, ending, server: serverCondition, now: loop.seconds, room: loop.takeBuffer
        ) {
            unsafe write(body, by: writer, isPacked, closes: $0, into: &$1)
        }
        proceed(after: outcome)
    }

    /// What ends the connection leaves at once, everything else with the turn.
    private func proceed(after outcome: ConnectionStateMachine.AnswerOutcome) {
        switch outcome {
        case .dropped, .ends: return run(flushes: false)
        case .waits: countOutgoing()
        case .written: break
        }
        scheduleFlush()
    }

    private func write(
        _ body: UnsafeRawBufferPointer, by writer: ResponseWriter, _ isPacked: Bool?, closes: Bool,
        into buffer: inout ByteBuffer
    ) {
        var isPacked = isPacked
        // A large one that is not compressed elsewhere leaves as it is.
        if body.count > limits.compressionLoopBytesMax, isPacked == nil, unsafe wantsCompression(of: body, writer) {
            isPacked = false
        }
        if let isPacked {
            return unsafe writer.write(body, isPacked: isPacked, closes: closes, date: loop.date, into: &buffer)
        }
        let bytesMin = limits.compressesResponses ? limits.compressionBytesMin : Int.max
        unsafe writer.write(
            body, closes: closes, date: loop.date, compressionBytesMin: bytesMin, deflater: loop.deflater, into: &buffer
        )
    }
}

// MARK: - The WebSocket

extension Connection {
    /// Leaves HTTP with `answer`, once the answers before it have left. Nothing after the request has been read.
    func upgrade(
        _ sequence: Int, _ traits: ReplyTraits, _ answer: [UInt8], _ limits: WebSocketLimits,
        _ handler: any WebSocketHandler
    ) {
        guard unsafe machine.takesAnswers else { return }
        guard unsafe machine.upgrade(sequence, answer, server: serverCondition, room: loop.takeBuffer) else {
            return refuse(sequence, traits, .shutsDown, head: nil)
        }
        openingWebSocket = WebSocket(connection: self, service: service, limits: limits, handler: handler)
        unsafe proceed(after: machine.takesAnswers ? .written : .ends)
    }

    /// Appends to the bytes that leave at the end of the turn.
    func append(_ write: (inout ByteBuffer) -> Void) {
        // What is appended to a WebSocket may wait until others have appended.
        let leavesSoon = unsafe machine.state != .upgraded || isGathering && !keptBytes.mayHaveUnsent
        unsafe machine.append(room: { leavesSoon ? loop.takeBuffer() : loop.makeSocketBuffer() }, write)
        if unsafe machine.outgoing.readableBytes > OutgoingBytes.burstBytesMax { flush() } else { scheduleFlush() }
    }

    /// Appends bytes that others hold too, without a copy.
    func append(referencing bytes: ByteBuffer) {
        guard unsafe machine.state == .upgraded, let context else { return }
        guard unsafe machine.outgoing.queued.isEmpty else {
            unsafe machine.enqueue(bytes)
            return scheduleFlush()
        }
        let before = unsafe machine.takeOutgoing()
        if before.readableBytes > 0 {
            unsafe keptBytes.hand(before)
            context.write(wrapOutboundOut(before), promise: nil)
        }
        unsafe keptBytes.hand(bytes)
        context.write(wrapOutboundOut(bytes), promise: nil)
        hasUnflushed = true
        scheduleFlush()
    }

    /// What `body` appends leaves at its end, in one write; what waited for the end of the turn leaves with it.
    func gather(_ body: () -> Void) {
        isGathering = true
        body()
        isGathering = false
        writeAll()
        flushChannel()
    }

    /// Writes all queued bytes; returns how many the socket has not accepted.
    func flushedUnsentBytes() -> Int {
        flush()
        return unsafe bufferedBytes + machine.outgoing.queued.readableBytes + machine.outgoing.readableBytes
    }

    /// The close frames are written, or will not come. `lingers` where the client may still be sending.
    func endWebSocket(lingers: Bool) {
        unsafe machine.endWebSocket(lingers: lingers)
        run(flushes: true)
    }
}

// MARK: - Ends

extension Connection {
    /// The server shuts down: pending requests and what is being received are still answered.
    func drain() {
        if unsafe machine.state == .upgraded { webSocket?.drain() }
        if unsafe machine.state == .lingering, bufferedBytes == 0 { return close() }
        run(flushes: true)
    }

    /// Once a second, on the loop.
    func tick() {
        webSocket?.tick()
        if unsafe keptBytes.mayHaveUnsent || keptBytes.outgoing > 0 { countOutgoing() }
        // A WebSocket has its own timeouts.
        if unsafe machine.state == .upgraded { return }
        if sentBody?.isCutOff == true || waitingBodies.values.contains(where: \.isCutOff) { return close() }
        if unsafe keptBytes.isTooSlow(
            bufferedBytes: bufferedBytes, unacknowledgedCount: unacknowledgedCount, now: loop.seconds,
            idleSeconds: limits.idleSeconds)
        {
            return close()
        }
        switch unsafe machine.tick(now: loop.seconds, hasUnsent: !keptBytes.unsent.isEmpty) {
        case .wait: break
        case .close: close()
        case .handshakeTooSlow: endHandshake(.tooSlow)
        case .proceed: run(flushes: true)
        }
    }

    /// The last answer is handed over.
    private func finish() {
        switch unsafe machine.finish(hasUnsent: bufferedBytes > 0, isActive: context?.channel.isActive ?? false) {
        case .close: close()
        case .closeOutput: closeOutput()
        case .closeWhenSent: whenSent { $0.close() }
        case .closeOutputWhenSent: whenSent { unsafe $0.machine.isInputClosed ? $0.close() : $0.closeOutput() }
        }
    }

    private func whenSent(_ body: @escaping @Sendable (Connection) -> Void) {
        guard let context else { return }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { [self] _ in body(self) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
    }

    private func closeOutput() {
        unsafe machine.resume()
        run(flushes: false)
        context?.close(mode: .output, promise: nil)
    }

    /// Closes without TLS's closing alert, for which the client would have to read first. Not to be called from within an
    /// event of the channel.
    func abort() {
        let context = context
        becomeClosed()
        guard let context else { return }
        if unsafe machine.isSecure { TLSHandshake.abort(in: context) } else { context.close(promise: nil) }
    }

    /// Closes at once, whatever is under way.
    func close() {
        let context = context
        becomeClosed()
        guard unsafe notice == .completion || machine.isSecure else {
            context?.close(promise: nil)
            return
        }
        // At the end of a client's input NIO first says that a read is complete and then closes the input itself, for
        // which it must find the channel open. So a close from within that notice waits until NIO is done. TLS hands
        // on what it has decrypted from within the same notice.
        loop.execute { [self] in self.context?.close(promise: nil) }
    }

    private func becomeClosed() {
        isClosed.store(true, ordering: .relaxed)
        hasHungUp.store(true, ordering: .relaxed)
        unsafe machine.close()
        webSocket?.connectionClosed()
        (webSocket, openingWebSocket) = (nil, nil)
        countNothing()
        let body = requestBody
        (requestBody, sentBody, waitingBodies) = (nil, nil, [:])
        body?.deliver(.failed(.disconnected))
    }
}
