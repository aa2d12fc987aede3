import Synchronization
import Tables

/// The fetches of one selection: base or delta, first page or a later one, with a filter or without. Those without are
/// at hand, the others are found by their shape.
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
            return cache.fetch(
                table, columns: columns, access: access, sort: request.sort?.shape, continues: continues,
                filter: filter.shape)
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
