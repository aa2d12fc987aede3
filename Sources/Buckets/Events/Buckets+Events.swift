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

    /// Counts committed events. As many of the oldest as there are beyond `eventsMax` are dropped.
    func noteQueued(_ queued: [EventRecord]) async {
        guard !queued.isEmpty else { return }
        events.add(queued.count)
        var droppedCount = 0
        for _ in 0..<Self.dropsMax {
            guard let count = events.count, count > limits.eventsMax,
                let number = try? await dropOldestEvents(min(count - limits.eventsMax, Self.droppedMax))
            else { break }
            droppedCount += number
        }
        if let count = events.drop(droppedCount, now) { noteDroppedEvents(count) }
    }

    /// Transactions of dropped events after one change, including those that another change or a delivery forestalls.
    private static let dropsMax = 200
    /// Events that are dropped in one transaction.
    private static let droppedMax = 500

    /// Drops the oldest events in one transaction.
    ///
    /// - Returns: The number of dropped events; 0 if one of them was changed meanwhile.
    private func dropOldestEvents(_ number: Int) async throws(S3Error) -> Int {
        let oldest = try await metadata.read { reader throws(S3Error) in
            var oldest: [EventRecord] = []
            try reader.forEach(EventRecord.self, in: EventRecord.all) { event throws(S3Error) in
                oldest.append(event)
                return oldest.count < number
            }
            return oldest
        }
        guard !oldest.isEmpty, try await commit(oldest.map { .delete($0) }) else { return 0 }
        events.add(-oldest.count)
        return oldest.count
    }

    /// Returns the events that are due, in the order of their due times. Events stay in the queue until `removeEvent`,
    /// so each is delivered at least once.
    public func dueEvents(limit: Int) async throws(S3Error) -> [QueuedEvent] {
        let now = now
        let due = try await metadata.read { reader throws(S3Error) in
            var due: [EventRecord] = []
            let sort = SortCondition(sortOperator: .le, operands: [[.integer(now)]])
            try reader.forEach(EventRecord.self, index: EventRecord.byNext, in: EventRecord.all, where: sort) {
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
    public func removeEvent(_ id: String) async throws(S3Error) {
        while let event = try await event(id) {
            if try await commit([.delete(event)]) { return events.add(-1) }
        }
    }

    /// Reschedules an event after a failed delivery.
    ///
    /// - Parameter next: The time of the next attempt, in milliseconds since 1970.
    public func postponeEvent(_ id: String, until next: Int64) async throws(S3Error) {
        while var event = try await event(id) {
            event.attemptCount += 1
            event.next = next
            if try await commit([.replace(event)]) { return }
        }
    }

    private func event(_ id: String) async throws(S3Error) -> EventRecord? {
        try await metadata.read { reader throws(S3Error) in
            try reader.record(EventRecord.self, .text(EventRecord.all), .text(id))
        }
    }
}
