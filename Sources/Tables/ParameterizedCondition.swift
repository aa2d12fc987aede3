/// A condition taken apart: the shape that SQL is written of, and the values that are bound to its parameters.
public struct ParameterizedCondition: Sendable, Hashable {
    /// The condition without its values.
    public let shape: ConditionShape
    /// The values, in the order of the shape's parameters.
    public let values: [Value]

    /// Takes a condition on the items of a table apart.
    public init(_ condition: Condition, of table: Table) {
        guard condition.isWithinBounds else {
            // Refused wherever it is used, so there is nothing to bind.
            shape = ConditionShape(
                term: .never, valueCount: 0, nodeCount: condition.nodeCount, isWithinBounds: false)
            values = []
            return
        }
        var terms = Terms(columns: table.columns)
        let term = terms.term(condition)
        values = terms.values
        shape = ConditionShape(
            term: term, valueCount: values.count, nodeCount: condition.nodeCount, isWithinBounds: true)
    }
}
