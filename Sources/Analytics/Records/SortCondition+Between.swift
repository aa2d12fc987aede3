import Tables

extension SortCondition {
    /// From a number to another one, both included.
    static func between(_ first: Int64, _ last: Int64) -> SortCondition {
        SortCondition(sortOperator: .between, operands: [[.integer(first)], [.integer(last)]])
    }
}
