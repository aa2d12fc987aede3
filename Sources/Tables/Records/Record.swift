/// A record of the server's own: a row of one of its tables. The last column is the revision, which each change raises, so
/// that of two changes made of the same state one fails.
package protocol Record: Sendable {
    /// The table, without the revision.
    static var table: Table { get }
    /// The record of a row, the columns in the table's order; nil of one that this version cannot read.
    init?(_ row: [Value], revision: Int64)
    /// The columns of the record, in the table's order, without the revision.
    var row: [Value] { get }
    /// The revision of the row that the record was read from. Of one that is new 0, or a random number where another record
    /// may have had the key before.
    var revision: Int64 { get set }
}

extension Record {
    /// The record's primary key.
    package var key: [Value] {
        let row = row
        return Self.table.key.columns.map { row[$0] }
    }

    /// The table as it is stored.
    package static var storedTable: Table {
        var table = table
        table.columns.append(Column(name: "revision", type: .integer))
        return table
    }

    /// The record of a row of the stored table, all columns in its order; nil of one that this version cannot read.
    @inlinable
    package init?(stored row: some Row) {
        let count = Self.table.columns.count
        self.init((0..<count).map { row.value($0) }, revision: row.integer(count))
    }
}
