/// The tables of records as they stand in the store, by the kind of record.
package struct StoredRecordTables: Sendable {
    private let tables: [String: StoredTable]

    /// - Parameter tables: The stored tables of all kinds of records that are read and written.
    package init(_ tables: [StoredTable]) {
        self.tables = Dictionary(tables.map { ($0.table.name, $0) }, uniquingKeysWith: { $1 })
    }

    /// The table of a kind of record.
    package subscript(_ kind: (some Record).Type) -> StoredTable {
        guard let table = tables[kind.table.name] else { preconditionFailure("all tables are there") }
        return table
    }
}
