import NIOCore

/// The course of one client's HTTP connection as a value: what happens goes in by methods, what is to be done about it
/// comes out of `next`, one action at a time, until that is `.wait`.
///
/// It holds no socket and no clock, and no reference to anything that calls back: `Connection` performs its actions
/// between the channel and the responder. Bytes become requests in order; answers may come in any order and leave in
/// that of their requests; every count has its bound in `HTTPLimits`.
struct ConnectionStateMachine {
    enum State {
        /// Requests are read.
        case open
        /// The connection has left HTTP: its bytes are a WebSocket's.
        case upgraded
        /// No further request is taken; answers are pending.
        case ending
        /// All answers are written; their bytes leave.
        case flushing
        /// Everything has left, and the client is given time to receive it.
        case lingering
        case closed
    }

    /// What the bytes of the socket are.
    enum Transport {
        /// Nothing has arrived: the first byte decides.
        case unknown
        case clearText
        /// The client has begun with TLS, which is not established yet.
        case handshaking
        case tls
    }

    /// Whether the socket is read.
    enum Reading {
        case on
        /// A bound was reached.
        case paused
        /// Other connections have their turn first.
        case yielding
    }

    /// What the whole server is at, which a connection takes account of.
    struct ServerCondition {
        /// It shuts down: no connection should outlive its last answer.
        var isDraining = false
        /// It keeps more bytes than it may, so that no further request is taken.
        var keepsTooMuch = false
    }

    /// What is to be done. What an action is about is fetched by a method, as for the events of the parser.
    enum Action {
        /// Nothing, until something else goes in.
        case wait
        /// The responder decides how the body of the request `head` is received: `receiveBody` takes it.
        case decideReception
        /// The responder answers the request `head`, whose body comes in parts, as the answer `issued`.
        case respondToStream
        /// `takePart` has what comes of the body that is streamed. `.end` and `.failed` are the last.
        case deliver
        /// The body of the answer that is being written has room for its next part.
        case sendBodyPart
        /// The responder answers the request that `takeRequest` has, as the answer `issued`.
        case respond
        /// The server answers with `refusal`, as the answer `issued`, to a request of which at most `refusedHead` is known.
        case refuse
        /// Bytes leave: `takeBytesToWrite` has them.
        case write
        /// The socket is read from now on, or not.
        case setReading(Bool)
        /// The WebSocket processes bytes that were read before.
        case resumeWebSocket
        /// The answer to an upgrade has been written. `takeRest` has what followed the request immediately.
        case becomeWebSocket
        /// All has been handed over: `finish` says how the connection ends.
        case finish
        /// The connection is closed at once.
        case close
    }

    let limits: HTTPLimits
    private let peer: Peer
    private let listenerProtocol: ListenerProtocol
    /// Those of its requests by TLS.
    private let listenerTraits: ReplyTraits

    private(set) var state = State.open
    private(set) var transport = Transport.unknown
    /// The host that the client has asked for by SNI, if it is in one of `TLSCertificates.trackedDomains`; empty if the
    /// ClientHello cannot be read.
    var serverName: String?
    var parser: RequestParser
    var answers = AnswerOrder()
    var outgoing = OutgoingBytes()
    var deadlines: ConnectionDeadlines
    var reading = Reading.on
    /// Whether the channel reads, as far as it was asked to.
    private var isChannelReading = true
    /// Whether the channel takes more bytes.
    private(set) var isWritable = true
    /// Whether the client has finished sending.
    private(set) var isInputClosed = false
    /// Whether the client waits for `100 Continue`.
    var owesContinue = false
    /// Whether the client may still be sending when the last answer leaves, so that it is read on for a while.
    var lingers = false
    /// The place of a request to upgrade that has no answer yet: what follows it may be frames.
    private var upgrading: Int?
    /// What the answer to the last request must know of it.
    private(set) var issuedTraits: ReplyTraits = []
    /// Why the server answers by itself.
    private(set) var refusal: Refusal?
    /// The request that is refused, without its body, as far as its head is known.
    private(set) var refusedHead: Request?
    /// What is to be done before anything else.
    var urgent: Action?
    /// What is delivered of the body that is streamed.
    var part: RequestBody.Part?
    /// Bytes that came after the last request.
    private var droppedBytes = 0
    /// The body that is streamed to the responder.
    var stream: StreamedBody?
    /// The body of the answer whose turn it is, if that is sent in parts.
    var sending: BodyInParts?

