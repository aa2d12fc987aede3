/// A condition on the sort key of a Query.
public struct SortCondition: Sendable, Hashable {
    /// The operator.
    public var sortOperator: SortOperator
    /// The operands (two for `between`) as parts: one part for a simple sort key, the leading parts that were given
    /// for a composite one. They are joined in SQL, so that numbers render alike everywhere.
    public var operands: [[Value]]

    /// Makes a condition of an operator and its operands.
    public init(sortOperator: SortOperator, operands: [[Value]]) {
        self.sortOperator = sortOperator
        self.operands = operands
    }

    /// The shape a fetch must have to be opened with this condition.
    public var shape: SortShape {
        SortShape(sortOperator: sortOperator, partCounts: operands.map(\.count))
    }
}
