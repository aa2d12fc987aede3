import Synchronization
import Tables

/// The fetches of one selection that differ by what a request asks: direction, continuation, sort condition, filter.
///
/// Those without a filter and a sort condition are at hand; the others are found by their shape, which a filter's values
/// are no part of.
final class FetchFamily: Sendable {
    let table: StoredTable
    let columns: [Int]
    let access: Access
    private let cache: FetchCache
    private let unsorted = Mutex<[Fetch?]>(Array(repeating: nil, count: 8))

    init(table: StoredTable, columns: [Int], access: Access, cache: FetchCache) {
        self.table = table
        self.columns = columns
        self.access = access
        self.cache = cache
    }

    func fetch(for request: PageRequest) -> Fetch {
        if request.sort != nil || request.filter != nil { return shared(for: request) }
        let slot =
            (request.isScan ? 4 : 0) + (request.isDescending ? 2 : 0) + (request.after == nil ? 0 : 1)
        return unsorted.withLock { unsorted in
            if let fetch = unsorted[slot] { return fetch }
            let fetch = shared(for: request)
            unsorted[slot] = fetch
            return fetch
        }
    }

    private func shared(for request: PageRequest) -> Fetch {
        cache.fetch(
            table, columns: columns, access: request.isScan ? .scan : access, sort: request.sort?.shape,
            descending: request.isDescending, continues: request.after != nil, filter: request.filter?.shape)
    }
}
