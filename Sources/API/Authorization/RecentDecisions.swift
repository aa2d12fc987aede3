import Transformer

/// A cache of decision tables by plan and caller, so that a repeated request does not evaluate the rules again.
///
/// One per event loop, hence without a lock. A direct-mapped cache of fixed size: a newer table replaces an older one with
/// the same slot. Beyond `bytesMax`, tables of other slots are dropped in turn. Entries need no invalidation: a reload creates new
/// plans, and a token that is verified again has a new identity.
final class RecentDecisions {
    private struct Entry {
        var plan = 0
        var caller = 0
        var mode = Identity.Mode.apiKey
        var table: DecisionTable?
        var byteCount = 0
    }

    /// A power of two.
    private static let countMax = 512
    /// Bytes of memory that all tables take, roughly. A caller may have thousands of groups; one table may take a quarter.
    static let bytesMax = 4 << 20

    /// Bytes of the tables that are kept.
    private(set) var byteCount = 0
    /// The slot that is emptied next.
    private var nextPlace = 0

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
        keep(Entry(plan: plan.number, caller: caller, mode: identity.mode, table: table), at: place)
        return table
    }

    private func keep(_ entry: Entry, at place: Int) {
        var entry = entry
        entry.byteCount = entry.table?.byteCount ?? 0
        guard entry.byteCount <= Self.bytesMax / 4 else { return }
        empty(place)
        while byteCount + entry.byteCount > Self.bytesMax {
            empty(nextPlace)
            nextPlace = (nextPlace + 1) & (Self.countMax - 1)
        }
        unsafe entries[place] = entry
        byteCount += entry.byteCount
    }

    private func empty(_ place: Int) {
        byteCount -= unsafe entries[place].byteCount
        unsafe entries[place] = Entry()
    }
}
