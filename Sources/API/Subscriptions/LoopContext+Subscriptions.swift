import GraphQL

// The subscriptions of a loop's sockets.

extension LoopContext {
    /// Registers a subscription. With a key it can be resumed, or is: then `replay` first delivers what it may have missed.
    /// - Parameter others: The client's other subscriptions.
    func register(
        _ operation: SubscriptionOperation, as identity: Identity, for subscriber: any Subscriber, _ key: ReplayKey?,
        besides others: [SubscriptionHandle]
    ) throws(RealtimeError) -> SubscriptionHandle {
        let publisher = operation.api.environment.publisher
        let countMax = operation.api.options.limits.subscriptionsPerServerMax
        guard operation.plan.mayBeFollowed else { throw .planBytes(publisher.plans.subscriptionBytesMax) }
        let bytesMax = operation.api.options.limits.subscriberBytesMax
        guard publisher.subscriberBytesNow + registry.newByteCount(operation, identity) <= bytesMax else {
            throw .subscriberBytes(bytesMax)
        }
        guard publisher.open(countMax: countMax) else { throw .tooMany(countMax) }
        let handle = registry.makeHandle()
        let number = publisher.eventQueues.lastNumber
        let member = SubscriptionGroup.Member(
            subscriber: subscriber, identity: identity, since: number, replayKey: key, receivedSince: number)
        registry.insert(member, as: handle, of: operation, inbox)
        // Not before: the loop listens by now, so nothing falls between what is replayed and what comes.
        if let key { open(key, handle, besides: others) }
        countSubscriptions()
        return handle
    }

    /// Ends a subscription: nothing more is received, and `end` is not called. One that has ended already is no error.
    public func cancel(_ handle: SubscriptionHandle) {
        if let (group, member) = registry.member(handle) { close(member, of: group) }
        guard registry.remove(handle, inbox) else { return }
        registry.api?.environment.publisher.close(1)
        countSubscriptions()
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
        sendAll()
        end(Array(group.members.keys), of: group, errors)
    }
}
