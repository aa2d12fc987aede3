import Transformer

/// A cache of decision tables by plan and caller, so that a repeated request does not evaluate the rules again.
///
/// One per event loop, hence without a lock. A direct-mapped cache of fixed size: a newer table replaces an older one with
/// the same slot. Entries need no invalidation: a reload creates new plans, and a token that is verified again has a new identity.
final class RecentDecisions {
    private struct Entry {
        var plan = 0
        var caller = 0
        var mode = Identity.Mode.apiKey
        var table: DecisionTable?
    }

    /// A power of two.
    private static let countMax = 512

    // Not checked for overlapping accesses at run time: touched in `table` only, which calls nothing that comes back here.
    @exclusivity(unchecked) private var entries: [Entry] = []

    /// The table of a request; nil if its plan has no subjects.
    func table(of plan: Plan, _ schema: ExecutableSchema, for identity: Identity) -> DecisionTable? {
        guard !plan.subjects.isEmpty else { return nil }
        if unsafe entries.isEmpty { unsafe entries = Array(repeating: Entry(), count: Self.countMax) }
        let caller = identity.number
        // Numbers are assigned in sequence, so neighbours have different slots.
        let place = (plan.number &* 31 &+ caller) & (Self.countMax - 1)
        let entry = unsafe entries[place]
        if entry.plan == plan.number, entry.caller == caller, entry.mode == identity.mode { return entry.table }
        let table = DecisionTable.table(of: plan, schema, for: identity)
        unsafe entries[place] = Entry(plan: plan.number, caller: caller, mode: identity.mode, table: table)
        return table
    }
}
