/// How long one connection has kept its loop busy: what a client sends ahead must not hold up the others.
///
/// The clock is looked at from the second message on, so that a client that sends one at a time costs nothing.
struct LoopTurn {
    private static let nanosecondsMax: Int64 = 4_000_000

    private var start: Int64?

    /// Whether the others are to have their turn. To be asked after each message that another one follows.
    mutating func isOver() -> Bool {
        let now = EventLoop.uptimeNanoseconds
        guard let start else {
            self.start = now
            return false
        }
        return now - start > Self.nanosecondsMax
    }
}
