/// The subscriptions of one loop: by their handles, in groups, and indexed by what they listen to.
///
/// A loop attaches its inbox to a topic with the first group that follows it, and takes it away with the last.
struct SubscriptionRegistry {
    /// The API that the groups belong to.
    var api: GraphQLAPI?
    private(set) var groups: [ObjectIdentifier: SubscriptionGroup] = [:]
    /// The group that the next subscriber with this key joins.
    private var joinable: [SubscriptionOperation.Key: SubscriptionGroup] = [:]
    private var groupOfHandle: [SubscriptionHandle: SubscriptionGroup] = [:]
    /// By topic.
    private var indexes: [Int: GroupIndex] = [:]
    /// The topics that the inbox is attached to.
    private var topics: [Int: Topic] = [:]
    /// Subscriptions, by topic.
    private var subscriptionCounts: [Int: Int] = [:]
    private var lastHandle: UInt64 = 0
    /// The callers by their numbers, with how many subscriptions each has and what it takes.
    private var callers: [Int: (count: Int, byteCount: Int)] = [:]
    /// What the callers and the filters of the groups take, in bytes.
    private(set) var byteCount = 0

    init() {}

    /// An empty one for another API. It gives no handle a second time, and goes on to listen to what the old one
    /// listened to, until `stopListening`.
    init(following old: SubscriptionRegistry, api: GraphQLAPI) {
        self.api = api
        lastHandle = old.lastHandle
        topics = old.topics
    }

    var count: Int { groupOfHandle.count }

    mutating func makeHandle() -> SubscriptionHandle {
        lastHandle += 1
        return SubscriptionHandle(number: lastHandle)
    }

    func isOpen(_ handle: SubscriptionHandle) -> Bool { groupOfHandle[handle] != nil }

    /// How many subscriptions follow a topic.
    func subscriptionCount(of topic: Topic) -> Int { subscriptionCounts[topic.number] ?? 0 }

    /// Begins to look for the groups that want an event.
    func search(for event: PublishedEvent) -> GroupSearch {
        indexes[event.event.topic.number]?.search(for: event) ?? GroupSearch(for: event, in: [])
    }

    /// Adds a subscription to the group of its kind, which begins to exist here if need be.
    mutating func insert(
        _ member: SubscriptionGroup.Member, as handle: SubscriptionHandle, of operation: SubscriptionOperation,
        _ inbox: EventInbox
    ) {
        let group: SubscriptionGroup
        if let present = joinable[operation.key] {
            group = present
        } else {
            group = SubscriptionGroup(operation, for: member.identity)
            joinable[operation.key] = group
            insert(group, inbox)
        }
        group.members[handle] = member
        groupOfHandle[handle] = group
        addSubscriptions(1, of: group)
        add(member.identity)
    }

    /// Adds a group of its own for subscriptions that go on from another one.
    mutating func insert(_ group: SubscriptionGroup, _ inbox: EventInbox) {
        groups[ObjectIdentifier(group)] = group
        byteCount += group.operation.filter.byteCount
        for (handle, member) in group.members {
            groupOfHandle[handle] = group
            add(member.identity)
        }
        addSubscriptions(group.members.count, of: group)
        for topic in Self.topics(of: group) {
            indexes[topic.number, default: GroupIndex()].insert(group)
            if topics.updateValue(topic, forKey: topic.number) == nil { topic.attach(inbox) }
        }
    }

    func member(_ handle: SubscriptionHandle) -> (SubscriptionGroup, SubscriptionGroup.Member)? {
        groupOfHandle[handle].flatMap { group in group.members[handle].map { (group, $0) } }
    }

    /// Ends a subscription; false when it has ended already.
    mutating func remove(_ handle: SubscriptionHandle, _ inbox: EventInbox) -> Bool {
        guard let group = groupOfHandle.removeValue(forKey: handle) else { return false }
        if let member = group.members.removeValue(forKey: handle) {
            addSubscriptions(-1, of: group)
            remove(member.identity)
        }
        if group.members.isEmpty { remove(group, inbox) }
        return true
    }

    private mutating func remove(_ group: SubscriptionGroup, _ inbox: EventInbox) {
        guard groups.removeValue(forKey: ObjectIdentifier(group)) != nil else { return }
        byteCount -= group.operation.filter.byteCount
        if joinable[group.operation.key] === group { joinable[group.operation.key] = nil }
        for topic in Self.topics(of: group) {
            indexes[topic.number]?.remove(group)
            if indexes[topic.number]?.isEmpty == true { indexes[topic.number] = nil }
        }
        stopListening(inbox)
    }

    /// What a subscription would take that is not here yet, in bytes.
    func newByteCount(_ operation: SubscriptionOperation, _ identity: Identity) -> Int {
        (callers[identity.number] == nil ? identity.byteCount : 0)
            + (joinable[operation.key] == nil ? operation.filter.byteCount : 0)
    }

    /// Counts subscriptions that a group has more or fewer.
    private mutating func addSubscriptions(_ difference: Int, of group: SubscriptionGroup) {
        guard difference != 0 else { return }
        for topic in Self.topics(of: group) {
            let count = (subscriptionCounts[topic.number] ?? 0) + difference
            subscriptionCounts[topic.number] = count > 0 ? count : nil
        }
    }

    private mutating func add(_ identity: Identity) {
        let known = callers[identity.number]
        let caller = known ?? (count: 0, byteCount: identity.byteCount)
        if known == nil { byteCount += caller.byteCount }
        callers[identity.number] = (count: caller.count + 1, byteCount: caller.byteCount)
    }

    private mutating func remove(_ identity: Identity) {
        guard let caller = callers[identity.number] else { return }
        if caller.count > 1 {
            callers[identity.number] = (count: caller.count - 1, byteCount: caller.byteCount)
        } else {
            callers[identity.number] = nil
            byteCount -= caller.byteCount
        }
    }

    /// Takes the inbox away from the topics that no group follows.
    mutating func stopListening(_ inbox: EventInbox) {
        for (number, topic) in topics where indexes[number] == nil {
            topics[number] = nil
            topic.detach(inbox)
        }
    }

    /// Takes the inbox away from all topics.
    func detach(_ inbox: EventInbox) {
        for topic in topics.values { topic.detach(inbox) }
    }

    /// Each topic once, however often a field names it.
    private static func topics(of group: SubscriptionGroup) -> [Topic] {
        var topics: [Topic] = []
        for topic in group.operation.subscription.topics where !topics.contains(where: { $0 === topic }) {
            topics.append(topic)
        }
        return topics
    }
}
