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
    let arguments: ArgumentTemplate
    /// The fields of the connection object and what each is.
    let parts: [(field: PlannedField, part: Part)]
    /// Reads rows without a column: where the page ends, when nothing else has read it before the token is asked.
    let bare: SyncFetches

    init(
        table: StoredTable, arguments: ArgumentTemplate, parts: [(field: PlannedField, part: Part)], bare: SyncFetches
    ) {
        self.table = table
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
    private let shared = Mutex<[Fetch?]>(Array(repeating: nil, count: 4))

    init(table: StoredTable, columns: [Int]) {
        self.table = table
        self.columns = columns
    }

    func fetch(for request: SyncRequest) -> Fetch {
        guard request.filter == nil else { return make(request, isShared: false) }
        let slot = (request.since == nil ? 0 : 2) + (request.after == nil ? 0 : 1)
        return shared.withLock { shared in
            if let fetch = shared[slot] { return fetch }
            let fetch = make(request, isShared: true)
            shared[slot] = fetch
            return fetch
        }
    }

    private func make(_ request: SyncRequest, isShared: Bool) -> Fetch {
        Fetch(
            table, columns: columns, access: request.since == nil ? .scan : .changes, sort: request.sort?.shape,
            continues: request.after != nil, filter: request.filter, filterDropsRows: false, isShared: isShared)
    }
}
