internal import JSON

/// A condition without its values: all that its SQL is written of. Conditions that differ in values alone have one shape,
/// so a statement is prepared once for all of them.
///
/// What the types of columns and values decide is decided here, so that a shape has no value left to look at: an operand
/// of a type that the column never has makes a term that is never fulfilled.
public struct ConditionShape: Sendable, Hashable {
    /// The operators that SQL is written of. A term with an operand, or two, has a parameter for each.
    indirect enum Term: Sendable, Hashable {
        case and([Term])
        case or([Term])
        case not(Term)
        /// Fulfilled by no item.
        case never
        /// Whether the attribute is there.
        case isPresent(column: Int, Bool)
        /// The same value; of JSON, element by element.
        case isEqual(column: Int)
        /// One of the four comparisons that ask for an order.
        case isOrdered(column: Int, Comparison)
        case isBetween(column: Int)
        /// A text has the substring, a list the element.
        case contains(column: Int)
        case hasPrefix(column: Int)
        /// A text is among those of a JSON list, a list has an element that is.
        case isAny(column: Int)
        /// A JSON column whose value is of this type.
        case isOfType(column: Int, AttributeType)
        case hasSize(column: Int, Comparison)
        case hasSizeBetween(column: Int)
    }

    let term: Term
    /// How many parameters the terms have, all in all.
    let valueCount: Int
    /// How many operators the condition has.
    let nodeCount: Int
    /// Whether the condition keeps to `Condition.nodesMax` and `Condition.depthMax`.
    let isWithinBounds: Bool

    /// How many operators a shape may have to be kept for later requests. Larger ones are rare, take the most memory, and
    /// cost SQLite more than it takes to write their SQL.
    public static let sharedNodesMax = 40

    /// Whether the shape may be kept for later requests.
    public var isShared: Bool { nodeCount <= Self.sharedNodesMax }
}

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

/// Makes the terms of a condition, and collects the values in the order in which their parameters are written.
private struct Terms {
    let columns: [Column]
    private(set) var values: [Value] = []

    init(columns: [Column]) { self.columns = columns }

    mutating func term(_ condition: Condition) -> ConditionShape.Term {
        switch condition {
        case .and(let parts): return .and(parts.map { term($0) })
        case .or(let parts): return .or(parts.map { term($0) })
        case .not(let part): return .not(term(part))
        case .compare(let column, let comparison, let value): return compare(column, comparison, value)
        case .between(let column, let low, let high):
            guard type(column).isOrdered(with: low), type(column).isOrdered(with: high) else { return .never }
            values += [low, high]
            return .isBetween(column: column)
        case .contains(let column, let value): return contains(column, value)
        case .notContains(let column, let value): return .not(contains(column, value))
        case .beginsWith(let column, let text):
            guard type(column) == .text else { return .never }
            values.append(.text(text))
            return .hasPrefix(column: column)
        case .isAny(let column, let wanted): return isAny(column, wanted)
        case .attributeExists(let column, let isPresent): return .isPresent(column: column, isPresent)
        case .attributeType(let column, let type): return attributeType(column, type)
        case .size(let column, let comparison, let size):
            guard type(column).hasSize else { return .never }
            values.append(.integer(size))
            return .hasSize(column: column, comparison)
        case .sizeBetween(let column, let low, let high):
            guard type(column).hasSize else { return .never }
            values += [.integer(low), .integer(high)]
            return .hasSizeBetween(column: column)
        }
    }

    private func type(_ column: Int) -> ColumnType { columns[column].type }

    private mutating func compare(_ column: Int, _ comparison: Comparison, _ value: Value) -> ConditionShape.Term {
        switch (comparison, value) {
        case (.eq, .null): return .isPresent(column: column, false)
        case (.ne, .null): return .isPresent(column: column, true)
        case (.ne, _): return .not(compare(column, .eq, value))
        case (.eq, _):
            guard type(column).isComparable(with: value) else { return .never }
            values.append(value)
            return .isEqual(column: column)
        case (.le, _), (.lt, _), (.ge, _), (.gt, _):
            guard type(column).isOrdered(with: value) else { return .never }
            values.append(value)
            return .isOrdered(column: column, comparison)
        }
    }

    private mutating func contains(_ column: Int, _ value: Value) -> ConditionShape.Term {
        switch (type(column), value) {
        // SQLite binds NaN as NULL, which no list has.
        case (.json, .real(let number)) where number.isNaN: return .never
        case (.text, .text), (.json, .text), (.json, .integer), (.json, .real):
            values.append(value)
            return .contains(column: column)
        default: return .never
        }
    }

    private mutating func isAny(_ column: Int, _ wanted: [Value]) -> ConditionShape.Term {
        let texts = wanted.compactMap { if case .text(let text) = $0 { JSONValue.string(text) } else { nil } }
        guard !texts.isEmpty, type(column) == .text || type(column) == .json else { return .never }
        if texts.count == 1, type(column) == .text { return compare(column, .eq, .text(texts[0].stringValue ?? "")) }
        values.append(.text(JSONValue.array(texts).description))
        return .isAny(column: column)
    }

    private func attributeType(_ column: Int, _ type: AttributeType) -> ConditionShape.Term {
        switch (self.type(column), type) {
        case (.text, .string), (.integer, .number), (.real, .number), (.boolean, .bool):
            return .isPresent(column: column, true)
        case (.json, .binary), (.json, .binarySet), (.json, .numberSet), (.json, .stringSet): return .never
        case (.json, _): return .isOfType(column: column, type)
        default: return .never
        }
    }
}

extension ColumnType {
    /// Whether a column of this type can equal such a value.
    fileprivate func isComparable(with value: Value) -> Bool {
        switch (self, value) {
        case (.text, .text), (.integer, .integer), (.real, .integer), (.boolean, .integer), (.json, .text): true
        // SQLite binds NaN as NULL, which it is not.
        case (.integer, .real(let value)), (.real, .real(let value)): !value.isNaN
        default: false
        }
    }

    /// Whether a column of this type has an order with such a value.
    fileprivate func isOrdered(with value: Value) -> Bool {
        self != .boolean && self != .json && isComparable(with: value)
    }

    /// Whether there is a size: the characters of a text, the entries of a list or nested type.
    fileprivate var hasSize: Bool { self == .text || self == .json }
}
