import Tables

// Subscriptions that come back.

extension LoopContext {
    /// A subscription that may come back begins, or has come back: then what it missed is for it.
    func open(_ key: ReplayKey, _ handle: SubscriptionHandle) {
        guard let (group, _) = registry.member(handle) else { return }
        let opening = group.operation.api.environment.publisher.lanes.open(key)
        group.members[handle]?.since = opening.lastNumber
        let missed = opening.events.filter { group.operation.wants($0.event) }
        if !missed.isEmpty { group.members[handle]?.replay = Replay(missed) }
    }

    /// It has ended, and may come back.
    func close(_ member: SubscriptionGroup.Member, of group: SubscriptionGroup) {
        guard let key = member.replayKey else { return }
        group.operation.api.environment.publisher.lanes.close(key, topics: group.operation.subscription.topics)
    }

    /// Tells a subscription that has come back what it missed. To be called once, when its acknowledgement is sent.
    public func replay(to handle: SubscriptionHandle) {
        // The subscriber may cancel it, and a reload may take it to another group: so it is looked up each time.
        while let (group, member) = registry.member(handle), let replay = member.replay, !replay.isOver {
            guard let event = replay.next() else {
                for message in replay.finish() where registry.isOpen(handle) { send(message, to: member) }
                return
            }
            let outcome = complete(event, of: group.operation, as: member.identity) {
                (context, outcome) in
                context.tell(outcome, missedBy: handle)
                context.replay(to: handle)
            }
            guard let outcome else { return }
            tell(outcome, missedBy: handle)
        }
    }

    private func tell(_ outcome: Result<EventMessage, StoreError>, missedBy handle: SubscriptionHandle) {
        guard let (group, member) = registry.member(handle) else { return }
        switch outcome {
        case .success(let message): send(message, to: member)
        case .failure: end([handle], of: group, [.notCompleted])
        }
    }
}

extension SubscriptionOperation {
    /// Whether an event is for its subscribers.
    fileprivate func wants(_ event: Event) -> Bool {
        subscription.topics.contains { $0 === event.topic } && filter.holds(of: event.tree)
    }
}
