public import Tables

/// Reads the items of models as they are stored, for operators: no rule is evaluated, and deleted items of models with
/// versions can be read. It has its own thread and connection, so that its reads do not delay requests.
public final class StoredItems: Sendable {
    /// Rows that are read at one time.
    private static let rowsPerStep = 2_000
    /// The same of rows whose attributes are not wanted.
    private static let placesPerStep = 20_000
    /// Rows that a page reads at most; a page of fewer items than asked for has a `next`.
    public static let rowsPerPageMax = 200_000
    /// Pages that are read at most for a full one.
    public static let pagesPerFullPageMax = 10

    private let reads: ItemReads
    private let rowsMax: Int

    /// Opens a connection. Blocks.
    ///
    /// - Parameters:
    ///   - executor: One thread, not an event loop's.
    ///   - rowsMax: Rows that a page reads at most.
    public init(
        _ store: any Store, on executor: any Executor, rowsPerPage rowsMax: Int = StoredItems.rowsPerPageMax
    ) throws(StoreError) {
        reads = try ItemReads(store, on: executor)
        self.rowsMax = rowsMax
    }

    /// Rows that are read of several partitions; if they have more, all items are gone through.
    private static let rowsPerPartitionsMax = 10_000

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
        /// Items after `next` that are still to be passed over.
        public var skip = 0
        /// Rows that were read.
        public var readCount = 0
        /// Whether all items were gone through, and no key was used.
        public var isScan = false

        /// A page without items.
        public init() {}

        init(items: [Item], readCount: Int) { (self.items, self.readCount) = (items, readCount) }
    }

    /// Items in their order.
    ///
    /// - Parameter skip: Items that meet the filter and are passed over before the first one.
    public func page(
        _ query: StoredItemQuery, after: Position?, skip: Int = 0, limit: Int
    ) async throws(StoreError) -> Page {
        if let found = try await found(by: query) {
            return Self.page(of: found, query, after: after, skip: skip, limit: limit)
        }
        var (page, position, skip) = (Page(), after, skip)
        page.isScan = query.access == .scan
        // Of what is passed over only the place is read.
        while skip > 0, page.readCount < rowsMax {
            let rows = min(query.filter == nil ? skip : .max, Self.placesPerStep, rowsMax - page.readCount)
            let cursor = try await cursor(query, columns: [], after: position, rowsMax: rows)
            var count = 0
            while skip > 0, try cursor.next() {
                (count, page.readCount, position) = (count + 1, page.readCount + 1, cursor.position)
                if cursor.matches { skip -= 1 }
            }
            if skip > 0, count < rows { return page }
        }
        while page.readCount < rowsMax {
            // One more shows whether there is a next page.
            let wanted = query.filter == nil ? limit - page.items.count + 1 : .max
            let rows = min(wanted, Self.rowsPerStep, rowsMax - page.readCount)
            let cursor = try await cursor(query, columns: nil, after: position, rowsMax: rows)
            var (count, last) = (0, position)
            while try cursor.next() {
                let previous = last
                (count, page.readCount, last) = (count + 1, page.readCount + 1, cursor.position)
                guard cursor.matches else { continue }
                if page.items.count == limit {
                    page.next = previous
                    return page
                }
                page.items.append(Item(values: query.table.table.columns.indices.map { cursor.value($0) }))
            }
            if count < rows { return page }
            position = last
        }
        (page.next, page.skip) = (position, skip)
        return page
    }

    /// Items in their order, read by several pages until there are as many as were asked for: at most
    /// `pagesPerFullPageMax`, after which the page has a `next` and, perhaps, a `skip`.
    public func fullPage(
        _ query: StoredItemQuery, after: Position?, skip: Int, limit: Int
    ) async throws(StoreError) -> Page {
        var full = Page()
        (full.next, full.skip) = (after, skip)
        for _ in 0..<Self.pagesPerFullPageMax {
            let page = try await page(query, after: full.next, skip: full.skip, limit: limit - full.items.count)
            full.items += page.items
            full.readCount += page.readCount
            full.isScan = page.isScan
            (full.next, full.skip) = (page.next, page.skip)
            if full.next == nil || full.items.count == limit { break }
        }
        return full
    }

    /// All items that meet the filter; nil if there are more than `countMax`.
    public func all(_ query: StoredItemQuery, upTo countMax: Int) async throws(StoreError) -> [Item]? {
        var (found, position): ([Item], Position?) = ([], nil)
        repeat {
            // One more shows that there are too many.
            let page = try await page(query, after: position, limit: countMax + 1 - found.count)
            found += page.items
            position = page.next
        } while position != nil && found.count <= countMax
        return found.count <= countMax ? found : nil
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
        if let found = try await found(by: query) {
            return (min(found.items.count, countMax), found.items.count <= countMax)
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

    // MARK: - By keys

    private typealias Found = (items: [(rowID: Int64, item: Item)], readCount: Int)

    /// All items of a query whose filter names their keys, or some partitions, in the order in which they were created; nil for
    /// another one, and for partitions with more rows than are read so.
    private func found(by query: StoredItemQuery) async throws(StoreError) -> Found? {
        var found: [Int64: Item] = [:]
        var readCount = 0
        if let keys = query.itemKeys {
            for key in keys {
                let item = StoredItemQuery(query.table, access: .item, key: key)
                readCount += try await add(item, of: query, after: nil, rowsMax: 1, to: &found).rowCount
            }
        } else if let partitions = query.partitions {
            for key in partitions.keys {
                let partition = StoredItemQuery(query.table, access: partitions.access, key: [key])
                var step = (rowCount: Self.rowsPerStep, last: Position?.none)
                while step.rowCount == Self.rowsPerStep {
                    step = try await add(
                        partition, of: query, after: step.last, rowsMax: Self.rowsPerStep, to: &found)
                    readCount += step.rowCount
                    guard readCount <= Self.rowsPerPartitionsMax else { return nil }
                }
            }
        } else {
            return nil
        }
        let sorted = found.sorted { query.isDescending ? $0.key > $1.key : $0.key < $1.key }
        return (sorted.map { (rowID: $0.key, item: $0.value) }, readCount)
    }

    /// Reads rows of a part of a query, and adds those that meet its filter. They are read without it, so that all parts have one
    /// statement.
    private func add(
        _ part: StoredItemQuery, of query: StoredItemQuery, after: Position?, rowsMax: Int,
        to found: inout [Int64: Item]
    ) async throws(StoreError) -> (rowCount: Int, last: Position?) {
        let table = query.table.table
        let cursor = try await cursor(part, columns: nil, after: after, rowsMax: rowsMax)
        var (rowCount, last) = (0, after)
        while try cursor.next() {
            (rowCount, last) = (rowCount + 1, cursor.position)
            guard query.condition?.holds(of: cursor, in: table) ?? true else { continue }
            found[cursor.rowID] = Item(values: table.columns.indices.map { cursor.value($0) })
        }
        return (rowCount, last)
    }

    /// A page of items that were all found.
    private static func page(
        of found: Found, _ query: StoredItemQuery, after: Position?, skip: Int, limit: Int
    ) -> Page {
        let rest = found.items.drop { row in
            guard let after else { return false }
            return query.isDescending ? row.rowID >= after.rowID : row.rowID <= after.rowID
        }
        let shown = rest.dropFirst(skip).prefix(limit)
        var page = Page(items: shown.map { $0.item }, readCount: found.readCount)
        if rest.count > skip + shown.count { page.next = shown.last.map { Position(sort: nil, rowID: $0.rowID) } }
        return page
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
