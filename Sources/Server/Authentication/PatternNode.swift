/// A node of a regular expression's syntax tree.
indirect enum PatternNode: Sendable {
    case empty
    case character(ScalarSet)
    case sequence([PatternNode])
    case alternatives([PatternNode])
    /// A repetition, with the range of its count; without an upper bound if it is open.
    case repetition(PatternNode, ClosedRange<Int>, isOpen: Bool)
    case begin
    case end
}
