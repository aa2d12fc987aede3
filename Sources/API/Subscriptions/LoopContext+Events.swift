import GraphQL
import JSON
import Tables

// Events to the loop's subscribers.

extension LoopContext {
    /// Delivers the events of the inbox to the groups that want them, in steps. Each step runs in a turn of the loop of its
    /// own, after the messages of the previous step have been sent, so only one step's messages wait.
    func deliverEvents() {
        guard deliveries.isEmpty, !isMatchingScheduled else { return }
        if endings.isEmpty {
            if matching.isEmpty { takeEvents() }
            matchEvents()
            matchDelayed()
        } else {
            endSome()
        }
        if deliveries.isEmpty { scheduleMatching() } else { startSending() }
    }

    /// Schedules the next step, if anything is left for one.
    private func scheduleMatching() {
        let hasBegun = !matching.isEmpty || !delayed.isEmpty || !endings.isEmpty
        guard hasBegun || !inbox.isEmpty else { return }
        isMatchingScheduled = true
        let context = Unchecked(self)
        let work: @Sendable () -> Void = {
            context.value.isMatchingScheduled = false
            context.value.deliverEvents()
        }
        // New events are delivered before the requests that arrive from now on, as they are when no step is pending.
        if hasBegun { executor.executeAfterReads(work) } else { executor.execute(work) }
    }

    /// - Parameter share: The part of a step that this is, as a divisor.
    func newStepAllowance(share: Int = 1) -> StepAllowance {
        let limits = registry.api?.options.limits ?? APILimits()
        return StepAllowance(byteCount: max(limits.eventStepBytesMax / share, 1))
    }

    private func takeEvents() {
        let (events, hasLost) = inbox.take()
        if hasLost { endLater(Array(registry.groups.values), [.eventsLost]) }
        matching = EventMatching(events)
    }

    /// One step: finds groups and completes what they select, until the allowance is spent or nothing is left.
    private func matchEvents() {
        var allowance = newStepAllowance()
        while endings.isEmpty, let event = matching.beginSearch(in: registry) {
            while let found = matching.search?.next(&allowance, behind: delayed) {
                switch found {
                case .wanting(let group):
                    allowance.charge(event.event.byteCount)
                    event.event.note?.deliver(toMembers: group.members.count)
                    deliver(event, to: group)
                case .delayed(let entry):
                    let limits = entry.group.operation.api.options.limits
                    if !delayed.append(entry, for: event, limits) {
                        endLater(delayed.groups, [.eventsLost])
                        delayed.removeAll()
                    }
                }
            }
            // `nil` if a reload came in between: the search begins again.
            guard let search = matching.search else { continue }
            guard search.isOver else { return }
            statistics.groupsVisited(search.visitCount)
            event.event.note?.finish(subscriptionCount: registry.subscriptionCount(of: event.event.topic))
            matching.endSearch()
        }
    }

    /// The same for the groups whose filters take long, which have a half of each step.
    private func matchDelayed() {
        var allowance = newStepAllowance(share: 2)
        while let (event, group) = delayed.next(&allowance) {
            allowance.charge(event.event.byteCount)
            event.event.note?.deliver(toMembers: group.members.count)
            deliver(event, to: group)
        }
    }

    /// Subscriptions that are ended in one step.
    private static let endingsPerStepMax = 256

    /// Ends the groups' subscriptions, some in each step: there may be many thousands.
    private func endLater(_ groups: [SubscriptionGroup], _ errors: [RealtimeError]) {
        for group in groups { endings.append((Array(group.members.keys)[...], errors)) }
    }

    private func endSome() {
        var count = 0
        while count < Self.endingsPerStepMax, var ending = endings.popLast() {
            guard let handle = ending.handles.popFirst() else { continue }
            count += 1
            if let (group, _) = registry.member(handle) { end([handle], of: group, ending.errors) }
            endings.append(ending)
        }
    }

