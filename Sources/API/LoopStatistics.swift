import Synchronization

/// What one event loop counts. The loop adds, any thread reads: each count is an atomic of its own, without order among
/// them.
public final class LoopStatistics: Sendable {
    private let planHits = Atomic(0)
    private let planMisses = Atomic(0)
    private let plans = Atomic(0)
    private let readsMoved = Atomic(0)
    private let subscriptions = Atomic(0)
    private let groupVisits = Atomic(0)
    private let deliveries = Atomic(0)

    /// Requests whose plan was kept from an earlier one.
    public var planHitCount: Int { planHits.load(ordering: .relaxed) }
    /// Requests whose document was read anew, the refused ones included.
    public var planMissCount: Int { planMisses.load(ordering: .relaxed) }
    /// Plans kept now.
    public var planCount: Int { plans.load(ordering: .relaxed) }
    /// Reads that were too long for the loop and began again on a worker.
    public var readHandedToWorkerCount: Int { readsMoved.load(ordering: .relaxed) }
    /// Subscriptions open now.
    public var subscriptionCount: Int { subscriptions.load(ordering: .relaxed) }
    /// Groups of equal subscriptions that were looked at for the events that came: those whose arguments fit.
    public var eventGroupVisitCount: Int { groupVisits.load(ordering: .relaxed) }
    /// Messages given to subscribers.
    public var eventDeliveredCount: Int { deliveries.load(ordering: .relaxed) }

    func planFound() { planHits.add(1, ordering: .relaxed) }

    func planMissed(countNow: Int) {
        planMisses.add(1, ordering: .relaxed)
        plans.store(countNow, ordering: .relaxed)
    }

    func readHandedToWorker() { readsMoved.add(1, ordering: .relaxed) }

    func subscriptionsChanged(countNow: Int) { subscriptions.store(countNow, ordering: .relaxed) }

    func groupsVisited(_ count: Int) { groupVisits.add(count, ordering: .relaxed) }

    func eventsDelivered(_ count: Int) { deliveries.add(count, ordering: .relaxed) }
}
