import Tables

/// Messages on their way to the members of a loop's groups.
///
/// An event may be for thousands of sockets, and a write to each takes microseconds. So messages are sent to a few members
/// at a time, and requests are served in between. A member receives all messages that its group has for it in one write,
/// while the memory of its socket is in the processor's cache. Events that arrive meanwhile wait in the inbox, which has a
/// bound, and are sent together next.
struct Deliveries {
    /// What one group has for those who were its members when it was completed.
    private struct Delivery {
        let messages: [EventMessage]
        let members: [SubscriptionHandle: SubscriptionGroup.Member]
        var next: Dictionary<SubscriptionHandle, SubscriptionGroup.Member>.Index
    }

    /// Groups with messages that are not yet in the queue.
    private var groups: [SubscriptionGroup] = []
    /// By model: the subscription field of its last message, and those of the messages before.
    private var fields: [String: (last: String, before: Set<String>)] = [:]
    private var queue: [Delivery] = []
    /// Those before this one are done.
    private var first = 0

    /// Whether all messages were delivered.
    var isEmpty: Bool { first == queue.count && groups.isEmpty }

    /// Adds a message to those that a group's members receive together.
    mutating func append(_ message: EventMessage, for group: SubscriptionGroup) {
        keepOrder(group.operation)
        if group.undelivered.isEmpty { groups.append(group) }
        group.undelivered.append(message)
    }

    /// The next member to deliver to, and its messages.
    mutating func next() -> (handle: SubscriptionHandle, member: SubscriptionGroup.Member, messages: [EventMessage])? {
        enqueue()
        guard first < queue.count else { return nil }
        let (members, place, messages) = (queue[first].members, queue[first].next, queue[first].messages)
        queue[first].next = members.index(after: place)
        if queue[first].next == members.endIndex { finishFirst() }
        return (members[place].key, members[place].value, messages)
    }

    private mutating func finishFirst() {
        first += 1
        guard first == queue.count else { return }
        queue.removeAll(keepingCapacity: true)
        first = 0
    }

    /// Messages of one field are delivered together as long as no message of the model's other fields belongs in between:
    /// a client with several subscriptions must receive an item's creation before its deletion
    /// (reference: datastore-sync, "Subscriptions of DataStore").
    private mutating func keepOrder(_ operation: SubscriptionOperation) {
        let (model, field) = (operation.subscription.row?.table.table.name ?? "", operation.field.fieldName)
        if let seen = fields[model], seen.last != field {
            if seen.before.contains(field) { enqueue() } else { fields[model]?.before.insert(seen.last) }
        }
        fields[model, default: (field, [])].last = field
    }

    private mutating func enqueue() {
        for group in groups {
            let members = group.members
            if !members.isEmpty {
                queue.append(Delivery(messages: group.undelivered, members: members, next: members.startIndex))
            }
            group.undelivered = []
        }
        groups.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
    }
}
