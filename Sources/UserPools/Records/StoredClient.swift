import JSON
import Tables

/// A client that was made by `CreateUserPoolClient`.
struct StoredClient: Record {
    var id: String
    var poolID: String
    /// The settings, in the words of `UserPoolClientType`, the secret sealed.
    var settings: JSONObject
    var revision: Int64 = 0

    static let table = Table(
        system: RecordTables.namePrefix + "Clients", ["id", "poolID", "document"], key: ("id", nil),
        indexes: [("byPool", "poolID", "id")])

    init(id: String, poolID: String, settings: JSONObject) {
        (self.id, self.poolID, self.settings) = (id, poolID, settings)
    }

    init?(_ row: [Value], revision: Int64) {
        guard let id = row[0].text, let poolID = row[1].text, let document = RecordDocument(row[2].text) else {
            return nil
        }
        self.init(id: id, poolID: poolID, settings: document.object)
        self.revision = revision
    }

    var row: [Value] { [.text(id), .text(poolID), .text(RecordDocument(settings).text)] }
}