    /// Completes the group's selection of an event, once for all members. Events that arrive while a worker
    /// completes one wait in the backlog.
    func deliver(_ event: PublishedEvent, to group: SubscriptionGroup) {
        guard !group.members.isEmpty else { return }
        guard !group.isBusy else {
            let limits = group.operation.api.options.limits
            group.backlogBytes += event.event.byteCount
            guard group.backlog.count < limits.eventInboxCountMax, group.backlogBytes <= limits.eventInboxBytesMax
            else { return end(group, [.eventsLost]) }
            return group.backlog.append(event)
        }
        noticeMissing(event.event, group)
        let outcome = complete(event, of: group.operation, as: group.identity) { (context, outcome) in
            context.deliver(outcome, to: group)
            context.resume(group, with: group.backlog)
            context.startSending()
        }
        guard let outcome else { return group.isBusy = true }
        deliver(outcome, to: group)
    }

    private func deliver(_ outcome: Result<EventMessage, StoreError>, to group: SubscriptionGroup) {
        switch outcome {
        case .success(let message): deliveries.append(message, for: group)
        case .failure: end(group, [.notCompleted])
        }
    }

    /// Completes a selection of an event, on the loop if that is short.
    /// - Parameter finish: Called on the loop, later, when a worker has completed it.
    /// - Returns: Nil when it is at a worker.
    func complete(
        _ event: PublishedEvent, of operation: SubscriptionOperation, as identity: Identity,
        _ finish: @escaping (LoopContext, Result<EventMessage, StoreError>) -> Void
    ) -> Result<EventMessage, StoreError>? {
        if case .batched(let batches) = reads, let row = event.event.row, let plan = operation.subscription.row {
            return gather(event, of: operation, as: identity, by: batches, finish) {
                $0.run(plan.fields, of: row.item(as: plan.table))
            }
        }
        let budget = operation.api.options.limits.loopBudget
        // What is written is charged in any case; a snapshot is only needed where something is read.
        if case .live(let reader) = reads {
            if event.event.row == nil { reader.beginRequest(budget: budget) } else { beginRequest(budget, by: reader) }
        }
        do throws(StoreError) {
            return .success(try message(event, of: operation, operation.scope(as: identity, source())))
        } catch {
            guard error.code == .repeatOnWorker else { return .failure(error) }
            return completeOnWorker(event, of: operation, as: identity, finish)
        }
    }

    /// The completed selection as a message.
    private func message(
        _ event: PublishedEvent, of operation: SubscriptionOperation, _ scope: Completion.Scope
    ) throws(StoreError) -> EventMessage {
        var completion = Completion(scope: scope, writer: takeWriter())
        try completion.completeEvent(event.event, operation.subscription, at: operation.field)
        let writer = completion.takeWriter()
        let message = EventMessage(number: event.number, payload: writer.bytes)
        giveBack(writer)
        return message
    }

    /// The same over rows that are fetched first.
    private func gather(
        _ event: PublishedEvent, of operation: SubscriptionOperation, as identity: Identity,
        by reader: any BatchReader, _ finish: @escaping (LoopContext, Result<EventMessage, StoreError>) -> Void,
        _ run: (Gather) -> Void
    ) -> Result<EventMessage, StoreError>? {
        let deadline = ContinuousClock.now + .seconds(operation.api.options.limits.executionSeconds)
        let scope = operation.scope(as: identity, source())
        // A selection of the item alone is gathered at once, and its result is returned.
        var result: Result<EventMessage, StoreError>?
        var isReturned = false
        let gather = Gather(scope, by: reader, on: executor, deadline: deadline) { [self] rows in
            let completed: Result<EventMessage, StoreError>
            do throws(StoreError) {
                var scope = scope
                scope.source = .gathered(try rows.get(), .deadline(deadline))
                completed = .success(try message(event, of: operation, scope))
            } catch { completed = .failure(error) }
            if isReturned { finish(self, completed) } else { result = completed }
        }
        run(gather)
        isReturned = true
        return result
    }

    /// The same on a worker's connection.
    private func completeOnWorker(
        _ event: PublishedEvent, of operation: SubscriptionOperation, as identity: Identity,
        _ finish: @escaping (LoopContext, Result<EventMessage, StoreError>) -> Void
    ) -> Result<EventMessage, StoreError>? {
        let deadline = ContinuousClock.now + .seconds(operation.api.options.limits.executionSeconds)
        // The worker only passes this through; only the loop reads it.
        let own = Unchecked((context: self, finish: finish))
        statistics.readHandedToWorker()
        let refusal = operation.api.readOnWorker(
            for: .server, deadline: deadline, on: executor
        ) { (reader) throws(StoreError) in
            var completion = Completion(
                scope: operation.scope(as: identity, Completion.Source(reader: reader)),
                writer: JSONWriter(capacity: 64 << 10))
            try completion.completeEvent(event.event, operation.subscription, at: operation.field)
            return EventMessage(number: event.number, payload: completion.takeWriter().bytes)
        } finish: { result, _ in
            own.value.finish(own.value.context, result)
        }
        return refusal.map { .failure($0) }
    }

