import JSON
import Tables

/// A user pool that was made by `CreateUserPool`, or what is kept of one in the configuration.
struct StoredPool: Record {
    var id: String
    /// The settings, in the words of `UserPoolType`; nil of a pool whose settings are in the configuration.
    var settings: JSONObject?
    /// The issuers of its tokens, the first one first.
    var issuers: [String] = []
    /// Whether the users of the configuration were made, or users were there before them.
    var seeding = Seeding.none
    /// Whether the names that earlier versions stored as they were given are stored in Normalization Form C.
    var hasComposedNames = false
    /// The name of the key that seals the secrets of its users, by which a restore finds out whether keys are the right
    /// ones.
    var sealingKey: String?
    /// Milliseconds since 1970.
    var created: Int64
    var modified: Int64
    var revision: Int64 = 0

    enum Seeding: String, Sendable {
        case none, begun, done
    }

    static let table = Table(system: RecordTables.namePrefix + "Pools", ["id", "document"], key: ("id", nil))

    init(id: String, settings: JSONObject?, created: Int64) {
        (self.id, self.settings, self.created, modified) = (id, settings, created, created)
    }

    init?(_ row: [Value], revision: Int64) {
        guard let id = row[0].text, let document = RecordDocument(row[1].text) else { return nil }
        self.init(
            id: id, settings: document.object["settings"]?.objectValue, created: document.integer("created") ?? 0)
        modified = document.integer("modified") ?? created
        issuers = document.strings("issuers")
        seeding = document.string("seeding").flatMap(Seeding.init) ?? .none
        sealingKey = document.string("sealingKey")
        hasComposedNames = document.bool("hasComposedNames")
        self.revision = revision
    }

    var row: [Value] {
        var document = RecordDocument()
        if let settings { document.object["settings"] = .object(settings) }
        document.set("issuers", issuers)
        if seeding != .none { document.set("seeding", seeding.rawValue) }
        document.set("sealingKey", sealingKey)
        document.set("hasComposedNames", hasComposedNames)
        document.set("created", created)
        document.set("modified", modified)
        return [.text(id), .text(document.text)]
    }
}
