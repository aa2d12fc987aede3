import NIOCore

/// What a connection keeps for its client and for its own requests, as the budgets of the server count it.
struct ConnectionKeptBytes {
    /// Bytes of answers that are being compressed.
    var compressing = 0
    /// Whether the channel may hold bytes that the socket has not taken.
    var mayHaveUnsent = false
    var unsent = UnsentBytes()
    /// What the server's budget of outgoing bytes counts of this connection.
    private(set) var outgoing = 0
    /// When the channel last wrote some of the kept bytes, or when the first of them were kept.
    private(set) var progressNanoseconds: Int64 = 0
    /// What the server's budget of incoming bytes counts of this connection.
    private(set) var incoming = 0
    private(set) var incomingSinceNanoseconds: Int64 = 0
    private var incomingMessageCount = 0
    /// Bytes that were handed to the channel or to its socket, and those of them that the client has taken.
    private var (handedCount, takenCount) = (0, 0)
    /// When the client was last found to have taken some, in seconds of the loop; nil while it is not waited for.
    private var takenSeconds: Int?
    /// The rate at which the client has to take them.
    private var rate: LeastRate

    init(_ limits: HTTPLimits) {
        rate = LeastRate(bytesPerSecond: limits.answerBytesPerSecondMin, graceSeconds: limits.answerGraceSeconds)
    }

    /// Notes bytes that the channel keeps from now on until they are sent.
    mutating func hand(_ bytes: ByteBuffer) { hand(bytes.readableBytes, keptBytes: bytes.writerIndex) }

    /// The same, of bytes in a buffer of `keptBytes`, or in a file.
    mutating func hand(_ byteCount: Int, keptBytes: Int) {
        handedCount += byteCount
        unsent.hand(byteCount, keptBytes: keptBytes)
    }

    /// Notes bytes that the socket has taken past the channel.
    mutating func noteWritten(_ byteCount: Int) { handedCount += byteCount }

    /// The channel holds nothing any more.
    mutating func noteAllSent() { (mayHaveUnsent, unsent) = (false, UnsentBytes()) }

    /// Brings the count of what the client has not taken up to date.
    /// - Parameter bufferedBytes: What the channel holds; asked for only where it may hold something.
    /// - Parameter waitingBytes: What has not been handed to the channel.
    /// - Returns: The change of the count.
    mutating func countOutgoing(
        waitingBytes: Int, bufferedBytes: @autoclosure () -> Int, nowNanoseconds: @autoclosure () -> Int64
    ) -> Int {
        var hasProgressed = outgoing == 0
        if mayHaveUnsent {
            let bufferedBytes = bufferedBytes()
            if unsent.note(bufferedBytes: bufferedBytes) { hasProgressed = true }
            mayHaveUnsent = bufferedBytes > 0
        }
        if hasProgressed { progressNanoseconds = nowNanoseconds() }
        let count = unsent.keptBytes + waitingBytes + compressing
        defer { outgoing = count }
        return count - outgoing
    }

    /// Brings the count of what has not arrived whole up to date.
    /// - Parameter messageCount: Whole messages so far: what is kept of the next is not as old as what was kept of the
    ///   last.
    /// - Returns: The change of the count.
    mutating func countIncoming(
        _ count: Int, messageCount: Int, nowNanoseconds: @autoclosure () -> Int64
    ) -> Int {
        if incoming == 0 || messageCount != incomingMessageCount {
            incomingMessageCount = messageCount
            incomingSinceNanoseconds = count > 0 ? nowNanoseconds() : 0
        }
        defer { incoming = count }
        return count - incoming
    }

    /// Whether the client takes its answers more slowly than it may, or has taken nothing of them for as long as it may be idle.
    /// Only what its side has acknowledged is taken: the socket holds megabytes, and takes a third of them at a time. Called once
    /// a second.
    /// - Parameter bufferedBytes: What the channel holds; asked for only where it may hold something.
    /// - Parameter unacknowledgedCount: What the socket holds; asked for only where the channel holds something.
    mutating func isTooSlow(
        bufferedBytes: @autoclosure () -> Int, unacknowledgedCount: @autoclosure () -> Int, now: Int, idleSeconds: Int
    ) -> Bool {
        let bufferedBytes = mayHaveUnsent ? bufferedBytes() : 0
        guard bufferedBytes > 0 else {
            rate.endWait(now: now)
            takenSeconds = nil
            return false
        }
        // TLS makes more bytes of what it is handed, so that this is an estimate from below.
        let taken = handedCount - bufferedBytes - unacknowledgedCount()
        if taken > takenCount {
            rate.pass(taken - takenCount, now: now)
            (takenCount, takenSeconds) = (taken, now)
        }
        rate.beginWait(now: now)
        let since = takenSeconds ?? now
        takenSeconds = since
        return rate.isMissed(now: now) || now - since > idleSeconds
    }

    /// The connection is closed.
    /// - Returns: What was counted.
    mutating func removeAll() -> (outgoing: Int, incoming: Int) {
        defer { (outgoing, incoming) = (0, 0) }
        return (outgoing, incoming)
    }
}
