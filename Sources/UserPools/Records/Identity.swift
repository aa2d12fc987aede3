import Tables

/// An identity of an identity pool: a guest, or who signed in by one or several logins.
struct Identity: Record {
    /// `<region>:<uuid>`.
    var id: String
    var poolID: String
    /// The providers and subjects that it signed in by, such as `us-east-1_AbC:3f…`; empty for a guest.
    var logins: [String] = []
    /// Milliseconds since 1970.
    var created: Int64
    var modified: Int64
    /// When credentials or a token were last issued, accurate to `usePrecision`; the creation time if none were. Nil in records
    /// of earlier versions.
    var used: Int64?
    var revision: Int64 = 0

    static let table = Table(
        system: RecordTables.namePrefix + "Identities", ["id", "poolID", "document"], key: ("id", nil),
        indexes: [("byPool", "poolID", "id")])

    init(id: String, poolID: String, created: Int64) {
        (self.id, self.poolID, self.created, modified) = (id, poolID, created, created)
        used = created
    }

    /// How exactly the time of use is stored, in milliseconds: one write a day.
    static let usePrecision: Int64 = 86_400_000

    init?(_ row: [Value], revision: Int64) {
        guard let id = row[0].text, let poolID = row[1].text, let document = RecordDocument(row[2].text) else {
            return nil
        }
        self.init(id: id, poolID: poolID, created: document.integer("created") ?? 0)
        modified = document.integer("modified") ?? created
        used = document.integer("used")
        logins = document.strings("logins")
        self.revision = revision
    }

    var row: [Value] {
        var document = RecordDocument()
        document.set("logins", logins)
        document.set("created", created)
        document.set("modified", modified)
        document.set("used", used)
        return [.text(id), .text(poolID), .text(document.text)]
    }
}
