import NIOCore

/// The bytes of answers and messages on their way to the channel: in one write while they are few, in pieces, each in a
/// turn of its own, when they are many.
struct OutgoingBytes {
    /// Bytes past which a burst leaves before its end, so that the socket can say when it is too much.
    static let burstBytesMax = 128 * 1024

    /// What leaves before `buffer`.
    private(set) var queued = QueuedBytes()
    private var buffer = ByteBuffer()
    /// Whether others have a turn before the next piece of what is queued.
    private var isPieceScheduled = false

    var isEmpty: Bool { buffer.readableBytes == 0 && queued.isEmpty }

    /// Bytes that are not queued.
    var readableBytes: Int { buffer.readableBytes }

    /// Memory that the bytes take.
    var keptBytes: Int { buffer.readableBytes + queued.keptBytes }

    /// Whether another piece is to leave after others have had their turn.
    var awaitsNextPiece: Bool { isPieceScheduled }

    /// Appends bytes.
    /// - Parameter room: An empty buffer, where there is none.
    mutating func append(room: () -> ByteBuffer, _ write: (inout ByteBuffer) -> Void) {
        if buffer.capacity == 0 { buffer = room() }
        write(&buffer)
    }

    /// Appends bytes after what is there, without a copy, to leave in pieces.
    mutating func enqueue(_ bytes: ByteBuffer) {
        moveToQueue()
        queued.append(bytes)
    }

    /// Whether something may be handed to a channel that is writable or not. A channel that is not still takes what is
    /// not queued: one write more.
    func mayWrite(_ isWritable: Bool) -> Bool {
        if leavesInPieces { return isWritable && !isPieceScheduled }
        return buffer.readableBytes > 0
    }

    var leavesInPieces: Bool { !queued.isEmpty || buffer.readableBytes > QueuedBytes.pieceBytesMax }

    /// Takes what is handed over next. After a piece, the next one has a turn of its own.
    mutating func take() -> (bytes: ByteBuffer, keptBytes: Int) {
        guard leavesInPieces else {
            let bytes = takeUnqueued()
            return (bytes, bytes.writerIndex)
        }
        moveToQueue()
        guard let next = queued.next() else { return (ByteBuffer(), 0) }
        isPieceScheduled = !queued.isEmpty
        return (next.piece, next.keptBytes)
    }

    mutating func nextPieceIsDue() { isPieceScheduled = false }

    /// Takes what is not queued.
    mutating func takeUnqueued() -> ByteBuffer {
        var bytes = ByteBuffer()
        swap(&bytes, &buffer)
        return bytes
    }

    private mutating func moveToQueue() { queued.append(takeUnqueued()) }
}
