import GraphQL
import JSON
import Tables

// Events to the loop's subscribers.

extension LoopContext {
    /// Takes all that the inbox holds. In a turn of the loop of its own.
    func deliverEvents() {
        let (events, hasLost) = inbox.take()
        guard !hasLost else {
            for group in registry.groups.values { end(group, [.eventsLost]) }
            return
        }
        for event in events {
            let (groups, visitCount) = registry.groups(wanting: event)
            statistics.groupsVisited(visitCount)
            for group in groups where event.number > group.replayedThrough { deliver(event, to: group) }
        }
    }

    /// Completes the group's selection of an event, on the loop if that is short.
    func deliver(_ event: PublishedEvent, to group: SubscriptionGroup) {
        guard !group.members.isEmpty else { return }
        let limits = group.operation.api.options.limits
        guard !group.isBusy else {
            guard group.backlog.count < limits.eventInboxCountMax else { return end(group, [.eventsLost]) }
            return group.backlog.append(event)
        }
        noticeMissing(event.event, group)
        if event.event.row != nil { beginRequest(.loop(steps: limits.readStepsMax)) }
        do throws(StoreError) {
            let operation = group.operation
            var completion = Completion(
                scope: operation.scope(as: group.identity, reader), writer: takeWriter())
            try completion.completeEvent(event.event, of: operation)
            let writer = completion.takeWriter()
            let message = EventMessage(number: event.number, payload: writer.bytes)
            giveBack(writer)
            send(message, to: group)
        } catch {
            guard error.code == .movedOff else { return end(group, [.notCompleted]) }
            deliverFromWorker(event, to: group)
        }
    }

    private func send(_ message: EventMessage, to group: SubscriptionGroup) {
        var count = 0
        // Whoever receives may cancel others, also of this group.
        for (handle, member) in group.members where member.since < message.number && registry.isOpen(handle) {
            member.subscriber.receive(message)
            count += 1
        }
        statistics.eventsDelivered(count)
    }

    /// The selection on a worker's connection; events behind it wait for it.
    private func deliverFromWorker(_ event: PublishedEvent, to group: SubscriptionGroup) {
        let (operation, identity, executor) = (group.operation, group.identity, executor)
        let (api, limits) = (operation.api, operation.api.options.limits)
        let deadline = ContinuousClock.now + .seconds(limits.executionSeconds)
        let delivery = Unchecked((context: self, group: group))
        statistics.readMovedOff()
        group.isBusy = true
        let isQueued = api.workers.run(queuedMax: limits.workerQueueCountMax) { lent in
            let outcome: Result<EventMessage, StoreError>
            do throws(StoreError) {
                let reader = try lent.get()
                reader.beginRequest(budget: .worker(deadline: deadline))
                defer { reader.endTurn() }
                var completion = Completion(
                    scope: operation.scope(as: identity, reader), writer: JSONWriter(capacity: 64 << 10))
                try completion.completeEvent(event.event, of: operation)
                outcome = .success(EventMessage(number: event.number, payload: completion.takeWriter().bytes))
            } catch { outcome = .failure(error) }
            executor.execute { delivery.value.context.finish(outcome, of: delivery.value.group) }
        }
        if !isQueued { finish(.failure(StoreError(.busy, "Too many long reads are waiting.")), of: group) }
    }

    private func finish(_ outcome: Result<EventMessage, StoreError>, of group: SubscriptionGroup) {
        switch outcome {
        case .success(let message): send(message, to: group)
        case .failure: end(group, [.notCompleted])
        }
        resume(group, with: group.backlog)
    }

    /// Delivers what has waited; one event that is long makes the rest wait again. Where a reload has put other groups
    /// in the place of this one, perhaps others yet in theirs, it is they who go on.
    private func resume(_ group: SubscriptionGroup, with backlog: [PublishedEvent]) {
        group.isBusy = false
        group.backlog = []
        for successor in group.successors { resume(successor, with: backlog + successor.backlog) }
        guard group.successors.isEmpty else { return }
        for event in backlog { deliver(event, to: group) }
    }

    /// Says once which selected fields a mutation leaves null because it has not selected them itself.
    private func noticeMissing(_ event: Event, _ group: SubscriptionGroup) {
        guard event.row == nil, group.isFirst(from: event.origin) else { return }
        let operation = group.operation
        let notices = operation.api.notices
        for field in event.tree.fields(missingFor: operation.subscription.shape, operation.variables) {
            guard notices.isNew(field, in: operation.plan.operation.document.source.bytes) else { continue }
            operation.api.environment.notice(
                .notSelected(field: field, mutation: event.topic.name, subscription: operation.field.fieldName))
        }
    }
}

extension SubscriptionOperation {
    func scope(as identity: Identity, _ reader: Reader) -> Completion.Scope {
        Completion.Scope(
            api: api, plan: plan, variables: variables, identity: identity, source: Completion.Source(reader: reader))
    }
}
