import JSON
import Tables

/// An object event that waits for its function. Queued with the change that it is about, in one transaction.
struct EventRecord: Record {
    /// Ascending with the time of the change.
    var id: String
    /// The function, by its name in the configuration.
    var function: String
    /// The event, as S3 writes one of `Records`.
    var event: JSONObject
    /// When it is to be delivered, in milliseconds since 1970.
    var next: Int64
    var attemptCount: Int64 = 0
    var revision: Int64 = 0

    /// The partition of all events.
    static let all = "all"
    /// The index of events by when they are due.
    static let byNext = 0

    static let table = Table(
        system: BucketTables.namePrefix + "Events", ["all", "id", "next", "document"], integers: ["next"],
        key: ("all", "id"),
        indexes: [("byNext", "all", "next")])

    init(id: String, function: String, event: JSONObject, next: Int64) {
        (self.id, self.function, self.event, self.next) = (id, function, event, next)
    }

    init?(_ row: [Value], revision: Int64) {
        guard let id = row[1].text, let document = RecordDocument(row[3].text),
            let function = document.string("function"),
            let event = document.object["event"]?.objectValue
        else { return nil }
        self.init(id: id, function: function, event: event, next: row[2].asInteger)
        attemptCount = document.integer("attemptCount") ?? 0
        self.revision = revision
    }

    var row: [Value] {
        var document = RecordDocument()
        document.set("function", function)
        document.object["event"] = .object(event)
        document.set("attemptCount", attemptCount)
        return [.text(Self.all), .text(id), .integer(next), .text(document.text)]
    }
}
