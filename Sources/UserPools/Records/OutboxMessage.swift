import JSON
import Tables

/// A message to a user: kept, and sent when a way to send it is configured.
struct OutboxMessage: Record {
    /// Messages in the order in which they were made.
    var id: String
    var poolID: String
    var recipient: String
    /// `EMAIL` or `SMS`.
    var medium: String
    /// What it is for, such as `CustomMessage_SignUp`.
    var trigger: String
    /// The sealed `MessageContent`; nil once the message was sent.
    var sealed: String?
    /// The content of a message that an earlier version stored as clear text.
    var clear: MessageContent?
    /// The partition: messages that an earlier version stored are in one of their own, until they are sealed.
    var box = OutboxMessage.sealedBox
    /// Milliseconds since 1970.
    var created: Int64
    /// When it was sent; nil until then.
    var sent: Int64?
    /// When it is tried next; nil when it is not sent any more.
    var next: Int64?
    var attemptCount: Int64 = 0
    var error: String?
    var revision: Int64 = 0

    /// The partition of messages whose content is sealed.
    static let sealedBox = "sealed"
    /// The partition of messages that an earlier version stored as clear text.
    static let clearBox = "all"
    /// The partition of the index of messages that are to be sent.
    static let due = "due"

    static let table = Table(
        system: RecordTables.namePrefix + "Outbox", ["box", "id", "due", "next", "document"], integers: ["next"],
        key: ("box", "id"),
        indexes: [("byNext", "due", "next")])

    init(
        id: String, poolID: String, recipient: String, medium: String, trigger: String, sealed: String?, created: Int64
    ) {
        (self.id, self.poolID, self.recipient, self.medium) = (id, poolID, recipient, medium)
        (self.trigger, self.sealed, self.created) = (trigger, sealed, created)
    }

    init?(_ row: [Value], revision: Int64) {
        guard let box = row[0].text, let id = row[1].text, let document = RecordDocument(row[4].text),
            let recipient = document.string("recipient"), let medium = document.string("medium")
        else { return nil }
        self.init(
            id: id, poolID: document.string("poolID") ?? "", recipient: recipient, medium: medium,
            trigger: document.string("trigger") ?? "", sealed: document.string("sealed"),
            created: document.integer("created") ?? 0)
        self.box = box
        if box == Self.clearBox, let text = document.string("text"), !text.isEmpty {
            clear = MessageContent(
                subject: document.string("subject") ?? "", text: text, code: document.string("code"))
        }
        sent = document.integer("sent")
        next = document.integer("next")
        attemptCount = document.integer("attemptCount") ?? 0
        error = document.string("error")
        self.revision = revision
    }

    var row: [Value] {
        var document = RecordDocument()
        document.set("poolID", poolID)
        document.set("recipient", recipient)
        document.set("medium", medium)
        document.set("trigger", trigger)
        document.set("sealed", sealed)
        document.set("created", created)
        document.set("sent", sent)
        document.set("next", next)
        document.set("attemptCount", attemptCount)
        document.set("error", error)
        return [
            .text(box), .text(id), next == nil ? .null : .text(Self.due), next.map(Value.integer) ?? .null,
            .text(document.text),
        ]
    }
}
