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
            for group in groups { deliver(event, to: group) }
        }
    }

    /// Completes the group's selection of an event, once for all members. What comes while a worker does it waits.
    func deliver(_ event: PublishedEvent, to group: SubscriptionGroup) {
        guard !group.members.isEmpty else { return }
        guard !group.isBusy else {
            let countMax = group.operation.api.options.limits.eventInboxCountMax
            guard group.backlog.count < countMax else { return end(group, [.eventsLost]) }
            return group.backlog.append(event)
        }
        noticeMissing(event.event, group)
        let outcome = complete(event, of: group.operation, as: group.identity) { (context, outcome) in
            context.tell(outcome, to: group)
            context.resume(group, with: group.backlog)
        }
        guard let outcome else { return group.isBusy = true }
        tell(outcome, to: group)
    }

    private func tell(_ outcome: Result<EventMessage, StoreError>, to group: SubscriptionGroup) {
        switch outcome {
        case .success(let message): send(message, to: group)
        case .failure: end(group, [.notCompleted])
        }
    }

    private func send(_ message: EventMessage, to group: SubscriptionGroup) {
        let countMax = group.operation.api.options.limits.eventInboxCountMax
        // Whoever receives may cancel others, also of this group.
        for (handle, member) in group.members where member.since < message.number && registry.isOpen(handle) {
            if let replay = member.replay, !replay.isOver {
                if !replay.keep(message, countMax: countMax) { end([handle], of: group, [.eventsLost]) }
            } else {
                send(message, to: member)
            }
        }
    }

    func send(_ message: EventMessage, to member: SubscriptionGroup.Member) {
        member.subscriber.receive(message)
        statistics.eventsDelivered(1)
    }

    /// Completes a selection of an event, on the loop if that is short.
    /// - Parameter finish: Called on the loop, later, when a worker has completed it.
    /// - Returns: Nil when it is at a worker.
    func complete(
        _ event: PublishedEvent, of operation: SubscriptionOperation, as identity: Identity,
        _ finish: @escaping (LoopContext, Result<EventMessage, StoreError>) -> Void
    ) -> Result<EventMessage, StoreError>? {
        if event.event.row != nil { beginRequest(.loop(steps: operation.api.options.limits.readStepsMax)) }
        do throws(StoreError) {
            var completion = Completion(scope: operation.scope(as: identity, reader), writer: takeWriter())
            try completion.completeEvent(event.event, of: operation)
            let writer = completion.takeWriter()
            let message = EventMessage(number: event.number, payload: writer.bytes)
            giveBack(writer)
            return .success(message)
        } catch {
            guard error.code == .movedOff else { return .failure(error) }
            return completeOnWorker(event, of: operation, as: identity, finish)
        }
    }

    /// The same on a worker's connection.
    private func completeOnWorker(
        _ event: PublishedEvent, of operation: SubscriptionOperation, as identity: Identity,
        _ finish: @escaping (LoopContext, Result<EventMessage, StoreError>) -> Void
    ) -> Result<EventMessage, StoreError>? {
        let (api, limits, executor) = (operation.api, operation.api.options.limits, executor)
        let deadline = ContinuousClock.now + .seconds(limits.executionSeconds)
        // The worker only hands it back: the loop alone looks into it.
        let own = Unchecked((context: self, finish: finish))
        statistics.readMovedOff()
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
            executor.execute { own.value.finish(own.value.context, outcome) }
        }
        return isQueued ? nil : .failure(StoreError(.busy, "Too many long reads are waiting."))
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
