internal import Synchronization

/// The shape of a read. Its SQL is a function of the shape alone and is made once, here; the values come at open.
///
/// A shape that several requests may use is shared: each connection finds its prepared statement by the shape's number.
/// One made for a single request (a filter too large to be kept) sets `isShared: false`, and its statement is found by
/// the SQL text. Both kinds are kept in one bounded cache per connection.
public final class Fetch: Sendable {
    /// The statement's text.
    public let sql: String

    let shape: FetchShape
    /// The number by which connections know a shared shape.
    let id: Int?
    /// Why the fetch cannot be opened, if it cannot.
    let refusal: StoreError?

    private static let ids = Atomic<Int>(0)

    /// Makes a shape.
    ///
    /// - Parameters:
    ///   - table: The table read.
    ///   - columns: The columns of a row; a cursor's positions are positions in this list.
    ///   - access: How items are found.
    ///   - sort: The sort-key condition's shape; only a Query has one.
    ///   - descending: Whether the order is reversed, creation order within ties included.
    ///   - continues: Whether the fetch is opened with a position to continue after.
    ///   - filter: The filter's shape. Its values are given at open, and are bound after all others.
    ///   - filterDropsRows: If false, rows that do not match the filter are read and counted, and `Cursor.matches` is false for
    ///     them, as in DynamoDB. All requests do this, also for rules. If true, such rows are neither read nor counted; only
    ///     tests of the store use it.
    ///   - isShared: Whether the fetch is opened many times.
    public init(
        _ table: StoredTable, columns: [Int], access: Access, sort: SortShape? = nil, descending: Bool = false,
        continues: Bool = false, filter: ConditionShape? = nil, filterDropsRows: Bool = false, isShared: Bool = true
    ) {
        shape = FetchShape(
            table: table, columns: columns, access: access, sort: sort, descending: descending, continues: continues,
            filter: filter, filterDropsRows: filterDropsRows)
        id = isShared ? Self.ids.add(1, ordering: .relaxed).newValue : nil
        var text = SQLText(.sqlite)
        if !shape.isSortPossible {
            refusal = StoreError(
                .invalidRequest, "The sort condition on table \(table.table.name) does not fit the sort key.",
                hint: "It is given for a Query by a key with a sort key, with as many parts as that has at most.")
        } else if access == .changes, table.versioning == nil {
            refusal = StoreError(.invalidRequest, "Table \(table.table.name) is not versioned.")
        } else if !(filter?.isWithinBounds ?? true) {
            refusal = StoreError(
                .invalidRequest, "The filter of table \(table.table.name) is too large.",
                hint: "A filter has at most \(Condition.nodesMax) operators, nested at most \(Condition.depthMax) deep."
            )
        } else {
            refusal = nil
            text.select(shape)
        }
        sql = text.sql
    }

    /// The table read.
    public var table: StoredTable { shape.table }

    /// The columns of a row, by position in the table.
    public var columns: [Int] { shape.columns }
}
