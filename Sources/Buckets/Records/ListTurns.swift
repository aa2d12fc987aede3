import Synchronization

/// Pieces of lists that wait for the one thread that reads them. Networks are served in turn, one piece each, so that one with many
/// lists delays its own.
final class ListTurns: Sendable {
    typealias Piece = @Sendable () -> Void

    private struct Waiting {
        /// The pieces of each turn, in their order.
        var pieces: [ListTurn: [Piece]] = [:]
        /// Those that have pieces, the next one first.
        var turns: [ListTurn] = []
    }

    private let waiting = Mutex(Waiting())

    /// Adds a piece. `next` is to be called as often as there are pieces.
    func append(_ piece: @escaping Piece, for turn: ListTurn) {
        waiting.withLock { waiting in
            if waiting.pieces[turn] == nil { waiting.turns.append(turn) }
            waiting.pieces[turn, default: []].append(piece)
        }
    }

    /// Removes the piece that is next.
    func next() -> Piece? {
        waiting.withLock { waiting in
            guard !waiting.turns.isEmpty else { return nil }
            let turn = waiting.turns.removeFirst()
            // The number of pieces is bounded by that of requests under way.
            let piece = waiting.pieces[turn]?.removeFirst()
            if waiting.pieces[turn]?.isEmpty == true {
                waiting.pieces[turn] = nil
            } else {
                waiting.turns.append(turn)
            }
            return piece
        }
    }
}
