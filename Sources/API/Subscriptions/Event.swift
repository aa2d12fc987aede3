import JSON

/// One change, as it is published to subscribers. Made by the mutation, on the thread that completed it.
final class Event: Sendable {
    let topic: Topic
    /// What filters look at and selections are completed of: the result of the mutation field by field names, or the
    /// item by the names of its fields.
    let tree: JSONValue
    /// The committed item, all its columns; only in the mode that fills events.
    let row: EventRow?
    /// The field whose result this is; it identifies the selection. Not the field itself: events wait and are
    /// kept for a while, and each would keep the plan of its mutation, which may be large.
    let origin: ObjectIdentifier
    /// What the event weighs in an inbox, roughly.
    let byteCount: Int
    /// Where its loops count the subscriptions that want it; nil unless its mutation is recorded or explained.
    let note: EventNote?

    init(
        topic: Topic, tree: JSONValue, row: EventRow? = nil, origin: ObjectIdentifier, byteCount: Int,
        note: EventNote? = nil
    ) {
        self.topic = topic
        self.tree = tree
        self.row = row
        self.origin = origin
        self.byteCount = byteCount
        self.note = note
    }
}
