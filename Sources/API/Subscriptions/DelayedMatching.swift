/// Groups whose filters search long texts of an event, which takes long. They are tested after all other groups, in the
/// order of the events, so that only subscriptions with such filters are delayed by them. On one loop only.
///
/// A group that waits here for one event also waits for all later ones, and so does every group of its model whose filter
/// searches texts. Clients that follow several fields of a model, as DataStore does, do so with the same filter, and must
/// receive an item's creation before its deletion (reference: datastore-sync, "Subscriptions of DataStore").
struct DelayedMatching {
    /// Bytes of text from which on a test counts as long: about 30 µs.
    static let longBytesMin = 8 << 10

    private struct Match {
        let event: PublishedEvent
        /// The groups, and the rules of each beside the equalities that the event meets.
        var entries: [GroupIndex.Entry] = []
    }

    private var matches: ArraySlice<Match> = []
    /// The entry of the first match that is tested, and its next conjunction.
    private var place = (entry: 0, conjunction: 0)
    /// What the events weigh, each once.
    private var byteCount = 0
    private var entryCount = 0
    /// The groups that wait, by model.
    private var entryCounts: [String: Int] = [:]

    var isEmpty: Bool { matches.isEmpty }

    /// Events that are not tested with all groups yet, in order.
    var events: [PublishedEvent] { matches.map(\.event) }

    /// All groups that wait.
    var groups: [SubscriptionGroup] {
        var seen: Set<ObjectIdentifier> = []
        return matches.flatMap { $0.entries.map(\.group) }.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// Whether a group must wait until earlier delayed events are tested.
    func holdsBack(_ entry: GroupIndex.Entry) -> Bool {
        guard !isEmpty else { return false }
        return entry.group.delayedCount > 0
            || entry.searchesText && entryCounts[entry.group.model] != nil
    }

    /// Adds a group for an event that is not older than those that are here; false when it would be one too many.
    mutating func append(_ entry: GroupIndex.Entry, for event: PublishedEvent, _ limits: APILimits) -> Bool {
        if matches.last?.event.number != event.number {
            byteCount += event.event.byteCount
            matches.append(Match(event: event))
        }
        entryCount += 1
        entryCounts[entry.group.model, default: 0] += 1
        entry.group.delayedCount += 1
        matches[matches.endIndex - 1].entries.append(entry)
        return byteCount <= limits.eventInboxBytesMax && entryCount <= limits.eventInboxCountMax
    }

    /// The next group that wants an event, each once for an event; nil when there is none or the allowance is spent.
    mutating func next(_ allowance: inout StepAllowance) -> (event: PublishedEvent, group: SubscriptionGroup)? {
        while let match = matches.first {
            guard !allowance.isSpent else { return nil }
            guard place.entry < match.entries.count else {
                byteCount -= match.event.event.byteCount
                matches.removeFirst()
                place = (0, 0)
                continue
            }
            let entry = match.entries[place.entry]
            guard place.conjunction < entry.rest.count, !entry.group.members.isEmpty,
                entry.group.lastMatch != match.event.number
            else {
                leaveEntry(entry)
                continue
            }
            place.conjunction += 1
            guard entry.rest[place.conjunction - 1].hold(of: match.event.event.tree, &allowance) else { continue }
            entry.group.lastMatch = match.event.number
            leaveEntry(entry)
            return (match.event, entry.group)
        }
        return nil
    }

    private mutating func leaveEntry(_ entry: GroupIndex.Entry) {
        entry.group.delayedCount -= 1
        entryCount -= 1
        let count = entryCounts[entry.group.model, default: 0] - 1
        entryCounts[entry.group.model] = count > 0 ? count : nil
        place = (place.entry + 1, 0)
    }

    /// Forgets all that waits.
    mutating func removeAll() {
        for (index, match) in matches.enumerated() {
            for entry in match.entries[(index == 0 ? place.entry : 0)...] { entry.group.delayedCount -= 1 }
        }
        self = DelayedMatching()
    }
}
