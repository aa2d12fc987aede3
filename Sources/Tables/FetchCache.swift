internal import Synchronization

/// Shared fetches by their shape, so that plans of one shape have one fetch: its SQL is written once, and connections
/// find its statement by its number. Bounded; a full cache starts over, since plans keep the fetches they use.
public final class FetchCache: Sendable {
    private struct Shape: Hashable {
        let table: Int
        let columns: [Int]
        let access: Access
        let sort: SortShape?
        let descending: Bool
        let continues: Bool
        let filter: ConditionShape?
    }

    private let countMax: Int
    private let fetches = Mutex<[Shape: Fetch]>([:])

    /// An empty cache.
    /// - Parameter countMax: How many fetches it keeps; none when 0.
    public init(countMax: Int) { self.countMax = countMax }

    /// The fetch of a shape; the parameters are those of `Fetch.init`. One whose filter is too large to be shared is
    /// made anew each time.
    public func fetch(
        _ table: StoredTable, columns: [Int], access: Access, sort: SortShape? = nil, descending: Bool = false,
        continues: Bool = false, filter: ConditionShape? = nil
    ) -> Fetch {
        guard filter?.isShared ?? true else {
            return Fetch(
                table, columns: columns, access: access, sort: sort, descending: descending, continues: continues,
                filter: filter, isShared: false)
        }
        let shape = Shape(
            table: table.id, columns: columns, access: access, sort: sort, descending: descending, continues: continues,
            filter: filter)
        if let fetch = fetches.withLock({ $0[shape] }) { return fetch }
        let fetch = Fetch(
            table, columns: columns, access: access, sort: sort, descending: descending, continues: continues,
            filter: filter)
        fetches.withLock { fetches in
            if fetches.count >= countMax { fetches.removeAll() }
            if countMax > 0 { fetches[shape] = fetch }
        }
        return fetch
    }
}
