import Tables

/// A record of buckets: a row of one of their tables. The last column is the revision, which each change raises, so
/// that of two changes made of the same state one fails.
protocol Record: Sendable {
    /// The table, without the revision.
    static var table: Table { get }
    /// The record of a row, the columns in the table's order; nil of one that this version cannot read.
    init?(_ row: [Value], revision: Int64)
    /// The columns of the record, in the table's order, without the revision.
    var row: [Value] { get }
    /// The revision of the row that the record was read from; 0 of one that is new.
    var revision: Int64 { get set }
}

extension Record {
    /// The record's primary key.
    var key: [Value] {
        let row = row
        return Self.table.key.columns.map { row[$0] }
    }

    /// The table as it is stored.
    static var storedTable: Table {
        var table = table
        table.columns.append(Column(name: "revision", type: .integer))
        return table
    }
}

extension Value {
    /// The text of a text, else nil.
    var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The text, or nothing.
    init(_ text: String?) { self = text.map(Value.text) ?? .null }
}
