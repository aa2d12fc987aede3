import Tables

/// The events of the last minutes, and the subscriptions that may have missed them: their sockets are closed, or seem open
/// and are dead.
///
/// amplify-swift starts its subscriptions again with their old identifiers when it has a new socket, and does not sync
/// (reference: datastore-sync, "Replay of missed events"). What was committed in between is in here. A dead socket is
/// noticed late, and what was written into it is lost as well: so the replay begins some time before the socket was
/// closed, and devices drop by its version what they have already. A value; the queues guard it.
struct ReplayLog {
    private struct Entry {
        let event: PublishedEvent
        let milliseconds: Int64
    }

    /// A subscription that may begin again.
    private struct Ticket {
        var since: UInt64
        /// How many sockets hold it now.
        var openCount: Int
        /// When the last of them was closed.
        var goneMilliseconds: Int64
        /// Held from then on, so that their events go on to be made.
        var topics: [Topic]
    }

    /// How much earlier than the loss of a socket was noticed it may have happened: a silent client is pinged after a
    /// minute, and given up after another.
    static let marginMilliseconds: Int64 = 120_000

    private var entries: [Entry] = []
    /// Entries in front of this one are out.
    private var first = 0
    private(set) var byteCount = 0
    private var tickets: [ReplayKey: Ticket] = [:]
    private var goneCount = 0
    /// None was removed before.
    private var firstGoneMilliseconds: Int64 = 0

    init() {}

    /// Events that are kept.
    var count: Int { entries.count - first }

    // MARK: - Subscriptions

    /// A subscription begins, or begins again; it listens already.
    /// - Parameter number: The last event that had left.
    /// - Returns: The number after which published events are replayed to it; `nil` for one that is new.
    mutating func open(_ key: ReplayKey, at number: UInt64, now: Int64, _ limits: APILimits) -> UInt64? {
        expire(now, limits)
        guard var ticket = tickets[key] else {
            tickets[key] = Ticket(since: number, openCount: 1, goneMilliseconds: 0, topics: [])
            return nil
        }
        let since = max(ticket.since, self.number(at: now - Self.marginMilliseconds))
        if ticket.openCount == 0 {
            letGo(&ticket)
            goneCount -= 1
        }
        ticket.openCount += 1
        tickets[key] = ticket
        return ticket.openCount == 1 ? ticket.since : since
    }

    /// One of a subscription's sockets is closed, or the client has stopped it, which it also does before it begins
    /// again.
    mutating func close(_ key: ReplayKey, topics: [Topic], now: Int64, _ limits: APILimits) {
        expire(now, limits)
        guard var ticket = tickets[key] else { return }
        ticket.openCount -= 1
        if ticket.openCount == 0 {
            ticket.since = max(ticket.since, number(at: now - Self.marginMilliseconds))
            ticket.goneMilliseconds = now
            ticket.topics = topics
            for topic in topics { topic.hold() }
            if goneCount == 0 { firstGoneMilliseconds = now }
            goneCount += 1
        }
        tickets[key] = ticket
        if goneCount > limits.replaySubscriptionsMax { forget(key) }
    }

    // MARK: - Events

    mutating func append(_ event: PublishedEvent, now: Int64, _ limits: APILimits) {
        guard !tickets.isEmpty, event.event.row?.table.table.isVersioned == true else { return }
        expire(now, limits)
        guard !tickets.isEmpty else { return }
        entries.append(Entry(event: event, milliseconds: now))
        byteCount += event.event.byteCount
        while byteCount > limits.replayBytesMax, count > 0 { removeFirst() }
    }

    /// What left after an event, in its order.
    func events(after number: UInt64) -> [PublishedEvent] {
        entries[partition { $0.event.number <= number }...].map(\.event)
    }

    /// The last event that had left by then, as far as it is known; 0 when none is.
    private func number(at milliseconds: Int64) -> UInt64 {
        let end = partition { $0.milliseconds <= milliseconds }
        return end > first ? entries[end - 1].event.number : 0
    }

    /// Where the entries end that are so; those after them are not.
    private func partition(_ isSo: (Entry) -> Bool) -> Int {
        var (low, high) = (first, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if isSo(entries[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: - Bounds

    private mutating func expire(_ now: Int64, _ limits: APILimits) {
        let end = now - Int64(limits.replaySeconds) * 1_000
        while count > 0, entries[first].milliseconds < end { removeFirst() }
        guard goneCount > 0, firstGoneMilliseconds < end else { return }
        for (key, ticket) in tickets where ticket.openCount == 0 && ticket.goneMilliseconds < end { forget(key) }
        firstGoneMilliseconds =
            tickets.values.lazy.filter { $0.openCount == 0 }.map(\.goneMilliseconds).min() ?? now
    }

    private mutating func forget(_ key: ReplayKey) {
        guard var ticket = tickets.removeValue(forKey: key) else { return }
        letGo(&ticket)
        goneCount -= 1
        guard tickets.isEmpty else { return }
        (entries, first, byteCount) = ([], 0, 0)
    }

    private func letGo(_ ticket: inout Ticket) {
        for topic in ticket.topics { topic.letGo() }
        ticket.topics = []
    }

    private mutating func removeFirst() {
        byteCount -= entries[first].event.event.byteCount
        first += 1
        // As many moves as removals, all in all.
        guard first > 64, first * 2 > entries.count else { return }
        entries.removeFirst(first)
        first = 0
    }
}
