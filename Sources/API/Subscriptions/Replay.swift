import Tables

/// What a subscription that has come back missed, and what has come meanwhile.
///
/// It is a member of its group from the beginning: new events are completed once for all members. Only what it missed is
/// completed for it alone, and is delivered first. An object, because a reload takes members to other groups while a
/// worker completes for the one they were in. On its loop only.
///
/// All is replayed that the subscription wants, unless the client has received a newer state of the item. A client
/// begins its subscriptions again one by one, amplify-swift in no certain order. If `onDelete` comes before `onCreate`,
/// an item that was created and deleted meanwhile would be deleted first and created then. It would stay on the device:
/// amplify-swift drops the deletion of an item that it does not know, and remembers no version of it; amplify-js takes
/// what arrives last for the newest (reference: datastore-sync, "Client flow"). amplify-android begins under new
/// identifiers and syncs. So one client gets the states of an item in their order, the last one always; an older one
/// that is too late for that is superseded, and left out.
final class Replay {
    /// Another subscription of the same client.
    struct Other {
        let operation: SubscriptionOperation
        /// Every matching event after this number was delivered through this subscription, or will be.
        let receivedSince: UInt64
    }

    enum Message {
        /// An event that is yet to be completed.
        case missed(PublishedEvent)
        /// A message of the group that has waited.
        case waiting(EventMessage)
    }

    private let operation: SubscriptionOperation
    private let others: [Other]
    /// Events that have not been looked at, in the order of their numbers; the last one is looked at next.
    private var unseen: ArraySlice<PublishedEvent>
    /// Which subscription is asked for the last unseen event (0 is the one that came back), and with which conjunction.
    private var asked = (subscription: 0, conjunction: 0)
    /// Primary keys of which the client has received a newer state.
    private var superseded: Set<[Value]> = []
    /// What is to be replayed, the last one first.
    private var missed: [PublishedEvent] = []
    private var waiting: ArraySlice<EventMessage> = []
    private var waitingByteCount = 0
    private(set) var isOver = false

    /// - Parameter events: All events since the subscription was closed, of all topics, in order.
    init(_ events: [PublishedEvent], to operation: SubscriptionOperation, besides others: [Other]) {
        let table = operation.subscription.row?.table.table.name
        self.operation = operation
        self.others = others.filter { $0.operation.subscription.row?.table.table.name == table }
        unseen = events.filter { event in event.event.row.map { $0.table.table.name == table } ?? false }[...]
    }

    /// Finds out which events were missed, from the last one back, until the allowance is spent.
    /// - Returns: Whether all are found.
    func findMissed(_ allowance: inout StepAllowance) -> Bool {
        while let event = unseen.last {
            guard !allowance.isSpent else { return false }
            allowance.charge(0)
            guard let row = event.event.row, !superseded.contains(row.key) else {
                seen()
                continue
            }
            guard asked.subscription <= others.count else {
                seen()
                continue
            }
            let isOwn = asked.subscription == 0
            let other = isOwn ? nil : others[asked.subscription - 1]
            let operation = other?.operation ?? self.operation
            guard (other?.receivedSince ?? 0) < event.number, asked.conjunction < operation.filter.conjunctions.count,
                operation.subscription.topics.contains(where: { $0 === event.event.topic })
            else {
                asked = (asked.subscription + 1, 0)
                continue
            }
            asked.conjunction += 1
            guard operation.filter.conjunctions[asked.conjunction - 1].hold(of: event.event.tree, &allowance) else {
                continue
            }
            if isOwn { missed.append(event) } else { superseded.insert(row.key) }
            seen()
        }
        return true
    }

    private func seen() {
        unseen.removeLast()
        asked = (0, 0)
    }

    /// What to deliver next. `nil` when that was all: from now on messages need not wait.
    func next() -> Message? {
        if let event = missed.popLast() { return .missed(event) }
        guard let message = waiting.popFirst() else {
            isOver = true
            return nil
        }
        waitingByteCount -= message.payload.count
        return .waiting(message)
    }

    /// Keeps a message of the group until all missed events are delivered; false when a limit is reached.
    func keep(_ message: EventMessage, _ limits: APILimits) -> Bool {
        guard waiting.count < limits.eventInboxCountMax,
            waitingByteCount + message.payload.count <= limits.eventInboxBytesMax
        else { return false }
        waiting.append(message)
        waitingByteCount += message.payload.count
        return true
    }
}
