import GraphQL
import Synchronization
import Tables

/// A field `syncPosts`, planned: the page of a sync, and the connection object around it.
final class SyncPlan: Sendable {
    enum Part: Sendable {
        case items(SyncFetches, ItemSelection)
        case nextToken
        case startedAt
        case typename([UInt8])
        /// A field of the author's that nothing fills.
        case null
    }

    let table: StoredTable
    /// The keys by which a base with a filter may be read.
    let indexes: [SyncIndex]
    let arguments: ArgumentTemplate
    /// The fields of the connection object and what each is.
    let parts: [(field: PlannedField, part: Part)]
    /// Reads rows without a column: where the page ends, when nothing else has read it before the token is asked.
    let bare: SyncFetches

    init(
        table: StoredTable, indexes: [SyncIndex], arguments: ArgumentTemplate,
        parts: [(field: PlannedField, part: Part)], bare: SyncFetches
    ) {
        self.table = table
        self.indexes = indexes
        self.arguments = arguments
        self.parts = parts
        self.bare = bare
    }
}

/// The fetches of one selection: base or delta, first page or a later one, with a filter or without. Those without are
/// made once.
final class SyncFetches: Sendable {
    private let table: StoredTable
    private let columns: [Int]
    private let cache: FetchCache
    private let shared = Mutex<[Fetch?]>(Array(repeating: nil, count: 4))

    init(table: StoredTable, columns: [Int], cache: FetchCache) {
        self.table = table
        self.columns = columns
        self.cache = cache
    }

    func fetch(for request: SyncRequest) -> Fetch {
        let access = request.since == nil ? request.range?.index.access ?? .scan : .changes
        let continues = request.after != nil
        if let filter = request.filter {
            return Fetch(
                table, columns: columns, access: access, sort: request.sort?.shape, continues: continues,
                filter: filter, filterDropsRows: false, isShared: false)
        }
        let slot = (request.since == nil ? 0 : 2) + (continues ? 1 : 0)
        return shared.withLock { shared in
            if let fetch = shared[slot] { return fetch }
            let fetch = cache.fetch(
                table, columns: columns, access: access, sort: request.sort?.shape, continues: continues)
            shared[slot] = fetch
            return fetch
        }
    }
}
