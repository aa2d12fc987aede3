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

    /// The partition that earlier releases gave the events of all functions. Now a function's name is that of its partition,
    /// so that the events of one are read without those of another.
    static let shared = "all"
    /// The partition: the column is named after its first content.
    private(set) var partition: String
    /// The index of the events of a partition by when they are due.
    static let byNext = 0

    static let table = Table(
        system: BucketTables.namePrefix + "Events", ["all", "id", "next", "document"], integers: ["next"],
        key: ("all", "id"),
        indexes: [("byNext", "all", "next")])

    init(id: String, function: String, event: JSONObject, next: Int64) {
        (self.id, self.function, self.event, self.next) = (id, function, event, next)
        partition = function
    }

    /// The same event in the partition of its function.
    var adopted: EventRecord {
        var event = self
        (event.partition, event.revision) = (function, 0)
        return event
    }

    init?(_ row: [Value], revision: Int64) {
        guard let id = row[1].text, let document = RecordDocument(row[3].text),
            let function = document.string("function"),
            let event = document.object["event"]?.objectValue
        else { return nil }
        self.init(id: id, function: function, event: event, next: row[2].asInteger)
        attemptCount = document.integer("attemptCount") ?? 0
        partition = row[0].text ?? function
        self.revision = revision
    }

    var row: [Value] {
        var document = RecordDocument()
        document.set("function", function)
        document.object["event"] = .object(event)
        document.set("attemptCount", attemptCount)
        return [.text(partition), .text(id), .integer(next), .text(document.text)]
    }
}
