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
        if sort.sortOperator == .isAny {
            return !key.schema.isComposite && !sort.partCounts.isEmpty && sort.partCounts.allSatisfy { $0 == 1 }
        }
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