    struct StreamedBody {
        /// The place of the request.
        var sequence: Int
        /// Whether the responder has asked for the next part.
        var isWanted = false
        /// Whether the client waits for `100 Continue`.
        var expectsContinue: Bool
        /// Whether the rest will not come.
        var hasFailed = false
        /// The rate at which the client has to send what is asked for.
        var rate: LeastRate
    }

    struct BodyInParts {
        /// Whether the connection ends with it.
        var closes: Bool
        /// Whether a part is awaited, or has not left.
        var isPending = false
    }

    /// - Parameter now: Seconds of a clock that never goes back, as in all methods.
    init(
        limits: HTTPLimits, peer: Peer, _ listenerProtocol: ListenerProtocol, isForOperators: Bool = false, now: Int
    ) {
        self.limits = limits
        self.peer = peer
        self.listenerProtocol = listenerProtocol
        listenerTraits = isForOperators ? .isForOperators : []
        let redirection: ReplyTraits = listenerProtocol == .redirect ? .isToBeRedirected : []
        parser = RequestParser(limits: limits, peer: peer, listenerTraits: listenerTraits.union(redirection))
        deadlines = ConnectionDeadlines(now: now)
    }
}

// MARK: - What goes in

extension ConnectionStateMachine {
    /// What becomes of bytes that were read.
    enum Received {
        /// `next` has what follows from them.
        case taken
        /// The same; they are the first, in clear text.
        case takenFirst
        /// They are the WebSocket's.
        case webSocket
        /// They begin TLS, and go through it once more.
        case tls
    }

    /// Takes bytes from the socket, decrypted where TLS is spoken.
    mutating func receive(_ bytes: UnsafeRawBufferPointer, now: Int) -> Received {
        guard state == .open || state == .upgraded || state == .ending && receivesStream else {
            drop(bytes.count)
            return .taken
        }
        deadlines.noteActivity(now: now)
        if state == .upgraded { return .webSocket }
        let isFirst = transport == .unknown
        if isFirst {
            // The first byte decides the protocol, so that one port serves both.
            if unsafe bytes.first == TLSHandshake.firstByte {
                guard listenerProtocol != .redirect else {
                    transport = .clearText
                    urgent = .close
                    return .taken
                }
                transport = .handshaking
                parser = RequestParser(limits: limits, peer: peer, isSecure: true, listenerTraits: listenerTraits)
                deadlines.restart(now: now)
                return .tls
            }
            transport = .clearText
            if listenerProtocol == .tls {
                refuse(.clearTextOnTLSPort)
                return .takenFirst
            }
        }
        // The TLS handlers forward nothing before the handshake completes: these are left-over bytes of one that was cut short.
        guard transport != .handshaking else {
            urgent = .close
            return .taken
        }
        unsafe parser.append(bytes)
        // NIO empties the socket before it reports that the client has finished, even while reading is paused.
        if parser.bufferedCount > inputBytesMax { urgent = .close }
        return isFirst ? .takenFirst : .taken
    }

    /// Two whole requests and a socket's worth of bytes more. A client that has sent the rest of a streamed body and
    /// finished fills the socket: with what the system keeps for it, by Linux' defaults (tcp(7), `tcp_rmem`).
    private var inputBytesMax: Int {
        2 * parser.messageBytesMax + (receivesStream ? 7 : 1) * 1024 * 1024
    }

    /// Bytes that come after the last request: read so that the client is not reset, and dropped.
    private mutating func drop(_ count: Int) {
        droppedBytes += count
        guard droppedBytes > limits.lingerBytesMax, state != .closed else { return }
        if state == .lingering { urgent = .close } else { pause() }
    }

