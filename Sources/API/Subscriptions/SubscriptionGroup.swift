import Tables

/// Subscriptions of one loop that hear the same events and are sent the same of them: an event's selection is completed
/// once for all of them. On its loop only.
final class SubscriptionGroup {
    struct Member {
        let subscriber: any Subscriber
        let identity: Identity
        /// The last event that had left when it subscribed: what came by then is not for it, or is replayed to it.
        var since: UInt64
        /// By what it is known when it comes back; nil when it may not.
        var replayKey: ReplayKey?
        /// From the event behind this one on it is told all that it wants, replayed or as it comes.
        var heardSince: UInt64
        /// What it missed; nil when that was nothing. Behind it the group's messages wait.
        var replay: Replay?
    }

    let operation: SubscriptionOperation
    /// Any member's: their rules come out alike.
    let identity: Identity
    var members: [SubscriptionHandle: Member] = [:]
    /// The last event that was found to be wanted.
    var lastMatch: UInt64 = 0
    /// The name of the model that it follows, or nothing.
    var model: String { operation.subscription.row?.table.table.name ?? "" }

    /// Events that it waits to be tested with.
    var delayedCount = 0
    /// What its members are to be told next.
    var untold: [EventMessage] = []
    /// Whether a long selection is at a worker; what comes meanwhile waits behind it.
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
