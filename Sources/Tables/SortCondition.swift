/// A condition on the sort key of a Query.
public struct SortCondition: Sendable, Hashable {
    /// The operator.
    public var sortOperator: SortOperator
    /// The operands (two for `between`, one or more for `isAny`) as parts: one part for a simple sort key, the leading parts
    /// that were given for a composite one. They are joined in SQL, so that numbers render alike everywhere.
    public var operands: [[Value]]

    /// Makes a condition of an operator and its operands.
    public init(sortOperator: SortOperator, operands: [[Value]]) {
        self.sortOperator = sortOperator
        self.operands = operands
    }

    /// The condition that a simple sort key is equal to one of these values.
    public static func isAny(_ values: [Value]) -> SortCondition {
        SortCondition(sortOperator: .isAny, operands: values.map { [$0] })
    }

    /// The shape a fetch must have to be opened with this condition.
    public var shape: SortShape {
        SortShape(sortOperator: sortOperator, partCounts: operands.map(\.count))
    }
}
