import Synchronization
import Tables

/// The fetches of one selection that differ by what a request asks: direction, continuation, sort condition, filter.
///
/// Those without a filter are shared, and the ones without a sort condition are at hand; one with a filter is made for
/// the request and finds its statement by text.
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
        if let filter = request.filter {
            return Fetch(
                table, columns: columns, access: request.isScan ? .scan : access, sort: request.sort?.shape,
                descending: request.isDescending, continues: request.after != nil, filter: filter,
                isShared: false)
        }
        if request.sort != nil { return shared(for: request) }
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
            descending: request.isDescending, continues: request.after != nil)
    }
}
