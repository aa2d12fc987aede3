import GraphQL
import Tables

/// The arguments of a field `syncPosts`, understood.
struct SyncArguments {
    let limit: Int
    private let filter: Condition?
    /// Milliseconds since 1970; 0 for everything.
    private let lastSync: Int64
    private let token: SyncToken?
    /// What a token is bound to: the field, and every argument but `limit` and `nextToken`.
    let binding: [UInt8]

    init(
        _ arguments: ArgumentValues, of field: PlannedField, on table: Table, options: APIOptions,
        filters: FilterRules, environment: APIEnvironment
    ) throws(ResolverError) {
        limit = try arguments.limit(
            orElse: options.limits.pageItemsDefault,
            max: min(options.limits.syncItemsMax, options.limits.pageItemsMax))
        filter = try FilterCondition.condition(arguments["filter"], on: table, filters)
        if case .int(let lastSync)? = arguments["lastSync"] { self.lastSync = lastSync } else { lastSync = 0 }
        var binding = Binding("\(field.parentName).\(field.fieldName)")
        binding.add(arguments)
        self.binding = binding.bytes
        switch arguments["nextToken"] {
        case nil, .null?: token = nil
        case .string(let text)?:
            guard let plain = environment.open(text, binding.bytes), let token = SyncToken(bytes: plain) else {
                throw .invalidToken
            }
            self.token = token
        case _?: throw .invalidToken
        }
    }

    /// What has to be known of the table before the page can be asked for.
    enum Prerequisite {
        /// The page begins a sync.
        case start
        /// It goes on with a delta, from which tombstones may be missing by now.
        case deltaHorizon
    }

    var prerequisite: Prerequisite? {
        guard let token else { return .start }
        return token.since == nil ? nil : .deltaHorizon
    }

    /// The page that is asked for.
    /// - Parameters:
    ///   - start: The start of the sync, if its first page is asked for.
    ///   - deltaHorizon: The table's, if a delta goes on.
    func request(
        of table: StoredTable, _ indexes: [SyncIndex], narrowing: Condition?, start: SyncStart?, deltaHorizon: Int64?,
        _ starts: SyncStarts
    ) -> SyncRequest {
        let condition = Condition.both(filter, narrowing)
        let filter = condition.map { ParameterizedCondition($0, of: table.table) }
        guard let token else {
            guard let start else { preconditionFailure("the first page of a sync has a start") }
            let name = table.table.name
            let since = since(start, isIssued: starts.contains(lastSync, of: name))
            starts.insert(start.startedAt, of: name)
            return SyncRequest(
                startedAt: start.startedAt, since: since, limit: limit, filter: filter,
                range: since == nil ? SyncRange(indexes, for: condition) : nil)
        }
        var request = SyncRequest(
            startedAt: token.startedAt, since: token.since, after: token.position, limit: limit, filter: filter)
        if let since = token.since, let deltaHorizon, since <= deltaHorizon {
            // Since the first page, tombstones of that time were removed: all that is there comes instead, from its
            // beginning. The device knows some of it already, which does no harm.
            (request.since, request.after) = (nil, nil)
            request.range = SyncRange(indexes, for: condition)
        } else if let fingerprint = token.index {
            request.range = SyncRange(indexes.filter { $0.fingerprint == fingerprint }, for: condition)
            // A reload of the schema has changed the key: the base begins again.
            if request.range == nil { (request.after, request.range) = (nil, SyncRange(indexes, for: condition)) }
        }
        return request
    }

    /// From when on the changes are read; nil when everything has to be.
    private func since(_ start: SyncStart, isIssued: Bool) -> Int64? {
        // Further than this no clock is ahead; beyond it the numbers below would not fit.
        let lastSync = min(lastSync, 1 << 52)
        guard lastSync > 0 else { return nil }
        var since = lastSync
        if !isIssued {
            // The device's own clock, read at the end of its last sync (amplify-android). If it is ahead of ours now, it
            // was so then; if it was ahead by less than it has been offline since, that cannot be detected, but a margin helps.
            let ahead = max(0, lastSync - start.startedAt)
            since = lastSync - 2 * ahead - Self.overlapMilliseconds
        }
        return since > max(0, start.deltaHorizon) ? since : nil
    }

    /// How much earlier than it was asked for a delta begins when we did not give out the `lastSync`
    /// (reference: datastore-sync, "Clients' clocks").
    private static let overlapMilliseconds: Int64 = 5 * 60_000
}
