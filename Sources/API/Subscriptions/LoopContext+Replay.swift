import Tables

// Subscriptions that come back.

extension LoopContext {
    /// A subscription that may come back begins, or has come back: then what it missed is for it.
    func open(_ key: ReplayKey, _ handle: SubscriptionHandle, besides others: [SubscriptionHandle]) {
        guard let (group, _) = registry.member(handle) else { return }
        let opening = group.operation.api.environment.publisher.lanes.open(key)
        group.members[handle]?.since = opening.lastNumber
        group.members[handle]?.heardSince = opening.since ?? opening.lastNumber
        let missed = missed(of: opening.events, by: group.operation, besides: others)
        if !missed.isEmpty { group.members[handle]?.replay = Replay(missed) }
    }

    /// It has ended, and may come back.
    func close(_ member: SubscriptionGroup.Member, of group: SubscriptionGroup) {
        guard let key = member.replayKey else { return }
        group.operation.api.environment.publisher.lanes.close(key, topics: group.operation.subscription.topics)
    }

    /// What is replayed to a subscription: all that it wants, unless the client has heard of a newer state of the item.
    ///
    /// A client begins its subscriptions again one by one, amplify-swift in no certain order. If `onDelete` comes before
    /// `onCreate`, an item that was created and deleted meanwhile would be deleted first and created then. It would stay
    /// on the device: amplify-swift drops the deletion of an item that it does not know, and remembers no version of it;
    /// amplify-js takes what arrives last for the newest (datastore-sync §§4.2, 4.3). amplify-android begins under new
    /// identifiers and syncs. So the states of an item are told to one client in their order, the last one always; an
    /// older one that is too late for that is superseded, and left out.
    private func missed(
        of events: [PublishedEvent], by operation: SubscriptionOperation, besides others: [SubscriptionHandle]
    ) -> [PublishedEvent] {
        let others = others.compactMap { registry.member($0) }.filter { group, _ in
            group.operation.subscription.row?.table.table.name == operation.subscription.row?.table.table.name
        }
        var superseded: Set<[Value]> = []
        var missed: [PublishedEvent] = []
        for event in events.reversed() {
            guard let row = event.event.row,
                row.table.table.name == operation.subscription.row?.table.table.name
            else { continue }
            if operation.wants(event.event) {
                if !superseded.contains(row.key) { missed.append(event) }
            } else if others.contains(where: { group, member in
                member.heardSince < event.number && group.operation.wants(event.event)
            }) {
                superseded.insert(row.key)
            }
        }
        return missed.reversed()
    }

    /// Tells a subscription that has come back what it missed. To be called once, when its acknowledgement is sent.
    public func replay(to handle: SubscriptionHandle) {
        // The subscriber may cancel it, and a reload may take it to another group: so it is looked up each time.
        while let (group, member) = registry.member(handle), let replay = member.replay, !replay.isOver {
            guard let event = replay.next() else {
                for message in replay.finish() where registry.isOpen(handle) { tell(message, to: member) }
                return
            }
            let outcome = complete(event, of: group.operation, as: member.identity) { (context, outcome) in
                context.tell(outcome, missedBy: handle)
                context.replay(to: handle)
            }
            guard let outcome else { return }
            tell(outcome, missedBy: handle)
        }
    }

    private func tell(_ message: EventMessage, to member: SubscriptionGroup.Member) {
        member.subscriber.receive([message])
        statistics.eventsDelivered(1)
    }

    private func tell(_ outcome: Result<EventMessage, StoreError>, missedBy handle: SubscriptionHandle) {
        guard let (group, member) = registry.member(handle) else { return }
        switch outcome {
        case .success(let message): tell(message, to: member)
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