    /// Delivers the backlog. If another event needs a worker, the rest waits again. If a reload has replaced the group, its
    /// successors receive the backlog.
    private func resume(_ group: SubscriptionGroup, with backlog: [PublishedEvent]) {
        group.isBusy = false
        group.backlog = []
        group.backlogBytes = 0
        for successor in group.successors { resume(successor, with: backlog + successor.backlog) }
        guard group.successors.isEmpty else { return }
        for event in backlog { deliver(event, to: group) }
    }

    // MARK: - Members

    /// Members that are sent messages before requests have a turn: about a quarter of a millisecond's worth of writes. With
    /// a smaller number requests are served sooner and members later, and messages that arrive meanwhile go to each member
    /// in fewer writes. Long messages (`eventStepBytesMax`) end a turn after fewer members.
    static let membersPerTurnMax = 24

    /// Begins to send the completed messages, unless that is in progress.
    private func startSending() {
        guard !isDelivering, !deliveries.isEmpty else { return }
        isDelivering = true
        sendSome()
    }

    private func sendSome() {
        var allowance = newStepAllowance()
        for _ in 0..<Self.membersPerTurnMax {
            guard !allowance.isSpent, let byteCount = sendNext() else { break }
            allowance.charge(byteCount)
        }
        guard deliveries.isEmpty else {
            let context = Unchecked(self)
            return executor.executeAfterReads { context.value.sendSome() }
        }
        isDelivering = false
        // Events that are left, or that arrived meanwhile.
        scheduleMatching()
    }

    /// Steps for long filters before the sockets are closed: about half a second.
    private static let lastDelayedStepsMax = 256

    /// Delivers all events so far without a pause, because the sockets are about to be closed. Subscriptions whose filters
    /// take too long for that end with the error that events were lost.
    public func deliverEverything() {
        sendAll()
        repeat {
            if matching.isEmpty { takeEvents() }
            matchEvents()
            sendAll()
            while !endings.isEmpty { endSome() }
        } while !matching.isEmpty || !inbox.isEmpty
        for _ in 0..<Self.lastDelayedStepsMax where !delayed.isEmpty {
            matchDelayed()
            sendAll()
        }
        endLater(delayed.groups, [.eventsLost])
        delayed.removeAll()
        // The results of workers would arrive too late.
        endLater(registry.groups.values.filter(\.isBusy), [.eventsLost])
        while !endings.isEmpty { endSome() }
    }

    /// Sends all completed messages now, because something else is about to be sent that must follow them.
    func sendAll() {
        while sendNext() != nil {}
    }

    /// Sends the next member its messages.
    /// - Returns: The bytes that were sent; nil when no member is left.
    private func sendNext() -> Int? {
        guard let (handle, member, messages) = deliveries.next() else { return nil }
        // A receiver may cancel other subscriptions, also of this group.
        guard registry.isOpen(handle) else { return 0 }
        let news = messages.drop { $0.number <= member.since }
        guard let replay = member.replay, !replay.isOver else {
            member.subscriber.receive(news)
            statistics.eventsDelivered(news.count)
            return news.reduce(0) { $0 + $1.payload.count }
        }
        guard let (group, _) = registry.member(handle) else { return 0 }
        for message in news where !replay.keep(message, group.operation.api.options.limits) {
            end([handle], of: group, [.eventsLost])
            break
        }
        return 0
    }

    /// Says once which selected fields a mutation leaves null because it has not selected them itself.
    private func noticeMissing(_ event: Event, _ group: SubscriptionGroup) {
        // A deep plan needs a thread of its own, which is too expensive here.
        guard event.row == nil, !group.operation.plan.isDeep, group.isFirst(from: event.origin) else { return }
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
    func scope(as identity: Identity, _ source: Completion.Source) -> Completion.Scope {
        Completion.Scope(
            schema: api.schema, plan: plan, variables: variables, identity: identity, decisions: decisions,
            source: source, client: .server)
    }
}
