import Tables

/// The semantics of the store, plainly: items in an array, in creation order. What SQLite answers is compared with it.
struct ReferenceStore {
    struct Row {
        var rowID: Int64
        var values: [Value]
    }

    let table: Table
    private(set) var rows: [Row] = []

    init(_ table: Table) {
        self.table = table
    }

    // MARK: Writes

    mutating func perform(_ action: Write.Action, if condition: Condition?) -> [Value]? {
        let condition = condition ?? .and([])
        switch action {
        case .put(let attributes):
            var values = [Value](repeating: .null, count: table.columns.count)
            let isFree = rows.allSatisfy { !Self.sameKey(table.key, $0.values, attributes) }
            guard isFree, isTrue(condition, of: values) else { return nil }
            for (column, value) in attributes { values[column] = stored(value, column) }
            rows.append(Row(rowID: (rows.last?.rowID ?? 0) + 1, values: values))
            return values
        case .update(let key, let attributes):
            guard let index = index(of: key), isTrue(condition, of: rows[index].values) else { return nil }
            for (column, value) in attributes { rows[index].values[column] = stored(value, column) }
            return rows[index].values
        case .delete(let key):
            guard let index = index(of: key), isTrue(condition, of: rows[index].values) else { return nil }
            return rows.remove(at: index).values
        }
    }

    private func stored(_ value: Value, _ column: Int) -> Value {
        guard case .integer(let number) = value, table.columns[column].type == .real else { return value }
        return .real(Double(number))
    }

    private func index(of key: [Value]) -> Int? {
        rows.firstIndex { row in Self.sameKey(table.key, row.values, Array(zip(table.key.columns, key))) }
    }

    private static func sameKey(_ key: KeySchema, _ values: [Value], _ other: [(column: Int, value: Value)]) -> Bool {
        let given = key.columns.map { column in other.first { $0.column == column }?.value ?? .null }
        let own = key.columns.map { values[$0] }
        guard key.isComposite else { return given == own }
        return given[0] == own[0] && joined(Array(given.dropFirst()), key) == joined(Array(own.dropFirst()), key)
    }

    // MARK: Reads

    /// A Query's rows in order; a Scan's without key.
    func rows(
        key: KeySchema?, partitionKey: Value = .null, sort: SortCondition? = nil, descending: Bool = false
    ) -> [Row] {
        guard let key else { return descending ? rows.reversed() : rows }
        var found = rows.filter { row in
            guard row.values[key.partitionKey] == partitionKey, partitionKey != .null,
                key.sortKeys.allSatisfy({ row.values[$0] != .null })
            else { return false }
            return sort.map { meets($0, sortValue(of: row, key), key) } ?? true
        }
        // The sort is stable, so ties stay in creation order.
        found.sort { first, second in
            guard let one = sortValue(of: first, key), let other = sortValue(of: second, key) else { return false }
            return Self.order(one, other) == .lt
        }
        return descending ? found.reversed() : found
    }

    private func sortValue(of row: Row, _ key: KeySchema) -> Value? {
        key.sortKeys.isEmpty ? nil : Self.joined(key.sortKeys.map { row.values[$0] }, key)
    }

    /// A sort key's value of its first parts: of a composite one the text joined by `#`.
    private static func joined(_ parts: [Value], _ key: KeySchema) -> Value {
        guard key.isComposite else { return parts[0] }
        let texts = parts.map { part in
            switch part {
            case .text(let text): text
            case .integer(let number): String(number)
            case .real(let number): String(number)
            case .null: ""
            }
        }
        return .text(texts.joined(separator: "#"))
    }

    private func meets(_ sort: SortCondition, _ value: Value?, _ key: KeySchema) -> Bool {
        guard let value else { return false }
        let operands = sort.operands.map { Self.joined($0, key) }
        func compare(_ comparisons: [Comparison], _ operand: Value) -> Bool {
            Self.order(value, operand).map(comparisons.contains) ?? false
        }
        switch sort.sortOperator {
        case .eq: return compare([.eq], operands[0])
        case .le: return compare([.lt, .eq], operands[0])
        case .lt: return compare([.lt], operands[0])
        case .ge: return compare([.gt, .eq], operands[0])
        case .gt: return compare([.gt], operands[0])
        case .between: return compare([.gt, .eq], operands[0]) && compare([.lt, .eq], operands[1])
        case .beginsWith:
            guard case .text(let text) = value, case .text(let prefix) = operands[0] else { return false }
            return text.utf8.starts(with: prefix.utf8)
        case .isAny: return operands.contains { compare([.eq], $0) }
        }
    }

    /// lt, eq or gt; nil for different types.
    static func order(_ one: Value, _ other: Value) -> Comparison? {
        switch (one, other) {
        case (.text(let one), .text(let other)):
            one.utf8.elementsEqual(other.utf8) ? .eq : one.utf8.lexicographicallyPrecedes(other.utf8) ? .lt : .gt
        case (.integer(let one), .integer(let other)): one == other ? .eq : one < other ? .lt : .gt
        case (.integer(let one), .real(let other)): order(.real(Double(one)), .real(other))
        case (.real(let one), .integer(let other)): order(.real(one), .real(Double(other)))
        case (.real(let one), .real(let other)): one == other ? .eq : one < other ? .lt : one > other ? .gt : nil
        default: nil
        }
    }

    // MARK: Conditions

