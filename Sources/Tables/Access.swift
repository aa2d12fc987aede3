/// How a fetch finds its items.
public enum Access: Sendable, Hashable {
    /// GetItem: by the whole primary key.
    case item
    /// Scan: all items, in creation order.
    case scan
    /// Query on the primary key: one partition, ordered by the sort key.
    case primaryKey
    /// Query on the secondary index at this position: one partition, ordered by its sort key, ties in creation order.
    case index(Int)
    /// What changed in a versioned table, tombstones included, ordered by `_lastChangedAt`, ties in creation order. The
    /// sort condition is on `_lastChangedAt`: `ge` for what changed since then.
    case changes
}
