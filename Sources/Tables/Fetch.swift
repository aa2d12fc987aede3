internal import Synchronization

/// How a fetch finds its items.
public enum Access: Sendable, Hashable {
    /// GetItem: by the whole primary key.
    case item
    /// Scan: all items, in creation order.
    case scan
    /// Query on the primary key: one partition, ordered by the sort key.
    case primaryKey
    /// Query on the secondary index at this position: one partition, ordered by its sort key, ties in creation order.
    case index(Int)
    /// What changed in a versioned table, tombstones included, ordered by `_lastChangedAt`, ties in creation order. The
    /// sort condition is on `_lastChangedAt`: `ge` for what changed since then.
    case changes
}

/// The operators of a sort-key condition.
public enum SortOperator: String, Sendable, Hashable, CaseIterable {
    /// Equal.
    case eq
    /// Less or equal.
    case le
    /// Less.
    case lt
    /// Greater or equal.
    case ge
    /// Greater.
    case gt
    /// Between two operands, both included.
    case between
    /// Text with the operand as prefix.
    case beginsWith
}

/// The shape of a sort-key condition: its operator, and how many parts each operand has.
public struct SortShape: Sendable, Hashable {
    /// The operator.
    public var sortOperator: SortOperator
    /// One count per operand (two for `between`): 1 for a simple sort key, the number of leading parts for a composite.
    public var partCounts: [Int]

    /// Makes a shape of an operator and its operands' part counts.
    public init(sortOperator: SortOperator, partCounts: [Int]) {
        self.sortOperator = sortOperator
        self.partCounts = partCounts
    }
}

/// A condition on the sort key of a Query.
public struct SortCondition: Sendable, Hashable {
    /// The operator.
    public var sortOperator: SortOperator
    /// The operands (two for `between`) as parts: one part for a simple sort key, the leading parts that were given
    /// for a composite one. They are joined in SQL, so that numbers render alike everywhere.
    public var operands: [[Value]]

    /// Makes a condition of an operator and its operands.
    public init(sortOperator: SortOperator, operands: [[Value]]) {
        self.sortOperator = sortOperator
        self.operands = operands
    }

    /// The shape a fetch must have to be opened with this condition.
    public var shape: SortShape {
        SortShape(sortOperator: sortOperator, partCounts: operands.map(\.count))
    }
}

/// Where a page ended: the last row read, by its sort key and its place in creation order.
public struct Position: Sendable, Hashable {
    /// The value of the sort key (the joined text of a composite one); nil where there is no sort key.
    public var sort: Value?
    /// The item's place in creation order.
    public var rowID: Int64

    /// Makes a position of its parts.
    public init(sort: Value?, rowID: Int64) {
        self.sort = sort
        self.rowID = rowID
    }
}

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
    ///   - filterDropsRows: If false, rows the filter refuses are read and counted, and `Cursor.matches` says which (this
    ///     is DynamoDB's filter). If true, they are neither (this is a rule that narrows what exists).
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

/// What a fetch reads, and what follows from it.
struct FetchShape: Sendable {
    let table: StoredTable
    let columns: [Int]
    let access: Access
    let sort: SortShape?
    let descending: Bool
    let continues: Bool
    let filter: ConditionShape?
    /// Whether the filter's verdict is a column of its own, after the fetch's columns.
    let hasVerdict: Bool

    /// The key by which items are found, and how many values of it are given.
    let key: StoredKey?
    let keyCount: Int
    /// Where among the statement's outputs the sort key's value is; nil without a sort key. It stands for itself, as the
    /// last one, unless it is one of the columns anyway: SQLite would decode it twice.
    let sortOutput: Int?
    /// What rows are ordered by. Short where it can be, because SQLite sorts where it does not see that an index has
    /// the order already: a unique key has no ties, and rows of one sort key are all ties.
    let order: [Order]

    /// Whether the sort condition, if there is one, has the operands its operator asks for, and the key their parts.
    var isSortPossible: Bool {
        guard let sort else { return true }
        guard sortOutput != nil, let key else { return false }
        return sort.partCounts.count == (sort.sortOperator == .between ? 2 : 1)
            && sort.partCounts.allSatisfy { (1...key.schema.sortKeys.count).contains($0) }
    }

    /// Whether the filter, if there is one, has a parameter for each of these values.
    func takes(_ filterValues: [Value]) -> Bool { filterValues.count == filter?.valueCount ?? 0 }

    /// Where among the outputs the place in creation order is.
    var rowIDOutput: Int { columns.count + (hasVerdict ? 1 : 0) }

    /// The parts of a position after which the fetch continues. Without an order there is at most one row, and after it
    /// none.
    var positionOrder: [Order] { order.isEmpty ? [.rowID] : order }

    enum Order { case sort, rowID }

    init(
        table: StoredTable, columns: [Int], access: Access, sort: SortShape?, descending: Bool, continues: Bool,
        filter: ConditionShape?, filterDropsRows: Bool
    ) {
        let hasVerdict = filter != nil && !filterDropsRows
        self.table = table
        self.columns = columns
        self.access = access
        self.sort = sort
        self.descending = descending
        self.continues = continues
        self.filter = filter
        self.hasVerdict = hasVerdict
        switch access {
        case .item:
            (key, keyCount, order) = (table.key, table.key.schema.columns.count, [])
        case .scan:
            (key, keyCount, order) = (nil, 0, [.rowID])
        case .primaryKey:
            let isOneItem = table.key.sort == nil || sort?.sortOperator == .eq
            (key, keyCount, order) = (table.key, 1, isOneItem ? [] : [.sort])
        case .index(let index):
            let isOneSortKey = table.indexes[index].sort == nil || sort?.sortOperator == .eq
            (key, keyCount, order) = (table.indexes[index], 1, isOneSortKey ? [.rowID] : [.sort, .rowID])
        case .changes:
            (key, keyCount, order) = (table.versioning?.changes, 0, [.sort, .rowID])
        }
        let sortColumn = access == .item ? nil : key?.sort
        sortOutput = sortColumn.map { sortColumn in
            columns.firstIndex { table.columns[$0] == sortColumn } ?? columns.count + (hasVerdict ? 2 : 1)
        }
    }
}
