/// The shape of a sort-key condition: its operator, and how many parts each operand has.
public struct SortShape: Sendable, Hashable {
    /// The operator.
    public var sortOperator: SortOperator
    /// One count per operand (two for `between`, one or more for `isAny`): 1 for a simple sort key, the number of leading
    /// parts for a composite.
    public var partCounts: [Int]

    /// Makes a shape of an operator and its operands' part counts.
    public init(sortOperator: SortOperator, partCounts: [Int]) {
        self.sortOperator = sortOperator
        self.partCounts = partCounts
    }

    /// Whether a condition has this shape. Nothing is made for it: `isAny` may have thousands of operands.
    func isShape(of condition: SortCondition) -> Bool {
        sortOperator == condition.sortOperator && partCounts.count == condition.operands.count
            && zip(partCounts, condition.operands).allSatisfy { $0 == $1.count }
    }
}
