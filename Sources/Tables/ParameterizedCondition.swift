/// A condition taken apart: the shape that SQL is written of, and the values that are bound to its parameters.
public struct ParameterizedCondition: Sendable {
    /// The condition without its values.
    public let shape: ConditionShape
    /// The values, in the order of the shape's parameters.
    public let values: [Value]
    /// The text sets of the terms `isAny`, in order. `values` has each of them too, as a JSON list.
    package let textSets: [TextSet]

    /// Takes a condition on the items of a table apart.
    public init(_ condition: Condition, of table: Table) {
        guard condition.isWithinBounds else {
            // Refused wherever it is used, so there is nothing to bind.
            shape = ConditionShape(
                term: .never, valueCount: 0, nodeCount: condition.nodeCount, isWithinBounds: false)
            (values, textSets) = ([], [])
            return
        }
        var terms = Terms(columns: table.columns)
        let term = terms.term(condition)
        (values, textSets) = (terms.values, terms.textSets)
        shape = ConditionShape(
            term: term, valueCount: values.count, nodeCount: condition.nodeCount, isWithinBounds: true)
    }
}

extension ParameterizedCondition: Hashable {
    /// Whether both are the same condition.
    public static func == (left: Self, right: Self) -> Bool {
        left.shape == right.shape && left.textSets == right.textSets && left.values == right.values
    }

    /// Hashes the condition; texts that are hashed already are not hashed again.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(shape)
        if textSets.isEmpty { hasher.combine(values) } else { hasher.combine(textSets) }
    }
}
