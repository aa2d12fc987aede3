import JSON
import Tables

/// A bucket: one of the configuration, or one that a call has made.
struct BucketRecord: Record {
    var name: String
    /// Milliseconds since 1970.
    var created: Int64
    /// Whether a call has made it.
    var isMadeByCall = false
    /// The rules that PutBucketCors has set; nil where it has not.
    var corsRules: [CORSRule]?
    var revision: Int64 = 0

    /// The partition, in which buckets are ordered by name.
    static let all = "all"

    static let table = Table(
        system: BucketTables.namePrefix + "Buckets", ["all", "name", "document"], key: ("all", "name"))

    init(name: String, created: Int64) { (self.name, self.created) = (name, created) }

    init?(_ row: [Value], revision: Int64) {
        guard let name = row[1].text, let document = RecordDocument(row[2].text),
            let created = document.integer("created")
        else { return nil }
        self.init(name: name, created: created)
        isMadeByCall = document.bool("isMadeByCall")
        corsRules = document.object["cors"]?.arrayValue?.compactMap { CORSRule($0) }
        self.revision = revision
    }

    var row: [Value] {
        var document = RecordDocument()
        document.set("created", created)
        document.set("isMadeByCall", isMadeByCall)
        if let corsRules { document.object["cors"] = .array(corsRules.map(\.json)) }
        return [.text(Self.all), .text(name), .text(document.text)]
    }
}
