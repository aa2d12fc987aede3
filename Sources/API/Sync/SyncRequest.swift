import Tables

/// One page of a sync. AWS AppSync, "Versioned data sources", "Sync operations"
/// (reference: datastore-sync, "Sync queries").
struct SyncRequest {
    /// The same on every page: what the device gives as `lastSync` the next time.
    var startedAt: Int64
    /// Since when changes are asked for; nil is the base, all items.
    var since: Int64?
    var after: Position?
    var limit: Int
    var filter: ParameterizedCondition?
    /// The key by which the base is read; nil reads the table in creation order. Never of a delta.
    var range: SyncRange?
    /// Whether the rules refuse it, so that nothing is read.
    var isRefused = false

    var sort: SortCondition? {
        since.map { SortCondition(sortOperator: .ge, operands: [[.integer($0)]]) }
    }

    /// Rows that are looked at for one page at most: past them it is short, and its token continues after them.
    var rowsMax: Int { filter == nil ? limit : 20 * limit }

    /// What the token of the next page says.
    func token(after position: Position) -> SyncToken {
        SyncToken(startedAt: startedAt, since: since, index: range?.index.fingerprint, position: position)
    }
}
