/// A GetItem, Query or Scan of one table.
package struct ItemQuery: Sendable {
    let table: StoredTable
    let access: Access
    let key: [Value]
    let sort: SortCondition?
    let columns: [Int]?
    /// The position of the last row of the previous page.
    package var after: Position?
    /// Rows at most.
    package var limit: Int
    let descending: Bool
    let filter: ParameterizedCondition?

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - key: The whole key of an item, the partition key of a query; nothing for a scan.
    ///   - columns: The columns of a row, by position in the table; nil for all of them in the table's order.
    ///   - after: The position of the last row of the previous page.
    ///   - limit: Rows at most.
    ///   - filter: Of rows that do not meet it, the batch has the place alone.
    package init(
        table: StoredTable, access: Access = .primaryKey, key: [Value], sort: SortCondition? = nil,
        columns: [Int]? = nil, after: Position? = nil, limit: Int, descending: Bool = false,
        filter: ParameterizedCondition? = nil
    ) {
        (self.table, self.access, self.key, self.sort) = (table, access, key, sort)
        (self.columns, self.after, self.limit, self.descending) = (columns, after, limit, descending)
        self.filter = filter
    }

    /// What a fetch is a function of.
    struct Shape: Hashable {
        let table: ObjectIdentifier
        let access: Access
        let sort: SortShape?
        let columns: [Int]?
        let continues: Bool
        let descending: Bool
    }

    var shape: Shape {
        Shape(
            table: ObjectIdentifier(table), access: access, sort: sort?.shape, columns: columns,
            continues: after != nil, descending: descending)
    }

    func makeFetch() -> Fetch {
        Fetch(
            table, columns: columns ?? Array(table.table.columns.indices), access: access, sort: sort?.shape,
            descending: descending, continues: after != nil, filter: filter?.shape, isShared: filter == nil)
    }
}
