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

    /// The events of a change, one for each trigger that it matches.
    func queue(_ event: ObjectEvent) -> [EventRecord] {
        let triggers = (try? directory.bucket(event.bucket))?.settings?.triggers ?? []
        let region = directory.region
        return triggers.filter { $0.matches(event.name.rawValue, event.key) }.enumerated().map { index, trigger in
            EventRecord(
                id: "\(event.sequencer)-\(index)", function: trigger.function,
                event: event.json(region: region, configurationID: trigger.id), next: event.time)
        }
    }

    /// Counts committed events. If more than `eventsMax` are queued, the oldest are dropped.
    func noteQueued(_ queued: [EventRecord]) async {
        guard !queued.isEmpty else { return }
        events.add(queued.count)
        guard let count = events.count, count > limits.eventsMax else { return }
        let oldest = try? await metadata.read { reader throws(S3Error) in
            var oldest: [EventRecord] = []
            try reader.forEach(EventRecord.self, in: EventRecord.all) { event throws(S3Error) in
                oldest.append(event)
                return oldest.count < 100
            }
            return oldest
        }
        for event in oldest ?? [] where (try? await commit([.delete(event)])) ?? false { events.add(-1) }
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
