import Tables

/// Subscriptions of one loop that receive the same events with the same selection: an event's selection is completed once
/// for all of them. On its loop only.
final class SubscriptionGroup {
    struct Member {
        let subscriber: any Subscriber
        let identity: Identity
        /// The last event published before it subscribed: events up to it are not delivered, or delivered by replay.
        var since: UInt64
        /// Identifies it when the client subscribes again; `nil` if it cannot be replayed.
        var replayKey: ReplayKey?
        /// Every matching event after this one is delivered to it, live or by replay.
        var receivedSince: UInt64
        /// What it missed; `nil` if nothing. The group's messages wait until the replay is over.
        var replay: Replay?
    }

    let operation: SubscriptionOperation
    /// Any member's: the rules decide alike for all, and functions are given one that is equal.
    let identity: Identity
    var members: [SubscriptionHandle: Member] = [:]
    /// The last event that was found to be wanted.
    var lastMatch: UInt64 = 0
    /// The name of the model that it follows, or nothing.
    var model: String { operation.subscription.row?.table.table.name ?? "" }

    /// Events that it waits to be tested with.
    var delayedCount = 0
    /// Messages that are not yet in the queue of deliveries to its members.
    var undelivered: [EventMessage] = []
    /// Whether a worker is completing a long selection; events that arrive meanwhile wait in `backlog`.
    var isBusy = false
    var backlog: [PublishedEvent] = []
    var backlogBytes = 0
    /// After a reload, the groups that go on where this one, which is busy, ends.
    var successors: [SubscriptionGroup] = []
    /// Mutation fields whose selection was held against this one's.
    private var comparedOrigins: Set<ObjectIdentifier> = []

    init(_ operation: SubscriptionOperation, for identity: Identity) {
        self.operation = operation
        self.identity = identity
        operation.plan.follow()
    }

    deinit { operation.plan.unfollow() }

    /// Whether a mutation's selection has not been compared yet. Documents that differ without end are not compared
    /// without end.
    func isFirst(from origin: ObjectIdentifier) -> Bool {
        guard comparedOrigins.count < 64 else { return false }
        return comparedOrigins.insert(origin).inserted
    }
}
