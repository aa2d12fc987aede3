import GraphQL
import Tables

/// The arguments of a field `syncPosts`, understood.
struct SyncArguments {
    let limit: Int
    private let filter: Condition?
    /// What the filter says of a key; nil where it says nothing.
    private let keyCondition: RowDecision.KeyCondition?
    /// Milliseconds since 1970; 0 for everything.
    private let lastSync: Int64
    private let token: SyncToken?
    /// What a token is bound to: the field, and every argument but `limit` and `nextToken`.
    let binding: [UInt8]

    init(
        _ arguments: ArgumentValues, of field: PlannedField, by plan: SyncPlan, options: APIOptions,
        filters: FilterRules, environment: APIEnvironment
    ) throws(ResolverError) {
        let table = plan.table.table
        limit = try arguments.limit(
            orElse: options.limits.pageItemsDefault,
            max: min(options.limits.syncItemsMax, options.limits.pageItemsMax))
        filter = try FilterCondition.condition(arguments["filter"], on: table, filters)
        keyCondition = RowDecision.KeyCondition(filter: arguments["filter"], plan.keys, of: table)
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
    ///   - allowed: The items that the rules allow; nil allows all.
    ///   - start: The start of the sync, if its first page is asked for.
    ///   - deltaHorizon: The table's, if a delta goes on.
    func request(
        of plan: SyncPlan, allowed: RowDecision?, start: SyncStart?, deltaHorizon: Int64?, _ starts: SyncStarts
    ) -> SyncRequest {
        var request: SyncRequest
        if let token {
            request = SyncRequest(
                startedAt: token.startedAt, since: token.since, after: token.position, limit: limit)
            if let since = token.since, let deltaHorizon, since <= deltaHorizon {
                // Since the first page, tombstones of that time were removed: all that is there comes instead, from its
                // beginning. The device knows some of it already, which does no harm.
                (request.since, request.after) = (nil, nil)
            }
        } else {
            guard let start else { preconditionFailure("the first page of a sync has a start") }
            let isIssued = starts.contains(lastSync, of: plan.table.table.name)
            request = SyncRequest(
                startedAt: start.startedAt, since: since(start, isIssued: isIssued), limit: limit)
        }
        guard let narrowing = narrowing(allowed, isBase: request.since == nil) else {
            request.isRefused = true
            return request
        }
        if token == nil { starts.insert(request.startedAt, of: plan.table.table.name) }
        let condition = Condition.both(filter, narrowing == .always ? nil : narrowing)
        request.filter = condition.map { ParameterizedCondition($0, of: plan.table.table) }
        guard request.since == nil else { return request }
        if request.after == nil {
            request.range = SyncRange(plan.indexes, for: condition)
        } else if let fingerprint = token?.index {
            request.range = SyncRange(plan.indexes.filter { $0.fingerprint == fingerprint }, for: condition)
            // A reload of the schema has changed the key: the base begins again.
            if request.range == nil { (request.after, request.range) = (nil, SyncRange(plan.indexes, for: condition)) }
        }
        return request
    }

    /// The condition of the rules; nil where they refuse the sync. The base is a query of the key that the filter names, if it
    /// names one, and a delta is none.
    private func narrowing(_ allowed: RowDecision?, isBase: Bool) -> Condition? {
        guard let allowed else { return .always }
        guard isBase, let keyCondition else { return allowed.condition }
        return switch allowed.narrowing(of: keyCondition) {
        case .deny: nil
        case .all: .always
        case .filter(let condition): condition
        // Not without a sort key to ask for. What is stored of an owner in another form belongs to them, too.
        case .sortKeys: allowed.condition
        }
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
