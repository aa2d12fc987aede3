extension SQLText {
    /// A condition as an SQL expression that is 0 or 1 and never NULL, so that NOT means not.
    ///
    /// SQL's logic has three values, DynamoDB's two: of a missing attribute every operator is false, except those that
    /// are negations. So each operator is made two-valued where it stands: by `IS`, by `IS TRUE`, by `EXISTS`.
    mutating func condition(_ condition: ConditionShape, of table: StoredTable) -> String {
        chargesCopies = chargesCopies || condition.nodeCount > Self.nodesUnchargedMax
        return text(of: condition.term, of: table)
    }

    /// Nodes of a condition up to which its tests of whole texts are not charged.
    private static let nodesUnchargedMax = 8

    private mutating func text(of term: ConditionShape.Term, of table: StoredTable) -> String {
        switch term {
        case .and(let parts): return join(parts, "AND", of: table) ?? "1"
        case .or(let parts): return join(parts, "OR", of: table) ?? Self.never
        case .not(let part): return "(NOT \(text(of: part, of: table)))"
        case .never: return Self.never
        case .isPresent(let column, let isPresent):
            let attribute = Attribute(table, column)
            return charged(attribute, "(\(attribute.name) IS \(isPresent ? "NOT NULL" : "NULL"))")
        case .isEqual(let column):
            let attribute = Attribute(table, column)
            guard attribute.type != .json else { return call(dialect.functions.jsonEquals, attribute, parameter()) }
            return charged(attribute, "(\(attribute.name) \(dialect.nullSafeEquals) \(parameter()))")
        case .isOrdered(let column, let comparison):
            let attribute = Attribute(table, column)
            return charged(attribute, "((\(attribute.name) \(comparison.sql) \(parameter())) IS TRUE)")
        case .isBetween(let column):
            let attribute = Attribute(table, column)
            return charged(attribute, "((\(attribute.name) BETWEEN \(parameter()) AND \(parameter())) IS TRUE)")
        case .contains(let column):
            let attribute = Attribute(table, column)
            let isList = attribute.type == .json
            return call(
                isList ? dialect.functions.listContains : dialect.functions.textContains, attribute, parameter())
        case .hasPrefix(let column):
            let attribute = Attribute(table, column)
            return charged(attribute, "((\(prefix(attribute.name, parameter()))) IS TRUE)")
        case .isAny(let column):
            let attribute = Attribute(table, column)
            if attribute.type == .json { return call(dialect.functions.listContainsAny, attribute, parameter()) }
            return call(dialect.functions.isAmong, attribute, parameter())
        case .isOfType(let column, let type):
            let kind = call(dialect.functions.jsonKind, Attribute(table, column))
            let bytes = type.firstBytes.map { "\($0)" }.joined(separator: ", ")
            return "((\(kind) IN (\(bytes))) IS TRUE)"
        case .hasSize(let column, let comparison):
            return "((\(size(of: Attribute(table, column))) \(comparison.sql) \(parameter())) IS TRUE)"
        case .hasSizeBetween(let column):
            return "((\(size(of: Attribute(table, column))) BETWEEN \(parameter()) AND \(parameter())) IS TRUE)"
        }
    }

    private mutating func join(_ parts: [ConditionShape.Term], _ word: String, of table: StoredTable) -> String? {
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
    }

    private func call(_ function: String, _ attribute: Attribute, _ operand: String? = nil) -> String {
        "\(function)(\(attribute.name)\(operand.map { ", \($0)" } ?? ""))"
    }

    /// A test that SQLite makes itself, by steps whose bytes are not counted: a long text is copied out of its pages for
    /// each. The copying is charged where a condition has many such tests; for a few it costs less than the charge.
    private func charged(_ attribute: Attribute, _ test: String) -> String {
        guard chargesCopies, attribute.type == .text || attribute.type == .json else { return test }
        return "(\(call(dialect.functions.charged, attribute)) AND \(test))"
    }

    /// What `size` counts, NULL of what has none: the characters of a text (up to a NUL), the entries of a list or nested
    /// type.
    private func size(of attribute: Attribute) -> String {
        call(attribute.type == .json ? dialect.functions.jsonSize : dialect.functions.textSize, attribute)
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
