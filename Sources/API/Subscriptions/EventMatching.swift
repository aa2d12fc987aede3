/// Events that a loop has taken from its inbox, of which the groups that want them are being found, one event after the
/// other. On its loop only.
struct EventMatching {
    private var events: ArraySlice<PublishedEvent>
    /// The search for the groups that want the first one; nil before it begins.
    var search: GroupSearch?

    init(_ events: [PublishedEvent] = []) { self.events = events[...] }

    var isEmpty: Bool { events.isEmpty }

    /// The event that is being matched, after its search has begun; nil when none is left.
    mutating func beginSearch(in registry: SubscriptionRegistry) -> PublishedEvent? {
        guard let event = events.first else { return nil }
        if search == nil { search = registry.search(for: event) }
        return event
    }

    /// All groups that want the event were found.
    mutating func endSearch() {
        events.removeFirst()
        search = nil
    }

    /// Begins the search again, because a reload replaces the groups: with `earlier` events that some groups have not been
    /// tested with, then with the event that is being matched.
    mutating func restart(from earlier: [PublishedEvent]) {
        search = nil
        let first = events.first?.number ?? .max
        events = earlier.filter { $0.number < first } + events
    }
}
