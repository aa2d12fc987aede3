extension SQLText {
    /// An INSERT that does nothing, and so changes no row, where the primary key is taken.
    mutating func put(_ table: StoredTable, columns: [Int]) {
        let names = columns.map { table.columns[$0] }
        append("INSERT INTO \(table.name) (\(names.joined(separator: ", "))) VALUES (")
        append(columns.map { operand(for: table, $0) }.joined(separator: ", "))
        append(") ON CONFLICT DO NOTHING")
    }

    /// An UPDATE of the one item with the key, if it meets the condition.
    ///
    /// - Parameter expectsVersion: Whether the version, a parameter behind the key's, must be the stored one, too.
    mutating func update(
        _ table: StoredTable, columns: [Int], condition: Condition?, expectsVersion: Bool = false
    ) {
        let assignments = columns.map { "\(table.columns[$0]) = \(operand(for: table, $0))" }
        append("UPDATE \(table.name) AS t SET ")
        // An update that sets nothing still asserts that the item is there and meets the condition.
        let nothing = "\(table.key.partition) = \(table.key.partition)"
        append(assignments.isEmpty ? nothing : assignments.joined(separator: ", "))
        appendKey(of: table, condition, expectsVersion)
    }

    /// A DELETE of the one item with the key.
    mutating func delete(_ table: StoredTable) {
        append("DELETE FROM \(table.name) AS t")
        appendKey(of: table, nil)
    }

    /// A SELECT of the one item with the key, if it meets the condition.
    mutating func item(_ table: StoredTable, columns: [Int], condition: Condition?) {
        let names = columns.map { table.columns[$0] }
        append("SELECT \(names.isEmpty ? "1" : names.joined(separator: ", ")) FROM \(table.name) AS t")
        appendKey(of: table, condition)
    }

    /// A DELETE of every item. Without a WHERE, SQLite frees the pages whole and visits no row (SQLite, "DELETE", "The
    /// Truncate Optimization").
    static func clear(_ table: StoredTable) -> String { "DELETE FROM \(table.name)" }

    /// JSON is checked, and rid of its white space, as it comes in: what is stored never fails a filter later.
    mutating func operand(for table: StoredTable, _ column: Int) -> String {
        table.table.columns[column].type == .json ? "json(\(parameter()))" : parameter()
    }

    mutating func appendKey(of table: StoredTable, _ condition: Condition?, _ expectsVersion: Bool = false) {
        append(" WHERE t.\(table.key.partition) = \(parameter())")
        if let sort = table.key.sort {
            append(" AND t.\(sort) = \(joined(table.key, of: table))")
        }
        if expectsVersion, let metadata = table.versioning?.metadata {
            append(" AND t.\(table.columns[metadata.version]) = \(parameter())")
        }
        if let condition { append(" AND \(self.condition(condition, of: table))") }
    }
}
