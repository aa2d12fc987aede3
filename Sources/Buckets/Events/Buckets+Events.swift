public import JSON
import Tables

extension Buckets {
    /// An object event that is to be delivered to a function.
    public struct QueuedEvent: Sendable {
        /// Ascending with the time of the change.
        public let id: String
        /// The function, by its name in the configuration.
        public let function: String
        /// The event that the function receives: `{"Records":[…]}`.
        public let payload: JSONValue
        /// Number of delivery attempts so far.
        public let attemptCount: Int
    }

    /// The records of the events of changes in one bucket, for each trigger that an event matches. Call it after the objects
    /// were read that the changes replace, so that a later change of a key has a larger sequencer.
    func queue(_ changes: [ObjectEvent]) async throws(S3Error) -> [EventRecord] {
        guard let bucket = changes.first?.bucket,
            let triggers = (try? directory.bucket(bucket))?.settings?.triggers, !triggers.isEmpty
        else { return [] }
        let region = directory.region
        var records: [EventRecord] = []
        for change in changes {
            let matching = triggers.filter { $0.matches(change.name.rawValue, change.key) }
            guard !matching.isEmpty else { continue }
            let sequencer = try await nextSequencer()
            for (index, trigger) in matching.enumerated() {
                records.append(
                    EventRecord(
                        id: "\(sequencer)-\(index)", function: trigger.function,
                        event: change.json(region: region, configurationID: trigger.id, sequencer: sequencer),
                        next: change.time))
            }
        }
        return records
    }

    /// The sequencer of an event: sixteen hexadecimal digits, larger than those of all events before, also of earlier processes
    /// and if the clock is set back.
    ///
    /// A sequencer is the time, or the last one plus one. The store has a bound below which all of them are, which is raised
    /// before it is reached, by a minute at a time. After a restart they continue from the bound.
    private func nextSequencer() async throws(S3Error) -> String {
        while true {
            if let number = events.nextSequencer(now) {
                let digits = String(number, radix: 16, uppercase: true)
                return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
            }
            let stored = try await metadata.read { reader throws(S3Error) in
                try reader.record(SequencerRecord.self, .text(SequencerRecord.all), .text(SequencerRecord.events))
            }
            var raised = stored ?? SequencerRecord(bound: 0)
            let first = max(raised.bound, events.firstSequencer(now))
            raised.bound = first + EventCounters.sequencersPerMinute
            // If another change has raised the bound meanwhile, it is read again.
            guard try await commit([stored == nil ? .insert(raised) : .replace(raised)]) else { continue }
            events.reserveSequencers(from: stored?.bound ?? 0, to: raised.bound)
        }
    }

    /// Counts committed events. If more than `eventsMax` are queued, as many of the oldest of the function with the most are
    /// dropped: the events of a function that does not answer never take the places of those of others.
    func noteQueued(_ queued: [EventRecord]) async {
        for event in queued { events.add(1, of: event.function) }
        guard !queued.isEmpty, events.isCounted else { return }
        var droppedCount = 0
        for _ in 0..<Self.dropsMax {
            guard let excess = events.excess(above: limits.eventsMax),
                let count = try? await dropOldestEvents(of: excess.function, min(excess.count, Self.droppedMax))
            else { break }
            droppedCount += count
        }
        if let count = events.drop(droppedCount, now) { noteDroppedEvents(count) }
    }

    /// Transactions of dropped events after one change, including those that another change or a delivery forestalls.
    private static let dropsMax = 200
    /// Events that are dropped in one transaction.
    private static let droppedMax = 500

    /// Drops the oldest events of a function in one transaction.
    ///
    /// - Returns: The number of dropped events; 0 if one of them was changed meanwhile.
    private func dropOldestEvents(of function: String, _ count: Int) async throws(S3Error) -> Int {
        let oldest = try await oldestEvents(in: function, limit: count)
        guard !oldest.isEmpty, try await commit(oldest.map { .delete($0) }) else { return 0 }
        events.add(-oldest.count, of: function)
        return oldest.count
    }

    /// A page of the oldest events of a partition that are not of a function.
    private func oldestEvents(
        in partition: String, notOf function: String? = nil, limit: Int
    ) async throws(S3Error) -> [EventRecord] {
        try await metadata.read { reader throws(S3Error) in
            var oldest: [EventRecord] = []
            try reader.forEach(EventRecord.self, in: partition) { event throws(S3Error) in
                if event.function != function { oldest.append(event) }
                return oldest.count < limit
            }
            return oldest
        }
    }

    /// Events of earlier releases that are brought into the partitions of their functions in one transaction.
    private static let adoptedMax = 100

    /// The functions that may have queued events.
    public func eventFunctions() async throws(S3Error) -> [String] {
        try await countEvents()
        return events.functions
    }

    /// Counts the events that earlier processes have left, by function. Events of earlier releases are brought into the
    /// partitions of their functions.
    func countEvents() async throws(S3Error) {
        guard !events.isCounted else { return }
        try await adoptEvents()
        var counts: [String: Int] = [:]
        var next: Position?
        repeat {
            let after = next
            let page = try await metadata.list { reader throws(S3Error) in
                try reader.counts(
                    by: EventRecord.table.columns[0].name, in: EventRecord.self, after: after, limit: 5_000)
            }
            counts.merge(page.counts, uniquingKeysWith: +)
            next = page.next
            guard !Task.isCancelled else { throw .slowDown }
        } while next != nil
        events.setCounts(counts)
    }

    private func adoptEvents() async throws(S3Error) {
        while true {
            // The function that has the name of the shared partition keeps its own events there.
            let page = try await oldestEvents(in: EventRecord.shared, notOf: EventRecord.shared, limit: Self.adoptedMax)
            guard !page.isEmpty else { return }
            // If one of them was delivered meanwhile, all are read again.
            _ = try await commit(page.map { .delete($0) } + page.map { .insert($0.adopted) })
        }
    }

    /// Returns the events of a function that are due, in the order of their due times. Events stay in the queue until
    /// `removeEvent`, so each is delivered at least once.
    public func dueEvents(of function: String, limit: Int) async throws(S3Error) -> [QueuedEvent] {
        let now = now
        let due = try await metadata.read { reader throws(S3Error) in
            var due: [EventRecord] = []
            let sort = SortCondition(sortOperator: .le, operands: [[.integer(now)]])
            try reader.forEach(EventRecord.self, index: EventRecord.byNext, in: function, where: sort) {
                event throws(S3Error) in
                due.append(event)
                return due.count < limit
            }
            return due
        }
        return due.map { event in
            QueuedEvent(
                id: event.id, function: event.function, payload: ["Records": [.object(event.event)]],
                attemptCount: Int(event.attemptCount))
        }
    }

    /// Removes an event after delivery, or when giving up.
    public func removeEvent(_ queued: QueuedEvent) async throws(S3Error) {
        while let event = try await event(queued) {
            if try await commit([.delete(event)]) { return events.add(-1, of: queued.function) }
        }
    }

    /// Reschedules an event after a failed delivery.
    ///
    /// - Parameter next: The time of the next attempt, in milliseconds since 1970.
    public func postponeEvent(_ queued: QueuedEvent, until next: Int64) async throws(S3Error) {
        while var event = try await event(queued) {
            event.attemptCount += 1
            event.next = next
            if try await commit([.replace(event)]) { return }
        }
    }

    private func event(_ queued: QueuedEvent) async throws(S3Error) -> EventRecord? {
        try await metadata.read { reader throws(S3Error) in
            try reader.record(EventRecord.self, .text(queued.function), .text(queued.id))
        }
    }
}
