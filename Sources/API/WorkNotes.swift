import Synchronization

/// What operators are shown of a mutation that is recorded or explained, beside what was read: its writes and their events.
/// Requests that nobody looks at have none.
///
/// The mutation adds to it on one thread at a time, and loops count in its events after the answer; any thread may read it.
public final class WorkNotes: Sendable {
    /// Writes, and events, that are noted of a request.
    static let countMax = 64

    private let noted = Mutex<(writes: [WriteNote], events: [EventNote])>(([], []))

    /// The first writes, in their order.
    public var writes: [WriteNote] { noted.withLock { $0.writes } }

    /// The events of writes and functions, in their order.
    public var events: [EventNote] { noted.withLock { $0.events } }

    /// Whether all loops have matched all events.
    public var isComplete: Bool { events.allSatisfy { $0.counts != nil } }

    func add(_ write: WriteNote) {
        noted.withLock { noted in
            guard noted.writes.count < Self.countMax else { return }
            noted.writes.append(write)
        }
    }

    /// Begins to count the subscriptions that an event reaches; nil if there are too many events.
    func addEvent(of topic: Topic) -> EventNote? {
        noted.withLock { noted -> EventNote? in
            guard noted.events.count < Self.countMax else { return nil }
            let note = EventNote(topic: topic.name)
            noted.events.append(note)
            return note
        }
    }
}
