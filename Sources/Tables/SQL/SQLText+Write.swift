extension SQLText {
    /// An INSERT that does nothing, and so changes no row, where the primary key is taken.
    mutating func put(_ table: StoredTable, columns: [Int]) {
        let names = columns.map { table.columns[$0] }
        append("INSERT INTO \(table.name) (\(names.joined(separator: ", "))) VALUES (")
        append(columns.map { operand(for: table, $0) }.joined(separator: ", "))
        append(") ON CONFLICT DO NOTHING")
    }

    /// An INSERT of a row of numbers that, where the primary key is taken, adds them to those that are there. The parameters
    /// are the key, the numbers and the other columns, which are set.
    mutating func add(_ table: StoredTable, numbers: [Int], others: [Int]) {
        let columns = (table.table.key.columns + numbers + others).map { table.columns[$0] }
        let values = columns.map { _ in parameter() }
        let key = [table.key.partition, table.key.sort].compactMap(\.self)
        let additions = numbers.map { number in
            let column = table.columns[number]
            return "\(column) = ifnull(t.\(column), 0) + excluded.\(column)"
        }
        let assignments = additions + others.map { "\(table.columns[$0]) = excluded.\(table.columns[$0])" }
        append("INSERT INTO \(table.name) AS t (\(columns.joined(separator: ", "))) ")
        append("VALUES (\(values.joined(separator: ", "))) ON CONFLICT (\(key.joined(separator: ", "))) ")
        append("DO UPDATE SET \(assignments.joined(separator: ", "))")
    }

    /// An UPDATE of the one item with the key, if it meets the condition.
    ///
    /// - Parameters:
    ///   - expectsVersion: Whether the version, a parameter after the key's, must be the stored one, too.
    ///   - checksSize: Whether nothing is changed if the item would become too large (`ItemSizeCheck`).
    mutating func update(
        _ table: StoredTable, columns: [Int], condition: ConditionShape?, expectsVersion: Bool = false,
        checksSize: Bool = false
    ) {
        let assignments = columns.map { "\(table.columns[$0]) = \(operand(for: table, $0))" }
        append("UPDATE \(table.name) AS t SET ")
        // An update that sets nothing still asserts that the item is there and meets the condition.
        let nothing = "\(table.key.partition) = \(table.key.partition)"
        append(assignments.isEmpty ? nothing : assignments.joined(separator: ", "))
        appendKey(of: table, condition, expectsVersion, ifFits: checksSize ? fits(table, besides: columns) : nil)
    }

    private func fits(_ table: StoredTable, besides columns: [Int]) -> String {
        let rest = ItemSizeCheck.rest(of: table.columns.count, besides: columns)
        let calls = stride(from: 0, to: max(1, rest.count), by: ItemSizeCheck.columnsPerCall).map { first in
            let names = rest[first...].prefix(ItemSizeCheck.columnsPerCall).map { "t." + table.columns[$0] }
            return "\(dialect.functions.fits)(" + (["\(first)"] + names).joined(separator: ", ") + ")"
        }
        // One after the other, though SQLite may test the terms of an AND in any order.
        return calls.dropLast().reversed().reduce(calls[calls.count - 1]) { dialect.guarded($1, $0) }
    }

    /// A DELETE of the one item with the key.
    mutating func delete(_ table: StoredTable) {
        append("DELETE FROM \(table.name) AS t")
        appendKey(of: table, nil)
    }

    /// A SELECT of the one item with the key, if it meets the condition.
    mutating func item(_ table: StoredTable, columns: [Int], condition: ConditionShape?) {
        let names = columns.map { table.columns[$0] }
        append("SELECT \(names.isEmpty ? "1" : names.joined(separator: ", ")) FROM \(table.name) AS t")
        appendKey(of: table, condition)
    }

    /// A DELETE of every item. Without a WHERE, SQLite frees the pages whole and visits no row (SQLite, "DELETE", "The
    /// Truncate Optimization").
    static func clear(_ table: StoredTable) -> String { "DELETE FROM \(table.name)" }

    /// JSON is checked, and rid of its white space, as it comes in: what is stored never fails a filter later.
    mutating func operand(for table: StoredTable, _ column: Int) -> String {
        table.table.columns[column].type == .json ? dialect.storedJSON(parameter()) : parameter()
    }

    mutating func appendKey(
        of table: StoredTable, _ condition: ConditionShape?, _ expectsVersion: Bool = false, ifFits fits: String? = nil
    ) {
        append(" WHERE t.\(table.key.partition) = \(parameter())")
        if let sort = table.key.sort {
            append(" AND t.\(sort) = \(joined(table.key, of: table))")
        }
        var terms: [String] = []
        if expectsVersion, let metadata = table.versioning?.metadata {
            terms.append("t.\(table.columns[metadata.version]) = \(parameter())")
        }
        if let condition { terms.append(self.condition(condition, of: table)) }
        // The size matters only where the write would be carried out.
        if let fits { terms = [terms.isEmpty ? fits : dialect.guarded(terms.joined(separator: " AND "), fits)] }
        for term in terms { append(" AND \(term)") }
    }
}