    func isTrue(_ condition: Condition, of values: [Value]) -> Bool {
        switch condition {
        case .and(let parts): return parts.allSatisfy { isTrue($0, of: values) }
        case .or(let parts): return parts.contains { isTrue($0, of: values) }
        case .not(let part): return !isTrue(part, of: values)
        case .compare(let column, .ne, let operand):
            return !isTrue(.compare(column: column, .eq, operand), of: values)
        case .compare(let column, .eq, let operand):
            if operand == .null || values[column] == .null { return operand == values[column] }
            if table.columns[column].type == .json {
                guard case .text(let one) = values[column], case .text(let other) = operand else { return false }
                return Sample.json[other].map { $0 == Sample.json[one] } ?? false
            }
            if case .real = operand, table.columns[column].type == .boolean { return false }
            return Self.order(values[column], operand) == .eq
        case .compare(let column, let comparison, let operand):
            guard isOrdered(column), let order = Self.order(values[column], operand) else { return false }
            switch comparison {
            case .le: return order != .gt
            case .lt: return order == .lt
            case .ge: return order != .lt
            default: return order == .gt
            }
        case .between(let column, let low, let high):
            return isTrue(.compare(column: column, .ge, low), of: values)
                && isTrue(.compare(column: column, .le, high), of: values)
        case .contains(let column, let operand):
            guard case .text(let text) = values[column] else { return false }
            if table.columns[column].type == .json {
                guard case .list(let entries)? = Sample.json[text] else { return false }
                return entries.contains { $0.equals(operand) }
            }
            guard case .text(let part) = operand else { return false }
            return part.isEmpty || Array(text.utf8).firstRange(of: Array(part.utf8)) != nil
        case .notContains(let column, let operand):
            return !isTrue(.contains(column: column, operand), of: values)
        case .beginsWith(let column, let prefix):
            guard case .text(let text) = values[column], table.columns[column].type == .text else { return false }
            return text.utf8.starts(with: prefix.utf8)
        case .isAny(let column, let wanted):
            guard case .text(let text) = values[column] else { return false }
            if table.columns[column].type == .text { return wanted.texts.contains { $0.utf8.elementsEqual(text.utf8) } }
            guard table.columns[column].type == .json, case .list(let entries)? = Sample.json[text] else {
                return false
            }
            return wanted.texts.contains { wanted in entries.contains { $0.equals(.text(wanted)) } }
        case .attributeExists(let column, let isPresent):
            return (values[column] != .null) == isPresent
        case .attributeType(let column, let type):
            guard values[column] != .null else { return false }
            switch table.columns[column].type {
            case .text: return type == .string
            case .integer, .real: return type == .number
            case .boolean: return type == .bool
            case .json:
                guard case .text(let text) = values[column], let json = Sample.json[text] else { return false }
                return type == json.type
            }
        case .size(let column, let comparison, let size):
            guard let own = self.size(of: values[column], column) else { return false }
            switch comparison {
            case .eq: return own == size
            case .ne: return own != size
            case .le: return own <= size
            case .lt: return own < size
            case .ge: return own >= size
            case .gt: return own > size
            }
        case .sizeBetween(let column, let low, let high):
            return size(of: values[column], column).map { low <= $0 && $0 <= high } ?? false
        }
    }

    private func isOrdered(_ column: Int) -> Bool {
        ![.boolean, .json].contains(table.columns[column].type)
    }

    private func size(of value: Value, _ column: Int) -> Int64? {
        guard case .text(let text) = value else { return nil }
        if table.columns[column].type == .text { return Int64(text.unicodeScalars.prefix { $0 != "\0" }.count) }
        switch Sample.json[text] {
        case .list(let entries): return Int64(entries.count)
        case .map(let entries): return Int64(entries.count)
        case .scalar, nil: return nil
        }
    }
}

/// The JSON texts that random items hold, with what they mean.
enum Sample {
    indirect enum JSON: Equatable {
        enum Scalar: Equatable {
            case text(String), number(Double), bool(Bool), null
        }
        case list([JSON]), map([String: JSON]), scalar(Scalar)

        var type: AttributeType {
            switch self {
            case .list: .list
            case .map: .map
            case .scalar(.text): .string
            case .scalar(.number): .number
            case .scalar(.bool): .bool
            case .scalar(.null): ._null
            }
        }

        func equals(_ value: Value) -> Bool {
            switch (self, value) {
            case (.scalar(.text(let own)), .text(let other)): own == other
            case (.scalar(.number(let own)), .integer(let other)): own == Double(other)
            case (.scalar(.number(let own)), .real(let other)): own == other
            case (.scalar(.bool(let own)), .integer(let other)): (own ? 1 : 0) == other
            default: false
            }
        }
    }

    static let json: [String: JSON] = [
        "[]": .list([]),
        "{}": .map([:]),
        #"["a"]"#: .list([.scalar(.text("a"))]),
        #"["a","b"]"#: .list([.scalar(.text("a")), .scalar(.text("b"))]),
        #"["b","a"]"#: .list([.scalar(.text("b")), .scalar(.text("a"))]),
        #"["1","ä\"\n"]"#: .list([.scalar(.text("1")), .scalar(.text("ä\"\n"))]),
        "[1,2]": .list([.scalar(.number(1)), .scalar(.number(2))]),
        "[1.0,2.0]": .list([.scalar(.number(1)), .scalar(.number(2))]),
        "[0.5,1]": .list([.scalar(.number(0.5)), .scalar(.number(1))]),
        "[true,false]": .list([.scalar(.bool(true)), .scalar(.bool(false))]),
        "[true]": .list([.scalar(.bool(true))]),
        "[null]": .list([.scalar(.null)]),
        #"{"a":"b"}"#: .map(["a": .scalar(.text("b"))]),
        #"{"b":"b"}"#: .map(["b": .scalar(.text("b"))]),
        #"[{"a":"b"}]"#: .list([.map(["a": .scalar(.text("b"))])]),
        #"["{\"a\":\"b\"}"]"#: .list([.scalar(.text(#"{"a":"b"}"#))]),
    ]

    static let jsonTexts = json.keys.sorted()
}
