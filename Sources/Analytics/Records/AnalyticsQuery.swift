import Tables

/// A question for rows of one table.
struct AnalyticsQuery: Sendable {
    let table: StoredTable
    var access: Access = .primaryKey
    /// The whole key of an item, the partition key of a query; nothing for a scan.
    var key: [Value]
    var sort: SortCondition?
    /// The columns of a row, by position in the table.
    var columns: [Int]
    var after: Position?
    var limit: Int

    /// What the fetch is a function of.
    struct Shape: Hashable {
        let table: String
        let access: Access
        let sort: SortShape?
        let columns: [Int]
        let continues: Bool
    }

    var shape: Shape {
        Shape(
            table: table.table.name, access: access, sort: sort?.shape, columns: columns, continues: after != nil)
    }

    func makeFetch() -> Fetch {
        Fetch(table, columns: columns, access: access, sort: sort?.shape, continues: after != nil)
    }
}

extension SortCondition {
    /// From a number to another one, both included.
    static func between(_ first: Int64, _ last: Int64) -> SortCondition {
        SortCondition(sortOperator: .between, operands: [[.integer(first)], [.integer(last)]])
    }
}
