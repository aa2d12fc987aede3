import Synchronization
import Tables

/// A field of `Mutation` that subscriptions follow, by its name. It counts its subscribers and observes the commits, so
/// that a commit without subscribers costs one read of a counter.
final class Topic: CommitObserver, Sendable {
    let name: String
    /// Its place among the topics of its publisher.
    let number: Int
    let lanes: EventLanes
    /// How many loops have subscribers.
    private let listenerCount = Atomic(0)

    init(name: String, number: Int, lanes: EventLanes) {
        self.name = name
        self.number = number
        self.lanes = lanes
    }

    /// Whether a change made before this call has to be published.
    var isListenedTo: Bool { listenerCount.load(ordering: .sequentiallyConsistent) > 0 }

    /// From now on a loop receives the events of what is committed: when this returns, the counter is raised.
    func attach(_ inbox: EventInbox) {
        lanes.attach(inbox, to: self)
        listenerCount.add(1, ordering: .sequentiallyConsistent)
    }

    /// Has events made without subscribers: for subscriptions that may be resumed.
    func hold() { listenerCount.add(1, ordering: .sequentiallyConsistent) }

    func letGo() { listenerCount.subtract(1, ordering: .sequentiallyConsistent) }

    func detach(_ inbox: EventInbox) {
        listenerCount.subtract(1, ordering: .sequentiallyConsistent)
        lanes.detach(inbox, from: self)
    }

    // Whether there will be an event is decided here, after the commit and before anyone knows of it: a subscription
    // that was acknowledged before the commit is counted by now.
    func committed(_ write: Write, sequence: UInt64) {
        guard isListenedTo else { return }
        var lane = Hasher()
        lane.combine(write.table.table.name)
        lane.combine(write.key)
        lanes.expect(sequence, of: self, lane: lane.finalize())
    }
}
