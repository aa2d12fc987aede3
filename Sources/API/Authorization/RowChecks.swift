/// What the conditions of checked fields have come to on one row. A condition is decided once for a row, however many fields
/// have it and however many aliases they are selected under.
///
/// Two words on the stack of what walks a row, so that rows without checked fields cost nothing.
struct RowChecks {
    /// One bit for each condition: whether it is decided, and whether it holds.
    private var decided: UInt64 = 0
    private var held: UInt64 = 0
    /// Bytes that conditions have looked at and nothing was charged for yet.
    var byteCount = 0

    /// Different conditions that are remembered. A request that has more of them decides the others for each field.
    static let conditionsMax = UInt64.bitWidth

    /// - Parameters:
    ///   - place: The condition's place in the request's `DecisionTable`.
    ///   - decide: Whether the condition holds, and the bytes that it looks at.
    mutating func holds(_ place: Int, _ decide: () -> (isMet: Bool, byteCount: Int)) -> Bool {
        let bit: UInt64 = place < Self.conditionsMax ? 1 << UInt64(place) : 0
        if decided & bit != 0 { return held & bit != 0 }
        let (isMet, looked) = decide()
        byteCount += looked
        decided |= bit
        if isMet { held |= bit }
        return isMet
    }
}
