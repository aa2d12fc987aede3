extension Condition {
    /// Whether the condition is true of a row in memory, whose positions are those of the table's columns
    /// (`ParameterizedCondition.holds`).
    public func holds(of row: some Row, in table: Table) -> Bool {
        ParameterizedCondition(self, of: table).holds(of: row, in: table)
    }
}

extension ParameterizedCondition {
    /// Whether the condition is true of a row in memory: exactly where its SQL is. What is larger than conditions may be
    /// is true of nothing; a statement with it is refused.
    ///
    /// - Parameters:
    ///   - table: The table whose condition it is.
    ///   - position: Where the row has a column of the table.
    public func holds(of row: some Row, in table: Table, at position: (Int) -> Int = { $0 }) -> Bool {
        withoutActuallyEscaping(position) { position in
            var test = ConditionTest(
                row: row, columns: table.columns, position: position, values: values[...], textSets: textSets[...])
            return test.holds(shape.term)
        }
    }
}

/// A condition asked of one row. Every term takes its values, whether or not the answer is known before it.
///
/// Memory safety: bytes of cells and operands are borrowed for closures that return before the row changes.
private struct ConditionTest<R: Row> {
    let row: R
    let columns: [Column]
    let position: (Int) -> Int
    var values: ArraySlice<Value>
    var textSets: ArraySlice<TextSet>

    mutating func holds(_ term: ConditionShape.Term) -> Bool {
        switch term {
        case .and(let parts): return parts.reduce(true) { holds($1) && $0 }
        case .or(let parts): return parts.reduce(false) { holds($1) || $0 }
        case .not(let part): return !holds(part)
        case .never: return false
        case .isPresent(let column, let isPresent): return row.isNull(position(column)) != isPresent
        case .isEqual(let column):
            let value = takeValue()
            if columns[column].type == .json { return isEqualJSON(column, value) }
            return order(column, value) == .equal
        case .isOrdered(let column, let comparison): return comparison.holds(order(column, takeValue()))
        case .isBetween(let column):
            let (low, high) = (order(column, takeValue()), order(column, takeValue()))
            return Comparison.ge.holds(low) && Comparison.le.holds(high)
        case .contains(let column): return contains(column, takeValue())
        case .hasPrefix(let column): return hasPrefix(column, takeValue())
        case .isAny(let column):
            values.removeFirst()
            return isAny(column, textSets.removeFirst())
        case .isOfType(let column, let type):
            return unsafe withText(column) { json in
                unsafe json.first.map { type.firstBytes.contains(JSONComparison.kind(ofFirst: $0)) } ?? false
            }
        case .hasSize(let column, let comparison):
            let wanted = takeValue()
            return comparison.holds(size(column).flatMap { Value.integer($0).order(wanted) })
        case .hasSizeBetween(let column):
            let (low, high) = (takeValue(), takeValue())
            guard let size = size(column).map(Value.integer) else { return false }
            return Comparison.ge.holds(size.order(low)) && Comparison.le.holds(size.order(high))
        }
    }

    private mutating func takeValue() -> Value { values.popFirst() ?? .null }

    private func order(_ column: Int, _ value: Value) -> Value.Order? { row.value(position(column)).order(value) }

    /// What a test says of the bytes of a text; false of an absent attribute.
    private func withText(_ column: Int, _ test: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        guard !row.isNull(position(column)) else { return false }
        return unsafe row.withText(position(column), test)
    }

    private func isEqualJSON(_ column: Int, _ value: Value) -> Bool {
        unsafe withText(column) { json in unsafe value.withText { unsafe JSONComparison.areEqual(json, $0) } }
    }

    private func contains(_ column: Int, _ value: Value) -> Bool {
        let isList = columns[column].type == .json
        return unsafe withText(column) { text in
            guard isList else { return unsafe value.withText { unsafe TextSearch.matches($0, in: text) } }
            let isFound: Bool?
            switch value {
            case .integer(let integer): isFound = try? unsafe JSONComparison.contains(text, .integer(integer))
            case .real(let real): isFound = try? unsafe JSONComparison.contains(text, .real(real))
            case .text, .null: isFound = unsafe value.withText { try? unsafe JSONComparison.contains(text, .text($0)) }
            }
            return isFound ?? false
        }
    }

    private func hasPrefix(_ column: Int, _ value: Value) -> Bool {
        unsafe withText(column) { text in unsafe value.withText { unsafe text.starts(with: $0) } }
    }

    private func isAny(_ column: Int, _ wanted: TextSet) -> Bool {
        let isList = columns[column].type == .json
        return unsafe withText(column) { text in
            unsafe isList ? JSONComparison.containsAny(text, of: wanted) : wanted.contains(text)
        }
    }

    /// The size of an attribute; nil of what has none.
    private func size(_ column: Int) -> Int64? {
        guard !row.isNull(position(column)) else { return nil }
        let isJSON = columns[column].type == .json
        return unsafe row.withText(position(column)) { text in
            unsafe isJSON
                ? (try? JSONComparison.entryCount(of: text)).map(Int64.init) : TextSearch.characterCount(of: text)
        }
    }
}

extension Value {
    fileprivate enum Order { case less, equal, greater }

    /// The order of two values of one kind; nil where SQLite has none, or one of the kinds.
    ///
    /// A whole number and a floating-point number are compared exactly, as SQLite does: not every whole number of 64 bits
    /// is one of floating point.
    fileprivate func order(_ other: Value) -> Order? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): Self.order(left, right)
        case (.real(let left), .real(let right)): left.isNaN || right.isNaN ? nil : Self.order(left, right)
        case (.integer(let left), .real(let right)): Self.order(left, right)
        case (.real(let left), .integer(let right)): Self.order(right, left).map { $0.reversed }
        case (.text(let left), .text(let right)):
            left.utf8.elementsEqual(right.utf8)
                ? .equal : left.utf8.lexicographicallyPrecedes(right.utf8) ? .less : .greater
        default: nil
        }
    }

    private static func order<T: Comparable>(_ left: T, _ right: T) -> Order {
        left < right ? .less : left == right ? .equal : .greater
    }

    private static func order(_ left: Int64, _ right: Double) -> Order? {
        guard !right.isNaN else { return nil }
        // The bounds of 64 bits as floating-point numbers.
        if right >= 0x1p63 { return .less }
        if right < -0x1p63 { return .greater }
        let whole = Int64(right)
        guard left == whole else { return order(left, whole) }
        return order(0.0, right - Double(whole))
    }
}

extension Value.Order {
    fileprivate var reversed: Value.Order {
        switch self {
        case .less: .greater
        case .equal: .equal
        case .greater: .less
        }
    }
}

extension Comparison {
    /// Whether two values in this order meet the comparison; never those without one.
    fileprivate func holds(_ order: Value.Order?) -> Bool {
        switch (self, order) {
        case (_, nil): false
        case (.eq, let order?): order == .equal
        case (.ne, let order?): order != .equal
        case (.le, let order?): order != .greater
        case (.lt, let order?): order == .less
        case (.ge, let order?): order != .less
        case (.gt, let order?): order == .greater
        }
    }
}
