/// Two offsets into a message, counted from its first byte. Half the size of a `Range<Int>`: a request keeps many.
struct ByteRange: Sendable, Equatable {
    var lower: UInt32
    var upper: UInt32

    init(_ range: Range<Int>) {
        lower = UInt32(range.lowerBound)
        upper = UInt32(range.upperBound)
    }

    /// The same bytes, where the message begins at `start`.
    func offset(by start: Int) -> Range<Int> { start + Int(lower)..<start + Int(upper) }

    var range: Range<Int> { Int(lower)..<Int(upper) }
    var count: Int { Int(upper) - Int(lower) }
}
