import JSON
import Tables

/// An identity pool that was made by `CreateIdentityPool`.
struct StoredIdentityPool: Record {
    var id: String
    /// The settings, in the words of the interface.
    var settings: JSONObject
    var revision: Int64 = 0

    static let table = Table(system: RecordTables.namePrefix + "IdentityPools", ["id", "document"], key: ("id", nil))

    init(id: String, settings: JSONObject) { (self.id, self.settings) = (id, settings) }

    init?(_ row: [Value], revision: Int64) {
        guard let id = row[0].text, let document = RecordDocument(row[1].text) else { return nil }
        self.init(id: id, settings: document.object)
        self.revision = revision
    }

    var row: [Value] { [.text(id), .text(RecordDocument(settings).text)] }
}
