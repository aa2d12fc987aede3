/// HTTP/1.1 requests from bytes: a state machine without input or output. RFC 9112 §§2–7.
///
/// Bytes go in by `append`; events come out of `next` until it says `.needsBytes`. How the bytes were cut into reads
/// makes no difference. A refusal is the last event: where two readings are possible, nothing after is trustworthy.
/// What an event is about is fetched by a method: an event with its request in it would be copied and destroyed several
/// times on its way (`make bench SCENARIO=instructions`).
///
/// The bytes stay in one array. A request takes a reference to it, so that a body is copied once, from the socket.
/// Unless the request is kept, the array's memory is reused for the next one.
struct RequestParser {
    enum Event {
        /// Every complete event was returned; more bytes are needed.
        case needsBytes
        /// A head whose body follows is `unfinishedRequest`: `receiveBody` is to be called with how.
        case head
        /// A head asks for `100 Continue`; its body follows.
        case expectsContinue
        /// The head `unfinishedRequest` has a body that comes as `part`s and a `partsEnd`.
        case streamedRequest
        /// `takePart` has bytes of the body.
        case part
        case partsEnd
        /// `takeRequest` has a request.
        case request
        /// Nothing more is read: `refusal` says why. `refusedHead` is the head of the request, as far as it was read.
        case refusal
    }

    /// What is being waited for.
    enum Phase {
        case idle, head, body, failed
    }

    private enum State {
        case head
        case awaitsReception(RequestHead.Framing)
        case body(length: Int)
        /// The message is whole, and has this many bytes from `start`.
        case whole(byteCount: Int)
        case chunkedBody(ChunkedBody)
        case streamedBody(remaining: Int)
        case streamedChunks(ChunkedBody)
        case failed
    }

    private let limits: HTTPLimits
    private let peer: Peer
    private let isSecure: Bool
    /// Those of the listener.
    private let listenerTraits: ReplyTraits
    /// Everything read and not yet given back. The message in hand begins at `start`; all other offsets count from it.
    private var input: [UInt8] = []
    private var start = 0
    private var cursor = 0
    private var searched = 0
    private var emptyLineCount = 0
    private var hasRequestLine = false
    /// Whether the head of the message in hand has been read whole.
    private var hasHead = false
    private var head = RequestHead()
    /// What the answer to the message in hand must know of its head.
    private(set) var traits: ReplyTraits = []
    /// The bytes of the head, where the body comes in chunks or in parts.
    private var movedHead: [UInt8] = []
    /// The body of a whole message that came in chunks or compressed; nil where it stands in the input as it is.
    private var joinedBody: [UInt8]?
    /// Bytes of a streamed body that have not been taken.
    private var part: [UInt8] = []
    /// The bytes that `head` was read from, and what it said of the body; none when they were many.
    private var lastHead: [UInt8] = []
    private var lastFraming = RequestHead.Framing.length(0)
    /// How the body of that head was received, if it has one.
    private var lastReception: BodyReception?
    /// Why nothing more is read.
    private(set) var refusal: Refusal?
    /// The request that was refused, as `knownRequest` was.
    private(set) var refusedHead: Request?
    /// Bytes of the body that is collected, at most.
    private var bodyBytesMax = 0
    private var state = State.head

    /// Room that an idle connection keeps for its next request.
    private static let idleBytesMax = 16 * 1024

    /// Bytes of a head that are kept to be compared with the next: a head with the token of a user has some 1,500.
    private static let lastHeadBytesMax = 4096

    init(limits: HTTPLimits, peer: Peer = Peer(), isSecure: Bool = false, listenerTraits: ReplyTraits = []) {
        self.limits = limits.clamped
        self.peer = peer
        self.isSecure = isSecure
        self.listenerTraits = listenerTraits
    }

    var phase: Phase {
        switch state {
        case .head: hasBufferedBytes ? .head : .idle
        case .awaitsReception, .body, .whole, .chunkedBody, .streamedBody, .streamedChunks: .body
        case .failed: .failed
        }
    }

    /// Whether all parts of a streamed body have been taken, so that its end needs no further bytes.
    var isAtPartsEnd: Bool { if case .streamedBody(0) = state { true } else { false } }

    /// Bytes of the streamed body in hand that are still to come, if the client said its length.
    var remainingBodyCount: Int? { if case .streamedBody(let remaining) = state { remaining } else { nil } }

    /// Whether the client waits for `100 Continue`. RFC 9110 §10.1.1: an HTTP/1.0 client's expectation is ignored.
    var expectsContinue: Bool { head.expectsContinue && !head.isHTTP10 && !hasBodyBytes }

