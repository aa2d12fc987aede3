/// What a connection has handed to its channel and still keeps.
///
/// SwiftNIO keeps the whole buffer of a write until its last byte has left, so a client that takes all but the end of a
/// large answer costs as much memory as one that takes nothing. Hence a piece counts in full until it is taken in full.
struct UnsentBytes {
    private struct Piece {
        /// The count of all bytes handed over, up to the end of this piece.
        var end: Int
        var keptBytes: Int
    }

    /// Pieces smaller than this are counted together.
    private static let pieceBytesMin = 64 * 1024

    private var pieces: [Piece] = []
    private var handedBytes = 0
    private var takenBytes = 0
    /// Memory that is kept for the client.
    private(set) var keptBytes = 0

    var isEmpty: Bool { pieces.isEmpty }

    /// Notes bytes that were handed to the channel, in a buffer of `keptBytes` of which some may have left already.
    mutating func hand(_ count: Int, keptBytes: Int) {
        handedBytes += count
        self.keptBytes += keptBytes
        if let last = pieces.last, last.keptBytes + keptBytes <= Self.pieceBytesMin {
            pieces[pieces.count - 1] = Piece(end: handedBytes, keptBytes: last.keptBytes + keptBytes)
        } else {
            pieces.append(Piece(end: handedBytes, keptBytes: keptBytes))
        }
    }

    /// Notes how many bytes the channel has not sent yet.
    /// - Returns: Whether the client has taken some.
    mutating func note(bufferedBytes: Int) -> Bool {
        guard bufferedBytes > 0 else {
            defer { self = UnsentBytes() }
            return !isEmpty
        }
        // TLS makes more bytes of what it is handed, so that this is an estimate from below.
        let taken = handedBytes - bufferedBytes
        guard taken > takenBytes else { return false }
        takenBytes = taken
        let count = pieces.firstIndex { $0.end > taken } ?? pieces.count
        for piece in pieces[..<count] { keptBytes -= piece.keptBytes }
        pieces.removeFirst(count)
        return true
    }
}
