import Tables

/// What is read of a table.
struct RecordQuery: Sendable {
    var table: StoredTable
    var access: Access
    var key: [Value]
    var sort: SortCondition?
    var after: Position?
    var limit: Int
    var descending = false

    /// What a fetch is a function of.
    var shape: Shape {
        Shape(
            table: ObjectIdentifier(table), access: access, sort: sort?.shape, continues: after != nil,
            descending: descending)
    }

    struct Shape: Hashable {
        var table: ObjectIdentifier
        var access: Access
        var sort: SortShape?
        var continues: Bool
        var descending: Bool
    }

    func makeFetch() -> Fetch {
        Fetch(
            table, columns: Array(table.table.columns.indices), access: access, sort: sort?.shape,
            descending: descending, continues: after != nil)
    }
}
