public import Tables

/// Reads the items of models as they are stored, for operators: no rule is evaluated, and deleted items of models with
/// versions can be read. It has its own thread and connection, so that its reads do not delay requests.
public final class StoredItems: Sendable {
    /// Rows that are read at one time.
    private static let rowsPerStep = 2_000
    /// Rows that a page reads at most; a page of fewer items than asked for has a `next`.
    public static let rowsPerPageMax = 200_000

    private let reads: ItemReads

    /// Opens a connection. Blocks.
    /// - Parameter executor: One thread, not an event loop's.
    public init(_ store: any Store, on executor: any Executor) throws(StoreError) {
        reads = try ItemReads(store, on: executor)
    }

    /// An item: its attributes in the order of the table's columns.
    public struct Item: Sendable {
        /// The values; null for an attribute that is absent.
        public let values: [Value]
    }

    /// Some items.
    public struct Page: Sendable {
        /// The items, as many as were asked for at most.
        public var items: [Item] = []
        /// Where the next page begins; nil after the last item.
        public var next: Position?
        /// Rows that were read.
        public var readCount = 0
    }

    /// Items in their order.
    ///
    /// - Parameter skip: Items that meet the filter and are passed over before the first one.
    public func page(
        _ query: StoredItemQuery, after: Position?, skip: Int = 0, limit: Int
    ) async throws(StoreError) -> Page {
        if let keys = query.itemKeys { return try await page(of: keys, query, after: after, skip: skip, limit: limit) }
        var (page, position, skip) = (Page(), after, skip)
        while page.readCount < Self.rowsPerPageMax {
            let wanted = limit - page.items.count + skip
            // One more shows whether there is a next page.
            let rowsMax = query.filter == nil ? min(wanted + 1, Self.rowsPerStep) : Self.rowsPerStep
            let cursor = try await cursor(query, columns: nil, after: position, rowsMax: rowsMax)
            var (count, last) = (0, position)
            while try cursor.next() {
                let previous = last
                (count, page.readCount, last) = (count + 1, page.readCount + 1, cursor.position)
                guard cursor.matches else { continue }
                guard skip == 0 else {
                    skip -= 1
                    continue
                }
                if page.items.count == limit {
                    page.next = previous
                    return page
                }
                page.items.append(Item(values: query.table.table.columns.indices.map { cursor.value($0) }))
            }
            if count < rowsMax { return page }
            position = last
        }
        page.next = position
        return page
    }

    /// The item with a key; nil where there is none.
    public func item(_ key: [Value], of table: StoredTable) async throws(StoreError) -> Item? {
        let query = StoredItemQuery(table, access: .item, key: key)
        return try await page(query, after: nil, limit: 1).items.first
    }

    /// How many items meet the filter.
    ///
    /// - Parameter countMax: Where to stop.
    public func count(
        _ query: StoredItemQuery, upTo countMax: Int
    ) async throws(StoreError) -> (count: Int, isExact: Bool) {
        if let keys = query.itemKeys {
            let found = try await items(of: keys, query).found
            return (min(found.count, countMax), found.count <= countMax)
        }
        var (count, position) = (0, Position?.none)
        while true {
            let cursor = try await cursor(query, columns: [], after: position, rowsMax: Self.rowsPerStep)
            var rowCount = 0
            while try cursor.next() {
                rowCount += 1
                position = cursor.position
                guard cursor.matches else { continue }
                if count == countMax { return (count, false) }
                count += 1
            }
            if rowCount < Self.rowsPerStep { return (count, true) }
        }
    }

    /// A page of the items with some keys.
    private func page(
        of keys: [[Value]], _ query: StoredItemQuery, after: Position?, skip: Int, limit: Int
    ) async throws(StoreError) -> Page {
        let (found, readCount) = try await items(of: keys, query)
        let rest = found.drop { row in
            guard let after else { return false }
            return query.isDescending ? row.rowID >= after.rowID : row.rowID <= after.rowID
        }
        let shown = rest.dropFirst(skip).prefix(limit)
        var page = Page(items: shown.map(\.item), readCount: readCount)
        if rest.count > skip + shown.count { page.next = shown.last.map { Position(sort: nil, rowID: $0.rowID) } }
        return page
    }

    /// The items with some keys that meet the query's filter, in the order in which they were created, and how many were read.
    private func items(
        of keys: [[Value]], _ query: StoredItemQuery
    ) async throws(StoreError) -> (found: [(rowID: Int64, item: Item)], readCount: Int) {
        let table = query.table.table
        var found: [Int64: Item] = [:]
        var readCount = 0
        for key in keys {
            // Without the filter, so that all keys have one statement.
            let item = StoredItemQuery(query.table, access: .item, key: key)
            let cursor = try await cursor(item, columns: nil, after: nil, rowsMax: 1)
            guard try cursor.next() else { continue }
            readCount += 1
            guard query.condition?.holds(of: cursor, in: table) ?? true else { continue }
            found[cursor.rowID] = Item(values: table.columns.indices.map { cursor.value($0) })
        }
        let sorted = found.sorted { query.isDescending ? $0.key > $1.key : $0.key < $1.key }
        return (sorted.map { (rowID: $0.key, item: $0.value) }, readCount)
    }

    private func cursor(
        _ query: StoredItemQuery, columns: [Int]?, after: Position?, rowsMax: Int
    ) async throws(StoreError) -> BatchCursor {
        let batch = await reads.run(
            ItemQuery(
                table: query.table, access: query.access, key: query.key, columns: columns, after: after,
                limit: rowsMax, descending: query.isDescending, filter: query.filter))
        return BatchCursor(try batch.get(), key: 0)
    }
}
