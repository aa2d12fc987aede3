/// Makes the terms of a condition, and collects the values in the order in which their parameters are written.
struct Terms {
    let columns: [Column]
    private(set) var values: [Value] = []
    /// What `isAny` looks for, in the order of its terms.
    private(set) var textSets: [TextSet] = []

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

    private mutating func isAny(_ column: Int, _ wanted: TextSet) -> ConditionShape.Term {
        let texts = wanted.texts
        guard !texts.isEmpty, type(column) == .text || type(column) == .json else { return .never }
        if texts.count == 1, type(column) == .text { return compare(column, .eq, .text(texts[0])) }
        values.append(.text(wanted.json))
        textSets.append(wanted)
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
