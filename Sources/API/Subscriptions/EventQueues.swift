import Synchronization
import Tables

/// Keeps the events of one item in the order of their commits, although their mutations are completed on different
/// loops, some on a worker; events of other items are not held up.
///
/// At its commit an event is expected, in the queue of its item. When its mutation has completed the field, the event is
/// settled: it comes with a result, or it does not come at all. It leaves once all before it in its queue are settled;
/// then it gets its number and goes to the inbox of every loop that listens, under one lock, so that all loops see one
/// order. Two items may share a queue by chance, which does no harm.
final class EventQueues: Sendable {
    /// What a mutation does when its event, which had to wait, has left.
    typealias Resumption = @Sendable () -> Void

    private struct Expected {
        let topic: Topic
        let queue: Int
        var isSettled = false
        var event: Event?
        var resume: (executor: any Executor, work: Resumption)?
    }

    private struct State {
        var limits = APILimits()
        /// The loops that listen, by topic.
        var inboxes: [Int: [EventInbox]] = [:]
        /// By the sequences of their writes.
        var expected: [UInt64: Expected] = [:]
        /// The sequences of one item's writes, in their order.
        var queues: [Int: [UInt64]] = [:]
        var lastNumber: UInt64 = 0
        var replays = ReplayLog()
    }

    /// What is to be done once the lock is free.
    private struct Departure {
        var inboxes: [EventInbox] = []
        var resumptions: [(executor: any Executor, work: Resumption)] = []

        func carryOut() {
            for inbox in inboxes { inbox.wake() }
            for resumption in resumptions { resumption.executor.execute(resumption.work) }
        }
    }

    private let nowMilliseconds: @Sendable () -> Int64
    private let state = Mutex(State())
    private let expectedCount = Atomic(0)
    private let number = Atomic<UInt64>(0)

    init(nowMilliseconds: @escaping @Sendable () -> Int64) { self.nowMilliseconds = nowMilliseconds }

    /// The number of the last event that has left.
    var lastNumber: UInt64 { number.load(ordering: .acquiring) }

    /// Events that are expected or wait for others.
    var pendingCount: Int { expectedCount.load(ordering: .acquiring) }

    /// The bounds of the newest API are everyone's.
    func setLimits(_ limits: APILimits) { state.withLock { $0.limits = limits } }

    func attach(_ inbox: EventInbox, to topic: Topic) {
        state.withLock { $0.inboxes[topic.number, default: []].append(inbox) }
    }

    func detach(_ inbox: EventInbox, from topic: Topic) {
        state.withLock { state in
            state.inboxes[topic.number]?.removeAll { $0 === inbox }
            if state.inboxes[topic.number]?.isEmpty == true { state.inboxes[topic.number] = nil }
        }
    }

    // MARK: - An event's way

    /// Called on the writer's thread, in the order of the commits. If too many events are pending, the topic's
    /// subscriptions end with `eventsLost`.
    func expect(_ sequence: UInt64, of topic: Topic, queue: Int) {
        var departure = Departure()
        state.withLock { state in
            guard state.expected.count < state.limits.pendingEventCountMax else {
                departure.inboxes = (state.inboxes[topic.number] ?? []).filter { $0.overflow() }
                return
            }
            state.expected[sequence] = Expected(topic: topic, queue: queue)
            state.queues[queue, default: []].append(sequence)
            expectedCount.add(1, ordering: .releasing)
        }
        departure.carryOut()
    }

    /// Whether the write of this sequence has to be settled. Asked once the write's result is there.
    func isExpected(_ sequence: UInt64) -> Bool {
        guard pendingCount > 0 else { return false }
        return state.withLock { $0.expected[sequence] != nil }
    }

    /// Settles an expected event, exactly once. `nil`: the mutation's field failed or is null, and nothing is published.
    ///
    /// - Returns: True if the event, if there is one, is in the inboxes. Otherwise `resume` runs on the executor as soon as
    ///   it is.
    func settle(
        _ sequence: UInt64, _ event: Event?, on executor: any Executor, resume: @escaping Resumption
    ) -> Bool {
        var departure = Departure()
        let isDone = state.withLock { state in
            guard let queue = state.expected[sequence]?.queue else {
                preconditionFailure("an event is settled once, and only if it is expected")
            }
            state.expected[sequence]?.isSettled = true
            state.expected[sequence]?.event = event
            release(queue, &state, &departure)
            guard event != nil, state.expected[sequence] != nil else { return true }
            state.expected[sequence]?.resume = (executor, resume)
            return false
        }
        departure.carryOut()
        return isDone
    }

    /// An event that is not a write's: of a field that a function answers. It leaves at once.
    func publish(_ event: Event) {
        var departure = Departure()
        state.withLock { publish(event, &$0, &departure) }
        departure.carryOut()
    }

    /// Publishes the settled events at the front of a queue.
    private func release(_ queue: Int, _ state: inout State, _ departure: inout Departure) {
        var count = 0
        for sequence in state.queues[queue] ?? [] {
            guard let expected = state.expected[sequence], expected.isSettled else { break }
            count += 1
            state.expected[sequence] = nil
            if let event = expected.event { publish(event, &state, &departure) }
            if let resume = expected.resume { departure.resumptions.append(resume) }
        }
        expectedCount.subtract(count, ordering: .releasing)
        state.queues[queue]?.removeFirst(count)
        if state.queues[queue]?.isEmpty == true { state.queues[queue] = nil }
    }

    // MARK: - Replay

    /// A subscription that may come back begins, or has come back. Its loop listens already, so nothing falls between.
    /// - Returns: After which event it may have missed some, nil if it is new; the events since, of all topics, in order;
    ///   and the number of the last event that has left.
    func open(_ key: ReplayKey) -> (since: UInt64?, events: [PublishedEvent], lastNumber: UInt64) {
        state.withLock { state in
            let since = state.replays.open(key, at: state.lastNumber, now: nowMilliseconds(), state.limits)
            return (since, since.map(state.replays.events) ?? [], state.lastNumber)
        }
    }

    /// It has ended, and may come back. Its loop still listens.
    func close(_ key: ReplayKey, topics: [Topic]) {
        state.withLock { $0.replays.close(key, topics: topics, now: nowMilliseconds(), $0.limits) }
    }

    /// The one place where an event gets its number.
    private func publish(_ event: Event, _ state: inout State, _ departure: inout Departure) {
        state.lastNumber += 1
        number.store(state.lastNumber, ordering: .releasing)
        let published = PublishedEvent(number: state.lastNumber, event: event)
        state.replays.append(published, now: nowMilliseconds(), state.limits)
        let inboxes = state.inboxes[event.topic.number] ?? []
        event.note?.publish(toLoops: inboxes.count)
        for inbox in inboxes where inbox.append(published, state.limits) {
            departure.inboxes.append(inbox)
        }
    }
}