    mutating func handshakeFailed() { transport = .tls }

    mutating func handshakeCompleted(now: Int) {
        transport = .tls
        deadlines.noteActivity(now: now)
    }

    /// The client sends nothing more.
    mutating func inputClosed() { isInputClosed = true }

    mutating func setWritable(_ isWritable: Bool) { self.isWritable = isWritable }

    /// What becomes of an answer.
    enum AnswerOutcome {
        /// Nothing is answered any more.
        case dropped
        /// It is outgoing, and so are those whose turn has come by it.
        case written
        /// It waits for the answers before it.
        case waits
        /// It is outgoing, and the connection ends or leaves HTTP with it or one that follows it.
        case ends
    }

    /// Takes the answer number `sequence`.
    ///
    /// - Parameter ending: Whether the connection ends with the answer.
    /// - Parameter room: An empty buffer for bytes that leave soon.
    /// - Parameter write: Appends the answer; `closes` is what it must say of the connection.
    /// - Parameter hasParts: Whether the body is sent afterwards, in parts.
    mutating func answer(
        _ sequence: Int, _ ending: AnswerEnding, hasParts: Bool = false, server: ServerCondition, now: Int,
        room: () -> ByteBuffer, _ write: (_ closes: Bool, inout ByteBuffer) -> Void
    ) -> AnswerOutcome {
        guard state == .open || state == .ending else { return .dropped }
        deadlines.noteActivity(now: now)
        if sequence == upgrading { upgrading = nil }
        var ending = ending
        if closeRequestBody(sequence, hasParts: hasParts), ending == .stays { ending = .unasked }
        if ending == .unasked { lingers = true }
        // While the server shuts down, the last pending answer says that it is the last.
        let isLast = server.isDraining && sequence == answers.issuedCount - 1 && parser.phase == .idle
        let closes = ending != .stays || isLast
        guard sequence == answers.writtenCount else {
            var bytes = ByteBuffer()
            write(closes, &bytes)
            answers.keep(WaitingAnswer(bytes: bytes, closes: closes, hasParts: hasParts), sequence)
            return .waits
        }
        outgoing.append(room: room) { write(closes, &$0) }
        if hasParts {
            beginBody(closes: closes)
            return .written
        }
        answers.noteWritten()
        if closes {
            endAnswers()
            return .ends
        }
        if answers.hasWaiting { writeWaiting(room) }
        writeContinue(room)
        return takesAnswers ? .written : .ends
    }

    /// Takes the answer by which the connection becomes a WebSocket; `next` says when it has.
    /// - Returns: False where the server shuts down or the connection ends; nothing is done then.
    mutating func upgrade(
        _ sequence: Int, _ answer: [UInt8], server: ServerCondition, room: () -> ByteBuffer
    ) -> Bool {
        precondition(sequence == upgrading, "a handshake is answered by the reply to its own request")
        guard state == .open, !server.isDraining, stream == nil else { return false }
        if sequence == answers.writtenCount {
            outgoing.append(room: room) { $0.writeBytes(answer) }
            answers.noteWritten()
            becomeWebSocket()
        } else {
            let waiting = WaitingAnswer(bytes: ByteBuffer(bytes: answer), closes: false, upgrades: true)
            answers.keep(waiting, sequence)
        }
        return true
    }

    /// Answers in the server's own words, after all pending answers; nothing is read after that.
    mutating func refuse(_ refusal: Refusal) {
        guard state == .open else { return }
        state = .ending
        lingers = true
        self.refusal = refusal
        refusedHead = parser.knownRequest
        urgent = .refuse
    }

    /// A connection too many is refused and closed at once: to wait for its client would be to have it.
    mutating func refuseOneTooMany() {
        refuse(.tooManyConnections)
        lingers = false
    }

