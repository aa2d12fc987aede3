/// A part of a regular expression.
indirect enum PatternNode: Sendable {
    case empty
    case character(ScalarSet)
    case sequence([PatternNode])
    case alternatives([PatternNode])
    /// As often as the range says; if open, at least as often as its lower bound.
    case repetition(PatternNode, ClosedRange<Int>, isOpen: Bool)
    case begin
    case end
}
