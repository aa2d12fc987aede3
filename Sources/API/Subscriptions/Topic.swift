import Synchronization
import Tables

/// A field of `Mutation` that subscriptions follow, by its name. It counts its subscribers and observes the commits, so
/// that a commit without subscribers costs one read of a counter.
final class Topic: CommitObserver, Sendable {
    let name: String
    /// Its place among the topics of its publisher.
    let number: Int
    let eventQueues: EventQueues
    /// How many loops have subscribers.
    private let listenerCount = Atomic(0)

    init(name: String, number: Int, eventQueues: EventQueues) {
        self.name = name
        self.number = number
        self.eventQueues = eventQueues
    }

    /// Whether a change made before this call has to be published.
    var isListenedTo: Bool { listenerCount.load(ordering: .sequentiallyConsistent) > 0 }

    /// From now on a loop receives the events of what is committed: when this returns, the counter is raised.
    func attach(_ inbox: EventInbox) {
        eventQueues.attach(inbox, to: self)
        listenerCount.add(1, ordering: .sequentiallyConsistent)
    }

    /// Has events made without subscribers: for subscriptions that may be resumed.
    func hold() { listenerCount.add(1, ordering: .sequentiallyConsistent) }

    func letGo() { listenerCount.subtract(1, ordering: .sequentiallyConsistent) }

    func detach(_ inbox: EventInbox) {
        listenerCount.subtract(1, ordering: .sequentiallyConsistent)
        eventQueues.detach(inbox, from: self)
    }

    // Whether there will be an event is decided here, after the commit and before anyone knows of it: a subscription
    // that was acknowledged before the commit is counted by now.
    func committed(_ write: Write, sequence: UInt64) {
        guard isListenedTo else { return }
        var queue = Hasher()
        queue.combine(write.table.table.name)
        queue.combine(write.key)
        eventQueues.expect(sequence, of: self, queue: queue.finalize())
    }
}
