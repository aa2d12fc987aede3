/// The only place that writes SQL for items: reads, writes, and the conditions of both.
///
/// Text is a function of a shape alone. Every value is a numbered parameter and is bound; names are quoted.
struct SQLText {
    let dialect: Dialect
    /// The statement so far.
    private(set) var sql = ""
    /// How many parameters were given out.
    private(set) var parameterCount = 0
    /// Whether the condition's tests of whole texts charge what is copied for them.
    var chargesCopies = false

    init(_ dialect: Dialect) { self.dialect = dialect }

    /// Gives out the next parameter.
    mutating func parameter() -> String {
        parameterCount += 1
        return "\(dialect.parameterMark)\(parameterCount)"
    }

    /// Adds to the statement.
    mutating func append(_ text: String) {
        sql += text
    }

    // MARK: Reads

    /// A SELECT whose columns are the fetch's, the filter's verdict, the item's place in creation order and the sort
    /// key: the verdict if the fetch has one, the sort key if it has one that is none of its columns.
    ///
    /// The dialect pins the access path: whatever a rule adds to the WHERE clause, rows come out of the key's index in
    /// order, without a sorter, so that reading one page costs one page.
    mutating func select(_ fetch: FetchShape) {
        let sortColumn = fetch.sortOutput == nil ? nil : fetch.key?.sort.map { "t." + $0 }
        // Parameters are given out in the order in which a reader binds them: key, sort condition, position, filter.
        let key = fetch.key.map { keyTerms($0, fetch) } ?? []
        let ranges = ranges(of: fetch, sortColumn)
        let filterText = fetch.filter.map { condition($0, of: fetch.table) }

        var outputs = fetch.columns.map { "t." + fetch.table.columns[$0] }
        if fetch.hasVerdict { outputs += [filterText].compactMap { $0 } }
        outputs.append("t.\"#\"")
        if fetch.sortOutput == outputs.count { outputs += [sortColumn].compactMap { $0 } }
        let source = "FROM \(fetch.table.name) AS t \(dialect.indexed(fetch.key?.index))"
        // `IS NOT NULL` is what a partial index asks for. A list of values implies it, and beside it SQLite would take it for
        // a bound and read the whole partition.
        let isPresent = fetch.sort?.sortOperator == .isAny ? nil : sortColumn.map { "\($0) IS NOT NULL" }
        let others = [isPresent, fetch.hasVerdict ? nil : filterText].compactMap { $0 }
        let selects = ranges.map { range in
            let terms = key + range + others
            return "SELECT \(outputs.joined(separator: ", ")) \(source)"
                + (terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND "))
        }
        append(selects.joined(separator: " UNION ALL "))
        // By number, counted from one, as a compound SELECT is ordered.
        let order = fetch.order.map { ($0 == .rowID ? fetch.rowIDOutput : fetch.sortOutput ?? fetch.rowIDOutput) + 1 }
        if !order.isEmpty {
            append(" ORDER BY " + order.map { "\($0)\(fetch.descending ? " DESC" : "")" }.joined(separator: ", "))
        }
    }

    /// The key's attributes, as far as an access gives them.
    private mutating func keyTerms(_ key: StoredKey, _ fetch: FetchShape) -> [String] {
        if fetch.keyCount == 0 { return [] }
        let partition = "t.\(key.partition) = \(parameter())"
        guard fetch.access == .item, let sort = key.sort else { return [partition] }
        return [partition, "t.\(sort) = \(joined(key, of: fetch.table))"]
    }

    /// Where in a partition, or in the table, to read: the sort condition, and what lies after a position.
    private mutating func ranges(of fetch: FetchShape, _ sortColumn: String?) -> [[String]] {
        var condition: [String] = []
        var values: [String]?
        if let sort = fetch.sort, let key = fetch.key, let sortColumn {
            let operands = sort.partCounts.map { joined(key, of: fetch.table, count: $0) }
            condition = [sortCondition(sort, on: sortColumn, operands, of: key, in: fetch.table)]
            if sort.sortOperator == .isAny { values = operands }
        }
        guard fetch.continues else { return [condition] }
        let after = fetch.descending ? "<" : ">"
        switch (fetch.positionOrder, sortColumn) {
        case ([.sort, .rowID], let column?):
            // The rest of the ties, then what lies beyond. One comparison of pairs would say the same, but SQLite would
            // walk through all ties before the position. They meet the sort condition, as the last row read did, unless
            // the condition is from rules: the position may be another caller's.
            let sort = parameter()
            let ties = ["\(column) = \(sort)", "t.\"#\" \(after) \(parameter())"]
            guard let values else { return [ties, ["\(column) \(after) \(sort)"] + condition] }
            return [ties + condition, ["\(column) IN (\(dialect.selected(values, "\(after) \(sort)")))"]]
        case ([.sort], let column?):
            // Only the values beyond the position are looked for, so that no row before it is read.
            if let values { return [["\(column) IN (\(dialect.selected(values, "\(after) \(parameter())")))"]] }
            // The position comes first: SQLite starts at the first bound it meets, and it is the narrower one.
            return [["\(column) \(after) \(parameter())"] + condition]
        default:
            return [["t.\"#\" \(after) \(parameter())"] + condition]
        }
    }

    private func sortCondition(
        _ sort: SortShape, on column: String, _ operands: [String], of key: StoredKey, in table: StoredTable
    ) -> String {
        let isText = key.schema.isComposite || table.table.columns[key.schema.sortKeys[0]].type == .text
        let (first, last) = (operands.first ?? "NULL", operands.last ?? "NULL")
        return switch sort.sortOperator {
        case .eq: "\(column) = \(first)"
        case .le: "\(column) <= \(first)"
        case .lt: "\(column) < \(first)"
        case .ge: "\(column) >= \(first)"
        case .gt: "\(column) > \(first)"
        // Not BETWEEN, whose bounds SQLite would take before those of a position.
        case .between: "\(column) >= \(first) AND \(column) <= \(last)"
        // Only text has a prefix: on a number the condition is never fulfilled.
        case .beginsWith where isText: prefix(column, first)
        case .beginsWith: "\(column) > \(first) AND \(column) < \(first)"
        // One search of the index for each value, in order: SQLite sorts the values and not the rows.
        case .isAny: "\(column) IN (\(operands.joined(separator: ", ")))"
        }
    }

    /// All texts with a prefix lie between it and it followed by a byte that UTF-8 never has. As a range it is found by
    /// the index, and it is right where `substr` and `LIKE` are not: for case, for wildcards, for NUL.
    func prefix(_ column: String, _ operand: String) -> String {
        "\(column) >= \(operand) AND \(column) < \(operand) || \(dialect.afterAllTexts)"
    }

    /// The first parts of a sort key as one value: of a composite one the text that begins its generated column.
    mutating func joined(_ key: StoredKey, of table: StoredTable, count: Int? = nil) -> String {
        let types = key.schema.sortKeys.prefix(count ?? .max).map { table.table.columns[$0].type }
        let parts = types.map { type in
            type == .real && key.schema.isComposite ? dialect.realText(parameter()) : parameter()
        }
        return parts.count == 1 ? parts[0] : "(" + parts.joined(separator: " || '#' || ") + ")"
    }
}
