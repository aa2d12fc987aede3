import Tables

// Subscriptions that come back.

extension LoopContext {
    /// A subscription that may come back begins, or has come back: then what it missed is for it.
    func open(_ key: ReplayKey, _ handle: SubscriptionHandle, besides others: [SubscriptionHandle]) {
        guard let (group, _) = registry.member(handle) else { return }
        let opening = group.operation.api.environment.publisher.eventQueues.open(key)
        group.members[handle]?.since = opening.lastNumber
        group.members[handle]?.receivedSince = opening.since ?? opening.lastNumber
        guard !opening.events.isEmpty else { return }
        let others = others.compactMap { registry.member($0) }.map { group, member in
            Replay.Other(operation: group.operation, receivedSince: member.receivedSince)
        }
        group.members[handle]?.replay = Replay(opening.events, to: group.operation, besides: others)
    }

    /// It has ended, and may come back.
    func close(_ member: SubscriptionGroup.Member, of group: SubscriptionGroup) {
        guard let key = member.replayKey else { return }
        group.operation.api.environment.publisher.eventQueues.close(key, topics: group.operation.subscription.topics)
    }

    /// Delivers to a resumed subscription what it missed, over several turns if that is much. To be called once, when its
    /// acknowledgement is sent.
    public func replay(to handle: SubscriptionHandle) {
        var allowance = newStepAllowance()
        // The subscriber may cancel it, and a reload may take it to another group: so it is looked up each time.
        while let (group, member) = registry.member(handle), let replay = member.replay, !replay.isOver {
            guard replay.findMissed(&allowance), !allowance.isSpent else {
                let context = Unchecked(self)
                return executor.executeAfterReads { context.value.replay(to: handle) }
            }
            switch replay.next() {
            case .missed(let event)?:
                allowance.charge(event.event.byteCount)
                let outcome = complete(event, of: group.operation, as: member.identity) { (context, outcome) in
                    context.deliver(outcome, missedBy: handle)
                    context.replay(to: handle)
                }
                guard let outcome else { return }
                deliver(outcome, missedBy: handle)
            case .waiting(let message)?:
                allowance.charge(message.payload.count)
                deliver(message, to: member)
            case nil: return
            }
        }
    }

    private func deliver(_ message: EventMessage, to member: SubscriptionGroup.Member) {
        member.subscriber.receive([message])
        statistics.eventsDelivered(1)
    }

    private func deliver(_ outcome: Result<EventMessage, StoreError>, missedBy handle: SubscriptionHandle) {
        guard let (group, member) = registry.member(handle) else { return }
        switch outcome {
        case .success(let message): deliver(message, to: member)
        case .failure: end([handle], of: group, [.notCompleted])
        }
    }
}