    /// Gives up the request that has not arrived whole, because the server keeps too much.
    mutating func giveUpRequest() {
        if receivesStream { return failStream(.refused(.keepsTooMuch)) }
        refuse(.keepsTooMuch)
        parser.giveUp()
    }

    /// The WebSocket's last frame has been written, or will not come.
    /// - Parameter lingers: Whether the client may still be sending.
    mutating func endWebSocket(lingers: Bool) {
        guard state == .upgraded else { return }
        self.lingers = lingers
        endAnswers()
    }

    /// The connection is closed. Nothing is kept from now on.
    mutating func close() {
        state = .closed
        answers.removeAll()
        outgoing = OutgoingBytes()
        (urgent, part, stream, sending) = (nil, nil, nil, nil)
        parser.giveUp()
    }
}

// MARK: - What comes out

extension ConnectionStateMachine {
    /// The next thing to be done.
    ///
    /// - Parameter flushes: Whether what is to be written leaves now. Without it, only what is more than a burst leaves,
    ///   so that the socket can say when it is too much, and what ends the connection.
    mutating func next(flushes: Bool, server: ServerCondition, now: Int) -> Action {
        if let action = urgent {
            urgent = nil
            if case .refuse = action { issue(.closes) }
            return action
        }
        while true {
            if outgoing.readableBytes > OutgoingBytes.burstBytesMax, outgoing.mayWrite(isWritable) { return .write }
            switch state {
            case .open: if let action = nextRequest(server, now: now) { return action }
            case .ending: if receivesStream, let action = nextPart(now: now) { return action }
            case .upgraded:
                if reading == .paused, !server.keepsTooMuch {
                    reading = .on
                    return .resumeWebSocket
                }
            case .flushing:
                if outgoing.mayWrite(isWritable) { return .write }
                guard outgoing.isEmpty else { return .wait }
                state = .lingering
                deadlines.restart(now: now)
                return .finish
            case .lingering, .closed: break
            }
            if sending?.isPending == false, isWritable, !outgoing.leavesInPieces {
                sending?.isPending = true
                return .sendBodyPart
            }
            if flushes {
                if outgoing.mayWrite(isWritable) { return .write }
                if endsIdle(server) {
                    endAnswers()
                    continue
                }
            }
            return readingChange() ?? .wait
        }
    }

    /// The request of the action `.respond`, and what its answer is given by.
    mutating func takeRequest() -> (request: Request, sequence: Int, traits: ReplyTraits) {
        (parser.takeRequest(), issued, issuedTraits)
    }

    /// The request of the actions `.decideReception` and `.respondToStream`, without its body.
    var head: Request {
        guard let head = parser.unfinishedRequest else { preconditionFailure("these actions follow a head") }
        return head
    }

    /// What the action `.deliver` is about.
    mutating func takePart() -> RequestBody.Part {
        guard let part = part.take() else { preconditionFailure("a part is taken after its action") }
        return part
    }

    /// What followed the request by which the connection became a WebSocket.
    mutating func takeRest() -> [UInt8] { parser.takeRest() }

    /// A change of whether the socket is read.
    private mutating func readingChange() -> Action? {
        let isReading = reading == .on
        guard isReading != isChannelReading else { return nil }
        isChannelReading = isReading
        return .setReading(isReading)
    }

    /// The next request of what has been read, until it is used up or a bound says to wait.
    private mutating func nextRequest(_ server: ServerCondition, now: Int) -> Action? {
        if stream != nil { return nextPart(now: now) }
        switch reading {
        case .on:
            guard mayTakeRequest(server, fraction: 1) else {
                pause()
                return nil
            }
        case .paused:
            // Reading resumes when half of what made it stop is sent.
            guard mayTakeRequest(server, fraction: 2) else { return nil }
            reading = .on
            deadlines.restart(now: now)
        case .yielding: return nil
        }
        return action(of: parser.next(), server)
    }

    /// Takes how the responder wants the body whose head was the last action.
    /// - Returns: What follows; nil for what `next` says.
    mutating func receiveBody(_ reception: BodyReception, server: ServerCondition) -> Action? {
        guard state == .open else { return nil }
        return action(of: parser.receiveBody(reception), server)
    }

