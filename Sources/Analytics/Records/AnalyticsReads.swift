import Tables

/// What rows are read by: a batch reader, used on the executor's one thread alone. Hence the unchecked `Sendable`: `batch`
/// goes to that thread before it touches anything.
final class AnalyticsReads: @unchecked Sendable {
    private let reader: any BatchReader
    private let executor: any Executor
    private var fetches: [AnalyticsQuery.Shape: Fetch] = [:]

    init(_ store: any Store, _ executor: any Executor) throws(StoreError) {
        self.executor = executor
        switch try store.makeReads(on: executor) {
        case .live(let reader): self.reader = SQLiteBatchReader(reader, on: executor)
        case .batched(let reader): self.reader = reader
        }
    }

    /// Rows of a query in its order, `limit` of them at most.
    func batch(_ query: AnalyticsQuery) async throws(AnalyticsError) -> ItemBatch {
        let result: Result<ItemBatch, StoreError> = await withCheckedContinuation { continuation in
            executor.execute { [self] in
                let batch = BatchFetch(
                    fetch(for: query), keys: [BatchFetch.Key(query.key, sort: query.sort)], after: query.after,
                    rowsMax: query.limit)
                reader.run([.fetch(batch)], deadline: .now + .seconds(Self.secondsMax)) { result in
                    continuation.resume(returning: Self.rows(of: result))
                }
            }
        }
        switch result {
        case .success(let batch): return batch
        case .failure(let error): throw AnalyticsError(error)
        }
    }

    /// Seconds that one read may take.
    private static let secondsMax = 10

    private static func rows(of result: Result<[BatchOutcome], StoreError>) -> Result<ItemBatch, StoreError> {
        Result { () throws(StoreError) in
            switch try result.get().first {
            case .rows(let batch)?: return batch
            case .refused(let error)?: throw error
            default: preconditionFailure("A fetch is answered with rows.")
            }
        }
    }

    private func fetch(for query: AnalyticsQuery) -> Fetch {
        let shape = query.shape
        if let fetch = fetches[shape] { return fetch }
        let fetch = query.makeFetch()
        fetches[shape] = fetch
        return fetch
    }
}

extension AnalyticsReads {
    /// Calls `body` with each row of a query, page by page, each page of one snapshot.
    func forEachRow(
        _ query: AnalyticsQuery, _ body: (BatchCursor) throws(AnalyticsError) -> Void
    ) async throws(AnalyticsError) {
        var query = query
        query.limit = Self.pageRowsMax
        while true {
            let batch = try await batch(query)
            let last = try Self.forEachRow(batch, body)
            guard batch.rowCount == Self.pageRowsMax, let last else { return }
            query.after = last
        }
    }

    /// Rows of a page: small enough that a snapshot is short, and large enough that its beginning costs little.
    private static let pageRowsMax = 4_000

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
        let columns = Array(table.table.columns.indices)
        let batch = try await batch(
            AnalyticsQuery(table: table, access: .item, key: key, columns: columns, limit: 1))
        var item: Item?
        try Self.forEachRow(batch) { row in item = Item(copying: row, count: columns.count) }
        return item
    }

    /// All columns of the first items of a partition.
    func items(
        of table: StoredTable, _ access: Access = .primaryKey, key: [Value], sort: SortCondition? = nil, limit: Int
    ) async throws(AnalyticsError) -> [Item] {
        let columns = Array(table.table.columns.indices)
        let batch = try await batch(
            AnalyticsQuery(table: table, access: access, key: key, sort: sort, columns: columns, limit: limit))
        var items: [Item] = []
        try Self.forEachRow(batch) { row in items.append(Item(copying: row, count: columns.count)) }
        return items
    }
}
