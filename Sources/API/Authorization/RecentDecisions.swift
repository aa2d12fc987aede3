/// The tables of a loop's last requests, by plan and caller: a request like one before it asks the rules nothing.
///
/// One per event loop, hence without a lock. Bounded: a place for each of so many hashes, where a newer table replaces an
/// older one. Nothing has to be forgotten: a reload makes new plans, and a token that is verified anew a new identity.
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

    /// The table of a request; nil where its plan asks the rules nothing.
    func table(of plan: Plan, _ schema: ExecutableSchema, for identity: Identity) -> DecisionTable? {
        guard !plan.subjects.isEmpty else { return nil }
        if unsafe entries.isEmpty { unsafe entries = Array(repeating: Entry(), count: Self.countMax) }
        let caller = identity.number
        // Numbers are given one after the other: neighbours have places of their own.
        let place = (plan.number &* 31 &+ caller) & (Self.countMax - 1)
        let entry = unsafe entries[place]
        if entry.plan == plan.number, entry.caller == caller, entry.mode == identity.mode { return entry.table }
        let table = DecisionTable.table(of: plan, schema, for: identity)
        unsafe entries[place] = Entry(plan: plan.number, caller: caller, mode: identity.mode, table: table)
        return table
    }
}
