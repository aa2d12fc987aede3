/// A transaction whose writes depend on what its reads find: GetItem, PutItem, UpdateItem and DeleteItem by primary key, and
/// rows that count. It has a part of a group's commit, of which it is undone alone where it fails.
///
/// It lives for the call of the body that it is given to, on the writer's thread, which every write waits for: a body works on
/// at most some hundred items. Tables with versions, and those with a composite primary key, are not for it.
public final class StoreTransaction {
    private let connection: WriteConnection

    init(_ connection: WriteConnection) { self.connection = connection }

    /// GetItem: all columns of an item; nil where there is none.
    public func item(of table: StoredTable, key: [Value]) throws(StoreError) -> Item? {
        try table.check(key: key)
        return try connection.row(key, of: table)
    }

    /// Query: the first items of a partition, in the order of the sort key.
    ///
    /// - Parameters:
    ///   - access: The primary key, or a secondary index.
    ///   - columns: What is read of each item, by position in the table.
    ///   - limit: Items at most.
    public func items(
        of table: StoredTable, _ access: Access = .primaryKey, partition: Value, sort: SortCondition? = nil,
        columns: [Int], limit: Int
    ) throws(StoreError) -> [Item] {
        let shape = FetchShape(
            table: table, columns: columns, access: access, sort: sort?.shape, descending: false, continues: false,
            filter: nil, filterDropsRows: false)
        precondition(
            shape.keyCount == 1 && shape.isSortPossible, "A query names a partition, and may bound its sort key.")
        return try connection.items(
            .init(action: .query(access, sort?.shape), table: table.id, columns: columns),
            [partition] + (sort?.operands.flatMap(\.self) ?? []), columnCount: columns.count, limit: limit
        ) { $0.select(shape) }
    }

    /// PutItem that only creates.
    ///
    /// - Parameter values: Those of all columns.
    /// - Returns: False where an item has the same primary key; nothing was changed then.
    public func put(_ values: [Value], into table: StoredTable) throws(StoreError) -> Bool {
        precondition(table.versioning == nil && values.count == table.columns.count, "A row has all columns.")
        try table.check(row: values)
        try connection.sizes.check(row: values, of: table)
        return try connection.change(.init(action: .putRow, table: table.id), values) {
            $0.put(table, columns: Array(table.columns.indices))
        }
    }

    /// UpdateItem of an item that exists.
    ///
    /// - Returns: False where there is none.
    public func update(
        _ table: StoredTable, key: [Value], setting attributes: [(column: Int, value: Value)]
    ) throws(StoreError) -> Bool {
        try table.check(update: attributes)
        try table.check(key: key)
        let columns = attributes.map(\.column)
        let shape = WriteConnection.Shape(action: .update, table: table.id, columns: columns, checksSize: true)
        return try connection.changeIfFits(shape, attributes, of: table, attributes.map(\.value) + key) {
            $0.update(table, columns: columns, condition: nil, checksSize: true)
        }
    }

    /// UpdateItem with ADD: raises numbers of an item, which is made where there is none, each absent number being 0.
    ///
    /// - Parameters:
    ///   - key: The primary key, in key-schema order.
    ///   - amounts: How much each whole number is raised; negative to lower it.
    ///   - attributes: Further columns that are set.
    public func add(
        _ amounts: [(column: Int, amount: Int64)], to table: StoredTable, key: [Value],
        setting attributes: [(column: Int, value: Value)] = []
    ) throws(StoreError) {
        precondition(table.versioning == nil && !table.table.key.isComposite, "A row that counts has a simple key.")
        let keys = zip(table.table.key.columns, key).map { (column: $0, value: $1) }
        let numbers = amounts.map { (column: $0.column, value: Value.integer($0.amount)) }
        try table.check(put: keys + numbers + attributes)
        let shape = WriteConnection.Shape(
            action: .add(amounts.count), table: table.id, columns: (numbers + attributes).map(\.column))
        let values = key + (numbers + attributes).map(\.value)
        _ = try connection.change(shape, values) {
            $0.add(table, numbers: numbers.map(\.column), others: attributes.map(\.column))
        }
    }

    /// DeleteItem.
    ///
    /// - Returns: False where there is none.
    public func delete(_ key: [Value], from table: StoredTable) throws(StoreError) -> Bool {
        try table.check(key: key)
        return try connection.change(.init(action: .delete, table: table.id), key) { $0.delete(table) }
    }
}
