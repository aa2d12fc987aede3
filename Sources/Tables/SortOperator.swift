/// The operators of a sort-key condition.
public enum SortOperator: String, Sendable, Hashable, CaseIterable {
    /// Equal.
    case eq
    /// Less or equal.
    case le
    /// Less.
    case lt
    /// Greater or equal.
    case ge
    /// Greater.
    case gt
    /// Between two operands, both included.
    case between
    /// Text with the operand as prefix.
    case beginsWith
    /// Equal to one of the operands. It is not a key condition of DynamoDB; rules restrict a page by it.
    case isAny
}
