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

extension ColumnType {
    /// Whether a column of this type can equal such a value.
    func isComparable(with value: Value) -> Bool {
        switch (self, value) {
        case (.text, .text), (.integer, .integer), (.real, .integer), (.boolean, .integer), (.json, .text): true
        // SQLite binds NaN as NULL, which it is not.
        case (.integer, .real(let value)), (.real, .real(let value)): !value.isNaN
        default: false
        }
    }

    /// Whether a column of this type has an order with such a value.
    func isOrdered(with value: Value) -> Bool {
        self != .boolean && self != .json && isComparable(with: value)
    }

    /// Whether there is a size: the characters of a text, the entries of a list or nested type.
    var hasSize: Bool { self == .text || self == .json }
}
