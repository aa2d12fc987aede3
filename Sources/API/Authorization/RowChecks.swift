/// The results of the conditions of checked fields on one row. A condition is evaluated once for a row, however many fields
/// have it and however many aliases they are selected under.
///
/// Three words on the stack of the code that completes a row, so that rows without checked fields allocate nothing.
struct RowChecks {
    /// One bit for each condition: whether it is decided, and whether it holds.
    private var decided: UInt64 = 0
    private var held: UInt64 = 0
    /// Bytes that conditions have looked at and nothing was charged for yet.
    var byteCount = 0

    /// Different conditions whose results are kept. Further ones are evaluated for each field.
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
