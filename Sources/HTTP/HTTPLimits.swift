/// The bounds of the server: what it reads, keeps and waits for, at most.
///
/// Every figure has a default that suits a public API. `HTTPServer` brings a figure outside its range to the nearest
/// one inside, so a mistaken configuration can make the server strict but never unbounded.
public struct HTTPLimits: Sendable, Equatable {
    /// Bytes of a request line and its header section together. More is answered 431 (414 within the request line).
    public var requestHeadBytesMax = 16 * 1024
    /// Field lines of one header section. More is answered 431.
    public var headerCountMax = 100
    /// Bytes of a request target. More is answered 414.
    public var targetBytesMax = 8 * 1024
    /// Bytes of a request body, after chunks are joined and after it is decompressed. More is answered 413.
    public var bodyBytesMax = 1024 * 1024
    /// Bytes of a streamed request body that are kept while its route does not ask for them. Reading pauses at this count.
    public var streamBytesMax = 256 * 1024
    /// Chunks of one chunked body that is collected. More is answered 413: tiny chunks cost more than they carry.
    public var chunkCountMax = 16 * 1024
    /// Bytes of one chunk's size line with its extensions. More is answered 400.
    public var chunkLineBytesMax = 256
    /// Bytes of a chunked body's trailer section. More is answered 431.
    public var trailerBytesMax = 8 * 1024

    /// Connections open at the same time. One more is accepted, answered 503 and closed.
    public var connectionsMax = 10_000
    /// Requests one connection may carry before it is closed in good order; 0 is without limit.
    public var requestsPerConnectionMax = 0
    /// Requests of one connection that wait for their answers. Reading pauses at this count.
    public var pipelinedRequestsMax = 128
    /// Bytes of one connection's answers that the client has not taken. Reading pauses above, resumes below half.
    public var outgoingBytesMax = 16 * 1024 * 1024
    /// Bytes of answers and messages that the clients of all connections have not taken. Past it, connections are closed,
    /// those first that have taken nothing for the longest time.
    public var outgoingBytesPerServerMax = 256 * 1024 * 1024
    /// Bytes of requests and messages of all connections that have not arrived whole. Past it, the oldest of them are
    /// refused: a request is answered 503, a WebSocket is closed with 1008.
    public var incomingBytesPerServerMax = 256 * 1024 * 1024

    /// Seconds a connection may rest between requests, or a client may leave its answers untaken.
    public var idleSeconds = 75
    /// Seconds from the first byte of a TLS handshake to its end. Later the connection is closed.
    public var handshakeSeconds = 10
    /// Seconds from the first byte of a request to the end of its head. Later is answered 408.
    public var headSeconds = 10
    /// Seconds from the end of a head to the end of its body, and of a streamed one, from one part that is asked for to
    /// its arrival. Later is answered 408.
    public var bodySeconds = 30
    /// Bytes per second at which a streamed body has to arrive while its route asks for it. Slower is answered 408. 0 is
    /// without least rate.
    public var bodyBytesPerSecondMin = 1_024
    /// Seconds by which a streamed body may be late at that rate.
    public var bodyGraceSeconds = 30
    /// Bytes per second at which a client has to take its answers. A slower connection is closed. 0 is without least rate.
    public var answerBytesPerSecondMin = 1_024
    /// Seconds by which a client may be late at that rate.
    public var answerGraceSeconds = 75
    /// Seconds the server goes on reading, and dropping, after an early answer, so that the client sees the answer.
    public var lingerSeconds = 5
    /// Bytes the server drops meanwhile.
    public var lingerBytesMax = 4 * 1024 * 1024

    /// Whether answers are compressed for clients that ask for it.
    public var compressesResponses = true
    /// Bytes from which an answer is worth compressing.
    public var compressionBytesMin = 1024
    /// Bytes up to which an answer is compressed on its event loop, which does nothing else meanwhile: 4 ms at 33 MB a
    /// second. A larger one is compressed on a thread of its own.
    public var compressionLoopBytesMax = 128 * 1024
    /// Bytes of larger answers that may wait to be compressed. Past it, answers leave as they are.
    public var compressionQueueBytesMax = 32 * 1024 * 1024

    /// The defaults.
    public init() {}
}

extension HTTPLimits {
    /// The same limits, every figure inside its range. Offsets into a request are 32 bits wide, so a request stays
    /// far below 2 GiB whatever is asked for.
    var clamped: HTTPLimits {
        var limits = self
        limits.requestHeadBytesMax = requestHeadBytesMax.clamped(256...16_777_216)
        limits.headerCountMax = headerCountMax.clamped(1...50_000)
        limits.targetBytesMax = targetBytesMax.clamped(1...limits.requestHeadBytesMax)
        limits.bodyBytesMax = bodyBytesMax.clamped(0...1_073_741_824)
        limits.streamBytesMax = streamBytesMax.clamped(1024...16_777_216)
        limits.chunkCountMax = chunkCountMax.clamped(1...16_777_216)
        limits.chunkLineBytesMax = chunkLineBytesMax.clamped(18...65_536)
        limits.trailerBytesMax = trailerBytesMax.clamped(2...16_777_216)
        limits.connectionsMax = connectionsMax.clamped(1...10_000_000)
        limits.requestsPerConnectionMax = requestsPerConnectionMax.clamped(0...Int.max)
        limits.pipelinedRequestsMax = pipelinedRequestsMax.clamped(1...65_536)
        limits.outgoingBytesMax = outgoingBytesMax.clamped(65_536...1_073_741_824)
        limits.outgoingBytesPerServerMax = outgoingBytesPerServerMax.clamped(65_536...(1 << 50))
        limits.incomingBytesPerServerMax = incomingBytesPerServerMax.clamped(65_536...(1 << 50))
        limits.idleSeconds = idleSeconds.clamped(1...86_400)
        limits.handshakeSeconds = handshakeSeconds.clamped(1...86_400)
        limits.headSeconds = headSeconds.clamped(1...86_400)
        limits.bodySeconds = bodySeconds.clamped(1...86_400)
        limits.bodyBytesPerSecondMin = bodyBytesPerSecondMin.clamped(0...1_073_741_824)
        limits.bodyGraceSeconds = bodyGraceSeconds.clamped(1...86_400)
        limits.answerBytesPerSecondMin = answerBytesPerSecondMin.clamped(0...1_073_741_824)
        limits.answerGraceSeconds = answerGraceSeconds.clamped(1...86_400)
        limits.lingerSeconds = lingerSeconds.clamped(0...3_600)
        limits.lingerBytesMax = lingerBytesMax.clamped(0...1_073_741_824)
        limits.compressionBytesMin = compressionBytesMin.clamped(64...Int.max)
        limits.compressionLoopBytesMax = compressionLoopBytesMax.clamped(0...Int.max)
        limits.compressionQueueBytesMax = compressionQueueBytesMax.clamped(0...Int.max)
        return limits
    }
}

extension Int {
    func clamped(_ range: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
