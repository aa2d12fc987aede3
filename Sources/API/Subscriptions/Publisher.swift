import Synchronization

/// Takes events from the mutations that made them to the loops whose subscribers wait for them.
///
/// One for a store: it outlives the APIs that a reload replaces, so that a mutation which began under the old one
/// reaches the subscribers that stayed. Safe to use from any thread.
public final class Publisher: Sendable {
    let eventQueues: EventQueues
    /// What the plans of all APIs over the store may take.
    let plans = PlanBudget()
    /// The items that mutations write, for who follows them without a subscription.
    public let changes = ItemChanges()
    private let subscriptionCount = Atomic(0)
    private let subscriberBytes = Atomic(0)
    private let topics = Mutex<[String: Topic]>([:])

    /// A publisher without subscribers.
    /// - Parameter nowMilliseconds: The time, by which events are kept for those who come back.
    public init(nowMilliseconds: @escaping @Sendable () -> Int64) {
        eventQueues = EventQueues(nowMilliseconds: nowMilliseconds)
    }

    /// Subscriptions that are open now, of all loops.
    public var openSubscriptionCount: Int { subscriptionCount.load(ordering: .relaxed) }

    /// About how many bytes of memory plans take now, of all loops.
    public var planBytesNow: Int { plans.bytesNow }

    /// About how many bytes of memory the callers of open subscriptions and the filters take now, of all loops.
    public var subscriberBytesNow: Int { subscriberBytes.load(ordering: .relaxed) }

    /// Counts bytes of callers and filters; fewer than 0 are given back.
    func addSubscriberBytes(_ byteCount: Int) { subscriberBytes.add(byteCount, ordering: .relaxed) }

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
            let topic = Topic(name: mutation, number: topics.count, eventQueues: eventQueues)
            topics[mutation] = topic
            return topic
        }
    }
}
