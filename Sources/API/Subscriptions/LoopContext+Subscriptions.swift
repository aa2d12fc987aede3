// The subscriptions of a loop's sockets.

extension LoopContext {
    /// Registers a subscription. With a key it may come back, or has: then `replay` tells it first what it may have missed.
    func register(
        _ operation: SubscriptionOperation, as identity: Identity, for subscriber: any Subscriber, _ key: ReplayKey?
    ) throws(RealtimeError) -> SubscriptionHandle {
        let publisher = operation.api.environment.publisher
        let countMax = operation.api.options.limits.subscriptionsPerServerMax
        guard publisher.open(countMax: countMax) else { throw .tooMany(countMax) }
        let handle = registry.makeHandle()
        let member = SubscriptionGroup.Member(
            subscriber: subscriber, identity: identity, since: publisher.lanes.lastNumber, replayKey: key)
        if let key {
            register(member, as: handle, of: operation, key)
        } else {
            registry.insert(member, as: handle, of: operation, inbox)
        }
        statistics.subscriptionsChanged(countNow: registry.count)
        return handle
    }

    /// In a group of its own, for what it missed is its own.
    private func register(
        _ member: SubscriptionGroup.Member, as handle: SubscriptionHandle, of operation: SubscriptionOperation,
        _ key: ReplayKey
    ) {
        let group = SubscriptionGroup(operation, for: member.identity)
        group.members[handle] = member
        registry.insert(group, inbox)
        let (missed, through) = operation.api.environment.publisher.lanes.open(key)
        group.missed = missed.filter { event in
            operation.subscription.topics.contains { $0 === event.event.topic }
                && operation.filter.holds(of: event.event.tree)
        }
        guard let first = group.missed.first else { return }
        group.members[handle]?.since = min(first.number - 1, member.since)
        group.replayedThrough = through
    }

    /// Tells a subscription that has come back what it may have missed. To be called once its acknowledgement is sent.
    public func replay(to handle: SubscriptionHandle) {
        guard let (group, _) = registry.member(handle), !group.missed.isEmpty else { return }
        let missed = group.missed
        group.missed = []
        for event in missed { deliver(event, to: group) }
    }

    /// Ends a subscription: nothing more is received, and `end` is not called. One that has ended already is no error.
    public func cancel(_ handle: SubscriptionHandle) {
        if let (group, member) = registry.member(handle), let key = member.replayKey {
            group.operation.api.environment.publisher.lanes.close(key, topics: group.operation.subscription.topics)
        }
        guard registry.remove(handle, inbox) else { return }
        registry.api?.environment.publisher.close(1)
        statistics.subscriptionsChanged(countNow: registry.count)
    }

    /// Ends some of a group's subscriptions with an error.
    func end(_ handles: [SubscriptionHandle], of group: SubscriptionGroup, _ errors: [RealtimeError]) {
        for handle in handles {
            guard let member = group.members[handle], registry.isOpen(handle) else { continue }
            cancel(handle)
            member.subscriber.end(errors)
        }
    }

    func end(_ group: SubscriptionGroup, _ errors: [RealtimeError]) {
        end(Array(group.members.keys), of: group, errors)
    }
}
