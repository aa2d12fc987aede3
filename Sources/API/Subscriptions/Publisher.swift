import Synchronization
import Tables

/// Takes events from the mutations that made them to the loops whose subscribers wait for them.
///
/// One for a store: it outlives the APIs that a reload replaces, so that a mutation which began under the old one
/// reaches the subscribers that stayed. Safe to use from any thread.
public final class Publisher: Sendable {
    let lanes: EventLanes
    /// What the plans of all APIs over the store may take.
    let plans = PlanBudget()
    private let subscriptionCount = Atomic(0)
    private let topics = Mutex<[String: Topic]>([:])

    /// A publisher without subscribers.
    /// - Parameter nowMilliseconds: The time, by which events are kept for those who come back.
    public init(nowMilliseconds: @escaping @Sendable () -> Int64) {
        lanes = EventLanes(nowMilliseconds: nowMilliseconds)
    }

    /// Subscriptions that are open now, of all loops.
    public var openSubscriptionCount: Int { subscriptionCount.load(ordering: .relaxed) }

    /// About how many bytes of memory plans take now, of all loops.
    public var planBytesNow: Int { plans.bytesNow }

    /// Counts a subscription, unless there are as many as may be.
    func open(countMax: Int) -> Bool {
        if subscriptionCount.add(1, ordering: .relaxed).newValue <= countMax { return true }
        close(1)
        return false
    }

    func close(_ count: Int) { subscriptionCount.subtract(count, ordering: .relaxed) }

    /// What follows a field of `Mutation`; made when a schema first has a subscription to it.
    func topic(of mutation: String) -> Topic {
        topics.withLock { topics in
            if let topic = topics[mutation] { return topic }
            let topic = Topic(name: mutation, number: topics.count, lanes: lanes)
            topics[mutation] = topic
            return topic
        }
    }
}

/// A field of `Mutation` that subscriptions follow, by its name. It counts its subscribers and observes the commits, so
/// that a commit without subscribers costs one read of a counter.
final class Topic: CommitObserver, Sendable {
    let name: String
    /// Its place among the topics of its publisher.
    let number: Int
    let lanes: EventLanes
    /// How many loops have subscribers.
    private let listenerCount = Atomic(0)

    fileprivate init(name: String, number: Int, lanes: EventLanes) {
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
