import JSON
import Tables

/// A refresh token that another one of its session has replaced.
struct ReplacedToken: Sendable, Hashable {
    var hash: String
    /// Until when it is still accepted, in milliseconds since 1970 (`RetryGracePeriodSeconds`).
    var until: Int64

    init(hash: String, until: Int64) { (self.hash, self.until) = (hash, until) }

    init?(_ value: JSONValue) {
        guard let object = value.objectValue else { return nil }
        let document = RecordDocument(object)
        guard let hash = document.string("hash") else { return nil }
        self.init(hash: hash, until: document.integer("until") ?? 0)
    }

    var json: JSONValue {
        var document = RecordDocument()
        document.set("hash", hash)
        document.set("until", until)
        return .object(document.object)
    }
}