    /// Bytes that may be kept of the message in hand, with its head.
    var messageBytesMax: Int {
        limits.requestHeadBytesMax + max(bodyBytesMax, limits.bodyBytesMax, limits.streamBytesMax)
    }

    /// Whether bytes of the message in hand wait for the rest of it.
    var hasBufferedBytes: Bool { input.count > start }

    /// Bytes kept, for the bound on what a paused connection may pile up.
    var bufferedCount: Int { input.count - start }

    /// Memory that is kept for a message which has not arrived whole.
    var keptBytes: Int {
        switch state {
        case .head, .awaitsReception, .body, .whole, .streamedBody: phase == .idle ? 0 : input.capacity
        case .chunkedBody(let body), .streamedChunks(let body): input.capacity + body.keptBytes + movedHead.capacity
        case .failed: 0
        }
    }

    /// Room for bytes that are to be read, for the test of what an idle connection keeps.
    var roomBytes: Int { input.capacity }

    /// Whether any of the body has arrived, which makes `100 Continue` needless.
    var hasBodyBytes: Bool { input.count > start + cursor }

    /// Takes in what was read. The messages that are done give up their room first.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if start == input.count {
            input.removeAll(keepingCapacity: input.capacity <= Self.idleBytesMax)
        } else if start > 0 {
            input.removeSubrange(..<start)
        }
        start = 0
        unsafe input.append(contentsOf: bytes)
    }

    /// What is no request any more, after an upgrade. The parser keeps no memory then.
    mutating func takeRest() -> [UInt8] {
        defer {
            self = RequestParser(
                limits: limits, peer: peer, isSecure: isSecure, listenerTraits: listenerTraits)
        }
        return Array(input[start...])
    }

    /// Gives up the room of a large message that is done, as an idle connection should not hold on to it.
    mutating func releaseRoom() {
        guard start == input.count, input.capacity > Self.idleBytesMax else { return }
        input = []
        start = 0
    }

    /// The request in hand, whose body has not arrived whole, without its body; nil before its head is there.
    var unfinishedRequest: Request? {
        guard hasHead else { return nil }
        return movedHead.isEmpty
            ? makeRequest(head: input, at: start, body: [], in: 0..<0)
            : makeRequest(head: movedHead, at: 0, body: [], in: 0..<0)
    }

    /// The same, or of a head that has not arrived whole the request line and the header lines so far, from which a refusal can be
    /// answered in the form of what the request is for; nil before the request line was read.
    var knownRequest: Request? {
        if let unfinishedRequest { return unfinishedRequest }
        guard case .head = state, head.hasTarget, hasRequestLine else { return nil }
        return makeRequest(head: input, at: start, traits: head.traits.union(listenerTraits), body: [], in: 0..<0)
    }

    /// Forgets the message in hand; no further one is read.
    mutating func giveUp() {
        state = .failed
        hasHead = false
        input = []
        movedHead = []
        joinedBody = nil
        part = []
        start = 0
    }

    /// The next event.
    mutating func next() -> Event {
        // After each request, nearly always.
        if case .head = state, !hasBufferedBytes { return .needsBytes }
        return event { parser throws(Refusal) in
            switch parser.state {
            case .head: try parser.readHead()
            case .body, .chunkedBody: try parser.readBody()
            case .whole: .request
            case .streamedBody, .streamedChunks: try parser.readPart()
            case .awaitsReception, .failed: .needsBytes
            }
        }
    }

    /// Says how the body is received whose head was the last event.
    /// - Returns: The next event.
    mutating func receiveBody(_ reception: BodyReception) -> Event {
        guard case .awaitsReception(let framing) = state else { return .needsBytes }
        if !lastHead.isEmpty, case .collect = reception { lastReception = reception }
        return event { parser throws(Refusal) in try parser.beginBody(framing, reception) }
    }

    private mutating func event(_ read: (inout RequestParser) throws(Refusal) -> Event) -> Event {
        do throws(Refusal) {
            return try read(&self)
        } catch {
            refusal = error
            refusedHead = knownRequest
            giveUp()
            return .refusal
        }
    }

    // MARK: The head

    private mutating func readHead() throws(Refusal) -> Event {
        // A second reference to the bytes, so that reading them does not hold the rest of the parser.
        let input = input
        if readSameHead(input) { return try endHead(lastFraming, lastReception) }
        let message = input.span.extracting(start..<input.count)
        while let line = try nextLine(message) {
            if !hasRequestLine {
                try readRequestLine(message, line)
            } else if line.isEmpty {
                hasHead = true
                traits = head.traits.union(listenerTraits)
                let framing = try head.framing(message)
                keepHead(framing)
                return try endHead(framing, nil)
            } else {
                guard head.fields.count < limits.headerCountMax else {
                    throw Refusal(status: 431, message: "The request has more header lines than the server reads.")
                }
                try head.readFieldLine(message, line)
            }
        }
        return .needsBytes
    }

    /// A client that keeps its connection sends the same head again and again, to the byte. What it says is known then:
    /// a comparison takes the place of a twentieth of a get.
    private mutating func readSameHead(_ input: [UInt8]) -> Bool {
        guard cursor == 0, searched == 0, !lastHead.isEmpty,
            input.span.extracting(start..<input.count).starts(with: lastHead)
        else { return false }
        (hasRequestLine, hasHead) = (true, true)
        cursor = lastHead.count
        searched = cursor
        return true
    }

    private mutating func keepHead(_ framing: RequestHead.Framing) {
        lastHead.removeAll(keepingCapacity: true)
        guard cursor <= Self.lastHeadBytesMax else { return }
        lastHead += input[start..<start + cursor]
        (lastFraming, lastReception) = (framing, nil)
    }

    /// The next line without its CRLF, or nil until all of it is there. A line is searched for its end once, however
    /// slowly it arrives, and read only when it is whole, so that its result does not depend on how it was divided.
    private mutating func nextLine(_ message: borrowing Span<UInt8>) throws(Refusal) -> Range<Int>? {
        guard let lineFeed = message.firstIndex(of: ASCII.lineFeed, from: searched) else {
            searched = message.count
            guard message.count < limits.requestHeadBytesMax else { throw headTooLarge }
            return nil
        }
        guard lineFeed < limits.requestHeadBytesMax else { throw headTooLarge }
        guard lineFeed > cursor, message[lineFeed - 1] == ASCII.carriageReturn else {
            throw .malformed("A line of the request does not end in CRLF.")
        }
        let line = cursor..<lineFeed - 1
        cursor = lineFeed + 1
        searched = cursor
        return line
    }

    private var headTooLarge: Refusal {
        hasRequestLine
            ? Refusal(status: 431, message: "The request's header section is larger than the server reads.")
            : Refusal(status: 414, message: "The request line is longer than the server reads.")
    }

    /// RFC 9112 §2.2: "a server that is expecting to receive and parse a request-line SHOULD ignore at least one empty
    /// line (CRLF) received prior to the request-line". It ignores two.
    private mutating func readRequestLine(
        _ message: borrowing Span<UInt8>, _ line: Range<Int>
    ) throws(Refusal) {
        if line.isEmpty, emptyLineCount < 2 {
            emptyLineCount += 1
            return
        }
        head.reset()
        hasRequestLine = true
        try head.readRequestLine(message, line, targetBytesMax: limits.targetBytesMax)
    }

    // MARK: The body

    /// - Parameter reception: How the body is received, if that is known.
    private mutating func endHead(
        _ framing: RequestHead.Framing, _ reception: BodyReception?
    ) throws(Refusal) -> Event {
        if framing == .length(0) {
            state = .body(length: 0)
            return try readBody()
        }
        if let reception { return try beginBody(framing, reception) }
        state = .awaitsReception(framing)
        return .head
    }

    private mutating func beginBody(
        _ framing: RequestHead.Framing, _ reception: BodyReception
    ) throws(Refusal) -> Event {
        switch reception {
        case .collect(let bytesMax): bodyBytesMax = min(bytesMax ?? limits.bodyBytesMax, Self.collectedBytesMax)
        case .stream(let bytesMax): return try beginParts(framing, bytesMax: bytesMax)
        case .refuse: return try beginParts(framing, bytesMax: .max)
        }
        if head.coding == .unknown { throw .unknownCoding }
        switch framing {
        case .length(let length):
            guard length <= bodyBytesMax else { throw .bodyTooLarge }
            state = .body(length: length)
        case .chunked:
            moveHeadOut()
            state = .chunkedBody(ChunkedBody(bytesMax: bodyBytesMax, chunkCountMax: limits.chunkCountMax))
        }
        // RFC 9110 §10.1.1: an HTTP/1.0 client's expectation is ignored.
        if head.expectsContinue && !head.isHTTP10 { return .expectsContinue }
        return try readBody()
    }

    /// Offsets into a message are 32 bits wide.
    private static let collectedBytesMax = 1_073_741_824

    /// The head moves out of the way, so that the body can be dropped from the input as it is joined or taken.
    private mutating func moveHeadOut() {
        movedHead = Array(input[start..<start + cursor])
        start += cursor
        cursor = 0
    }

    private mutating func beginParts(_ framing: RequestHead.Framing, bytesMax: Int) throws(Refusal) -> Event {
        if case .length(let length) = framing, length > bytesMax { throw .bodyTooLarge }
        moveHeadOut()
        switch framing {
        case .length(let length): state = .streamedBody(remaining: length)
        case .chunked: state = .streamedChunks(ChunkedBody(bytesMax: bytesMax))
        }
        return .streamedRequest
    }

    private mutating func readPart() throws(Refusal) -> Event {
        switch state {
        case .streamedBody(let remaining):
            let count = min(remaining, input.count - start)
            if count > 0 {
                state = .streamedBody(remaining: remaining - count)
                part = takeInput(count)
                return .part
            }
            guard remaining == 0 else { return .needsBytes }
        case .streamedChunks(var body):
            // Taken out of the state while it grows, as in `readChunkedBody`.
            state = .failed
            start += try body.read(input.span.extracting(start..<input.count), limits: limits)
            part = body.takeBytes()
            if !part.isEmpty || !body.isDone { state = .streamedChunks(body) }
            if !part.isEmpty { return .part }
            guard body.isDone else { return .needsBytes }
        case .head, .awaitsReception, .body, .whole, .chunkedBody, .failed: return .needsBytes
        }
        finishMessage()
        return .partsEnd
    }

    /// The next bytes, without a copy where they are all there is.
    private mutating func takeInput(_ count: Int) -> [UInt8] {
        guard start == 0, count == input.count else {
            defer { start += count }
            return Array(input[start..<start + count])
        }
        var taken: [UInt8] = []
        swap(&taken, &input)
        return taken
    }

    /// Drops the rest of a streamed body, if all of it has arrived.
    /// - Returns: Whether the next message follows.
    mutating func skipParts() -> Bool {
        guard case .streamedBody(let remaining) = state, input.count - start >= remaining else { return false }
        start += remaining
        finishMessage()
        return true
    }

    private mutating func readBody() throws(Refusal) -> Event {
        guard case .body(let length) = state else { return try readChunkedBody() }
        guard input.count - start - cursor >= length else { return .needsBytes }
        if head.coding != .identity, length > 0 {
            joinedBody = try decoded(input[start + cursor..<start + cursor + length])
        }
        state = .whole(byteCount: cursor + length)
        return .request
    }

    private mutating func readChunkedBody() throws(Refusal) -> Event {
        guard case .chunkedBody(var body) = state else { return .needsBytes }
        // Taken out of the state while it grows, so that its bytes have one owner and are not copied.
        state = .failed
        start += try body.read(input.span.extracting(start..<input.count), limits: limits)
        guard body.isDone else {
            state = .chunkedBody(body)
            return .needsBytes
        }
        joinedBody = body.bytes
        if head.coding != .identity, !body.bytes.isEmpty { joinedBody = try decoded(body.bytes[...]) }
        state = .whole(byteCount: 0)
        return .request
    }

    private func decoded(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> [UInt8] {
        try inflated(bytes, head.coding, bytesMax: limits.bodyBytesMax)
    }

    /// The request of the event `.request`. The next message follows.
    mutating func takeRequest() -> Request {
        guard case .whole(let byteCount) = state else { preconditionFailure("a request is taken after its event") }
        defer {
            start += byteCount
            finishMessage()
        }
        guard let body = joinedBody else {
            return makeRequest(head: input, at: start, body: input, in: start + cursor..<start + byteCount)
        }
        joinedBody = nil
        return movedHead.isEmpty
            ? makeRequest(head: input, at: start, body: body, in: 0..<body.count)
            : makeRequest(head: movedHead, at: 0, body: body, in: 0..<body.count)
    }

    /// The bytes of the event `.part`.
    mutating func takePart() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &part)
        return taken
    }

    private func makeRequest(
        head bytes: [UInt8], at start: Int, traits: ReplyTraits? = nil, body: [UInt8], in range: Range<Int>
    ) -> Request {
        Request(
            method: head.method, isHTTP10: head.isHTTP10, peer: peer, isSecure: isSecure, traits: traits ?? self.traits,
            bytes: bytes, start: start, path: head.path, query: head.query, fields: head.fields,
            noted: head.noted, body: body, bodyRange: range)
    }

    private mutating func finishMessage() {
        cursor = 0
        searched = 0
        emptyLineCount = 0
        (hasRequestLine, hasHead) = (false, false)
        if !movedHead.isEmpty { movedHead = [] }
        state = .head
    }
}
