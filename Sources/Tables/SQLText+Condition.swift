extension SQLText {
    /// A condition as an SQL expression that is 0 or 1 and never NULL, so that NOT means not.
    ///
    /// SQL's logic has three values, DynamoDB's two: of a missing attribute every operator is false, except those that
    /// are negations. So each operator is made two-valued where it stands: by `IS`, by `IS TRUE`, by `EXISTS`. An
    /// operand whose type the column never has is decided here and becomes a constant.
    mutating func condition(_ condition: Condition, of table: StoredTable) -> String {
        chargesCopies = chargesCopies || condition.nodeCount > Self.nodesUnchargedMax
        return text(of: condition, of: table)
    }

    /// Nodes of a condition up to which its tests of whole texts are not charged.
    private static let nodesUnchargedMax = 8

    private mutating func text(of condition: Condition, of table: StoredTable) -> String {
        switch condition {
        case .and(let parts):
            return join(parts, "AND", of: table) ?? "1"
        case .or(let parts):
            return join(parts, "OR", of: table) ?? Self.never
        case .not(let part):
            return "(NOT \(text(of: part, of: table)))"
        case .compare(let column, let comparison, let value):
            return compare(Attribute(table, column), comparison, value)
        case .between(let column, let low, let high):
            let attribute = Attribute(table, column)
            guard attribute.isOrdered(with: low), attribute.isOrdered(with: high) else { return Self.never }
            return charged(attribute, "((\(attribute.name) BETWEEN \(parameter(low)) AND \(parameter(high))) IS TRUE)")
        case .contains(let column, let value):
            return contains(Attribute(table, column), value)
        case .notContains(let column, let value):
            return "(NOT \(contains(Attribute(table, column), value)))"
        case .beginsWith(let column, let text):
            let attribute = Attribute(table, column)
            guard attribute.type == .text else { return Self.never }
            return charged(attribute, "((\(prefix(attribute.name, parameter(.text(text))))) IS TRUE)")
        case .attributeExists(let column, let isPresent):
            let attribute = Attribute(table, column)
            return charged(attribute, "(\(attribute.name) IS \(isPresent ? "NOT NULL" : "NULL"))")
        case .attributeType(let column, let type):
            return attributeType(Attribute(table, column), type)
        case .size(let column, let comparison, let size):
            guard let text = self.size(of: Attribute(table, column)) else { return Self.never }
            return "((\(text) \(comparison.sql) \(parameter(.integer(size)))) IS TRUE)"
        case .sizeBetween(let column, let low, let high):
            guard let text = self.size(of: Attribute(table, column)) else { return Self.never }
            return "((\(text) BETWEEN \(parameter(.integer(low))) AND \(parameter(.integer(high)))) IS TRUE)"
        }
    }

    private mutating func join(_ parts: [Condition], _ word: String, of table: StoredTable) -> String? {
        let texts = parts.map { text(of: $0, of: table) }
        return texts.count > 1 ? "(\(texts.joined(separator: " \(word) ")))" : texts.first
    }

    /// False, in a form that SQLite does not fold: of a WHERE clause that is simply `0` it forgets the other terms, and
    /// then finds that the index it must use cannot be.
    private static let never = "(NOT 1)"

    /// An attribute of the row at hand: its column and type.
    private struct Attribute {
        var name: String
        var type: ColumnType

        init(_ table: StoredTable, _ column: Int) {
            name = "t." + table.columns[column]
            type = table.table.columns[column].type
        }

        /// Whether the column can equal a value of this type.
        func isComparable(with value: Value) -> Bool {
            switch (type, value) {
            case (.text, .text), (.integer, .integer), (.real, .integer), (.boolean, .integer), (.json, .text): true
            // SQLite binds NaN as NULL, which it is not.
            case (.integer, .real(let value)), (.real, .real(let value)): !value.isNaN
            default: false
            }
        }

        /// Whether the column has an order with a value of this type.
        func isOrdered(with value: Value) -> Bool {
            type != .boolean && type != .json && isComparable(with: value)
        }
    }

    private mutating func compare(_ attribute: Attribute, _ comparison: Comparison, _ value: Value) -> String {
        switch (comparison, value) {
        case (.eq, .null): return "(\(attribute.name) IS NULL)"
        case (.ne, .null): return "(\(attribute.name) IS NOT NULL)"
        case (.ne, _): return "(NOT \(compare(attribute, .eq, value)))"
        case (.eq, _):
            guard attribute.isComparable(with: value) else { return Self.never }
            guard attribute.type != .json else { return "json_equals(\(attribute.name), \(parameter(value)))" }
            return charged(attribute, "(\(attribute.name) IS \(parameter(value)))")
        case (.le, _), (.lt, _), (.ge, _), (.gt, _):
            guard attribute.isOrdered(with: value) else { return Self.never }
            return charged(attribute, "((\(attribute.name) \(comparison.sql) \(parameter(value))) IS TRUE)")
        }
    }

    /// A test that SQLite makes itself, by steps whose bytes are not counted: a long text is copied out of its pages for
    /// each. The copying is charged where a condition has many such tests; for a few it costs less than the charge.
    private func charged(_ attribute: Attribute, _ test: String) -> String {
        guard chargesCopies, attribute.type == .text || attribute.type == .json else { return test }
        return "(charged(\(attribute.name)) AND \(test))"
    }

    private mutating func contains(_ attribute: Attribute, _ value: Value) -> String {
        switch (attribute.type, value) {
        case (.text, .text):
            return "text_contains(\(attribute.name), \(parameter(value)))"
        case (.json, .text), (.json, .integer), (.json, .real):
            return "list_contains(\(attribute.name), \(parameter(value)))"
        default:
            return Self.never
        }
    }

    private func attributeType(_ attribute: Attribute, _ type: AttributeType) -> String {
        // The first bytes of such a value: [, {, ", 0 for all numbers, t and f, n.
        let firstBytes: String? =
            switch type {
            case .list: "91"
            case .map: "123"
            case .string: "34"
            case .number: "48"
            case .bool: "116, 102"
            case ._null: "110"
            case .binary, .binarySet, .numberSet, .stringSet: nil
            }
        switch (attribute.type, type) {
        case (.text, .string), (.integer, .number), (.real, .number), (.boolean, .bool):
            return "(\(attribute.name) IS NOT NULL)"
        case (.json, _):
            return firstBytes.map { "((json_kind(\(attribute.name)) IN (\($0))) IS TRUE)" } ?? Self.never
        default:
            return Self.never
        }
    }

    /// What `size` counts, NULL of what has none: the characters of a text (up to a NUL), the entries of a list or nested
    /// type. Numbers and booleans have none.
    private func size(of attribute: Attribute) -> String? {
        switch attribute.type {
        case .text: return "text_size(\(attribute.name))"
        case .json: return "json_size(\(attribute.name))"
        case .integer, .real, .boolean:
            return nil
        }
    }
}

extension Comparison {
    fileprivate var sql: String {
        switch self {
        case .eq: "="
        case .ne: "<>"
        case .le: "<="
        case .lt: "<"
        case .ge: ">="
        case .gt: ">"
        }
    }
}
