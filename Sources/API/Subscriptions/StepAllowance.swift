/// What one uninterrupted step on a loop may spend on events (`APILimits.eventStepBytesMax`): bytes that filters look at,
/// and bytes of events that are completed or sent. A step ends with the piece of work that overdraws it.
///
/// Filters and texts are up to clients: a thousand `contains` over a text of 380 KB took 1.4 s in one step, and every
/// other client of the loop waited.
struct StepAllowance {
    /// What any piece of work costs besides its bytes: finding it, and the calls around it.
    static let pieceByteCount = 64

    private var byteCount: Int

    init(byteCount: Int = APILimits().eventStepBytesMax) { self.byteCount = byteCount }

    var isSpent: Bool { byteCount <= 0 }

    mutating func charge(_ count: Int) { byteCount -= count + Self.pieceByteCount }
}
