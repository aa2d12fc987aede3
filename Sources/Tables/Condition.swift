/// One expression tree for the filter of a read and the condition of a write
/// (reference: transformer, "Filters and conditions"), with DynamoDB's treatment of types and of missing attributes: an
/// operator on a missing attribute, or with an operand of another type, is simply not fulfilled, and `ne` and
/// `notContains` are fulfilled exactly where `eq` and `contains` are not.
///
/// Columns are positions in the table. Text is compared by its bytes; case always matters.
public indirect enum Condition: Sendable, Hashable {
    /// All are true; true when empty.
    case and([Condition])
    /// At least one is true; false when empty.
    case or([Condition])
    /// The condition is false.
    case not(Condition)
    /// The attribute compared with a value. `eq` NULL means absent, `ne` NULL means present. A JSON column knows only
    /// `eq` and `ne`, with the JSON text of a whole list or nested type, compared element by element.
    case compare(column: Int, Comparison, Value)
    /// The attribute lies between two values, both included.
    case between(column: Int, Value, Value)
    /// A text has the substring; a list has an element equal to the value (booleans as 1 and 0).
    case contains(column: Int, Value)
    /// The negation of `contains`, so true of a missing attribute.
    case notContains(column: Int, Value)
    /// A text has the prefix.
    case beginsWith(column: Int, String)
    /// A text is one of these texts; a list has one of them as an element. One parameter, however many there are. False
    /// where there are none, and of every other type.
    case isAny(column: Int, TextSet)
    /// The attribute is present, or is absent.
    case attributeExists(column: Int, Bool)
    /// The attribute is present and of this type.
    case attributeType(column: Int, AttributeType)
    /// The size (characters of a text up to a NUL, entries of a list or nested type) compared with a number.
    case size(column: Int, Comparison, Int64)
    /// The size lies between two numbers, both included.
    case sizeBetween(column: Int, Int64, Int64)
}

extension Condition {
    /// The most nodes a condition may have: what is larger is refused, by `invalidRequest`, before it reaches SQLite,
    /// where a chain of terms is as deep as it is long, and 1,000 is the bound (SQLite, "Implementation Limits",
    /// "Maximum Depth Of An Expression Tree").
    public static let nodesMax = 500

    /// The deepest nesting a condition may have, not counting an `and` or `or` of one. SQLite's parser has a stack of
    /// 100, of which a level takes three and the innermost operator some twenty.
    public static let depthMax = 20

    /// How many nodes the condition has.
    var nodeCount: Int {
        switch self {
        case .and(let parts), .or(let parts): parts.reduce(1) { $0 + $1.nodeCount }
        case .not(let part): 1 + part.nodeCount
        default: 1
        }
    }

    /// Whether the condition keeps to `nodesMax` and `depthMax`.
    public var isWithinBounds: Bool {
        var nodes = 0
        return isWithinBounds(depth: 1, &nodes)
    }

    private func isWithinBounds(depth: Int, _ nodes: inout Int) -> Bool {
        nodes += 1
        guard nodes <= Self.nodesMax, depth <= Self.depthMax else { return false }
        switch self {
        case .and(let parts), .or(let parts):
            return parts.allSatisfy { $0.isWithinBounds(depth: parts.count > 1 ? depth + 1 : depth, &nodes) }
        case .not(let part):
            return part.isWithinBounds(depth: depth + 1, &nodes)
        default:
            return true
        }
    }

    /// The verdict on an item without any attribute, which is what a put's condition is about: the put only happens
    /// where no item is.
    var isTrueOfAbsentItem: Bool {
        switch self {
        case .and(let parts): parts.allSatisfy(\.isTrueOfAbsentItem)
        case .or(let parts): parts.contains(where: \.isTrueOfAbsentItem)
        case .not(let part): !part.isTrueOfAbsentItem
        case .compare(_, .eq, let value): value == .null
        case .compare(_, .ne, let value): value != .null
        case .notContains: true
        case .attributeExists(_, let isPresent): !isPresent
        case .compare, .between, .contains, .beginsWith, .isAny, .attributeType, .size, .sizeBetween: false
        }
    }
}