    private mutating func action(of event: RequestParser.Event, _ server: ServerCondition) -> Action? {
        var event = event
        while true {
            switch event {
            case .needsBytes: return nil
            case .head: return .decideReception
            case .expectsContinue:
                owesContinue = !parser.hasBodyBytes
                writeContinue { ByteBuffer() }
            case .request:
                acceptRequest(server)
                return .respond
            case .streamedRequest:
                takeStreamed(server)
                return .respondToStream
            case .refusal:
                state = .ending
                lingers = true
                (refusal, refusedHead) = (parser.refusal, parser.refusedHead)
                issue(.closes)
                return .refuse
            case .part, .partsEnd: preconditionFailure("parts are read by `nextPart`")
            }
            event = parser.next()
        }
    }

    private func mayTakeRequest(_ server: ServerCondition, fraction: Int) -> Bool {
        isWritable && upgrading == nil && !server.keepsTooMuch && outgoing.queued.isEmpty
            && (fraction == 1
                ? answers.owedCount < limits.pipelinedRequestsMax
                : answers.owedCount <= limits.pipelinedRequestsMax / fraction)
            && answers.waitingBytes <= limits.outgoingBytesMax / fraction
    }

    /// A request to upgrade may leave HTTP here: it is whole, and nothing after it is read until it is answered.
    mutating func acceptRequest(_ server: ServerCondition) {
        owesContinue = false
        var traits = parser.traits
        if traits.contains(.asksWebSocket) { upgrading = answers.issuedCount }
        if server.isDraining { traits.insert(.closes) }
        if limits.requestsPerConnectionMax > 0, answers.issuedCount + 1 >= limits.requestsPerConnectionMax,
            upgrading == nil
        {
            lingers = !traits.contains(.closes)
            traits.insert(.closes)
        }
        if traits.contains(.closes) { state = .ending }
        issue(traits)
    }

    /// The number of the answer to the last request.
    var issued: Int { answers.issuedCount - 1 }

    private mutating func issue(_ traits: ReplyTraits) {
        issuedTraits = traits
        _ = answers.issue()
    }

    /// RFC 9110 §10.1.1. It must not overtake the answers before it.
    mutating func writeContinue(_ room: () -> ByteBuffer) {
        guard owesContinue, answers.owedCount == (stream == nil ? 0 : 1), sending == nil else { return }
        owesContinue = false
        outgoing.append(room: room) { $0.writeStaticString("HTTP/1.1 100 Continue\r\n\r\n") }
    }

    /// Writes the answers whose turn has come.
    mutating func writeWaiting(_ room: () -> ByteBuffer) {
        while var next = answers.takeNext() {
            if next.bytes.readableBytes > QueuedBytes.pieceBytesMax / 2 {
                outgoing.enqueue(next.bytes)
            } else {
                outgoing.append(room: room) { $0.writeBuffer(&next.bytes) }
            }
            if next.hasParts { return beginBody(closes: next.closes) }
            answers.noteWritten()
            if next.closes { return endAnswers() }
            if next.upgrades { becomeWebSocket() }
        }
    }

    private mutating func becomeWebSocket() {
        state = .upgraded
        upgrading = nil
        reading = .on
        urgent = .becomeWebSocket
    }

    /// No further request is taken.
    mutating func endRequests() { if state == .open { state = .ending } }

    mutating func endAnswers() {
        guard state == .open || state == .upgraded || state == .ending else { return }
        state = .flushing
        answers.removeAll()
        if receivesStream { failStream(.answered) }
    }

    /// Whether no answer is pending and no further request will come. After its end of the connection, a client cannot complete
    /// a request it has begun.
    private func endsIdle(_ server: ServerCondition) -> Bool {
        guard state == .open, answers.owedCount == 0, reading == .on, outgoing.isEmpty else { return false }
        return isInputClosed || (server.isDraining && parser.phase == .idle)
    }
}
