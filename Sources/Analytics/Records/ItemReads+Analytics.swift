import Tables

extension ItemQuery {
    /// Rows of a page: small enough that a snapshot is short, and large enough that its beginning costs little.
    static let pageRowsMax = 4_000
}

extension ItemReads {
    /// Rows of a query in its order, `limit` of them at most.
    func batch(_ query: ItemQuery) async throws(AnalyticsError) -> ItemBatch {
        switch await run(query) {
        case .success(let batch): return batch
        case .failure(let error): throw AnalyticsError(error)
        }
    }

    /// Calls `body` with each row of a query, in pages of `limit` rows, each page of one snapshot.
    func forEachRow(
        _ query: ItemQuery, _ body: (BatchCursor) throws(AnalyticsError) -> Void
    ) async throws(AnalyticsError) {
        var query = query
        while true {
            let batch = try await batch(query)
            let last = try Self.forEachRow(batch, body)
            guard batch.rowCount == query.limit, let last else { return }
            query.after = last
        }
    }

    /// Calls `body` with each row.
    /// - Returns: Where the last one stands.
    @discardableResult
    static func forEachRow(
        _ batch: ItemBatch, _ body: (BatchCursor) throws(AnalyticsError) -> Void
    ) throws(AnalyticsError) -> Position? {
        let cursor = BatchCursor(batch, key: 0)
        while try next(cursor) { try body(cursor) }
        return batch.rowCount > 0 ? cursor.position : nil
    }

    private static func next(_ cursor: BatchCursor) throws(AnalyticsError) -> Bool {
        do throws(StoreError) { return try cursor.next() } catch { throw AnalyticsError(error) }
    }

    /// All columns of the item with a key; nil where there is none.
    func item(of table: StoredTable, key: [Value]) async throws(AnalyticsError) -> Item? {
        let batch = try await batch(ItemQuery(table: table, access: .item, key: key, limit: 1))
        let count = table.table.columns.count
        var item: Item?
        try Self.forEachRow(batch) { row in item = Item(copying: row, count: count) }
        return item
    }

    /// All columns of the first items of a partition.
    func items(
        of table: StoredTable, _ access: Access = .primaryKey, key: [Value], sort: SortCondition? = nil, limit: Int
    ) async throws(AnalyticsError) -> [Item] {
        let batch = try await batch(ItemQuery(table: table, access: access, key: key, sort: sort, limit: limit))
        let count = table.table.columns.count
        var items: [Item] = []
        try Self.forEachRow(batch) { row in items.append(Item(copying: row, count: count)) }
        return items
    }
}
