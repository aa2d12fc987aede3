// The subscriptions of a loop's sockets.

extension LoopContext {
    /// Registers a subscription.
    func register(
        _ operation: SubscriptionOperation, as identity: Identity, for subscriber: any Subscriber
    ) throws(RealtimeError) -> SubscriptionHandle {
        let publisher = operation.api.environment.publisher
        let countMax = operation.api.options.limits.subscriptionsPerServerMax
        guard publisher.open(countMax: countMax) else { throw .tooMany(countMax) }
        let handle = registry.makeHandle()
        let member = SubscriptionGroup.Member(
            subscriber: subscriber, identity: identity, since: publisher.lanes.lastNumber)
        registry.insert(member, as: handle, of: operation, inbox)
        statistics.subscriptionsChanged(countNow: registry.count)
        return handle
    }

    /// Ends a subscription: nothing more is received, and `end` is not called. One that has ended already is no error.
    public func cancel(_ handle: SubscriptionHandle) {
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
