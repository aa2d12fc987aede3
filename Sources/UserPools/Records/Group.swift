import Tables

/// A group of a pool.
struct Group: Record {
    var poolID: String
    var name: String
    var description: String?
    /// The ARN of the role that members get of an identity pool.
    var roleARN: String?
    /// The lower, the more it counts; groups without one come last.
    var precedence: Int64?
    /// Milliseconds since 1970.
    var created: Int64
    var modified: Int64
    var revision: Int64 = 0

    static let table = Table(
        system: RecordTables.namePrefix + "Groups", ["poolID", "name", "document"], key: ("poolID", "name"))

    init(poolID: String, name: String, created: Int64) {
        (self.poolID, self.name, self.created, modified) = (poolID, name, created, created)
    }

    init?(_ row: [Value], revision: Int64) {
        guard let poolID = row[0].text, let name = row[1].text, let document = RecordDocument(row[2].text) else {
            return nil
        }
        self.init(poolID: poolID, name: name, created: document.integer("created") ?? 0)
        description = document.string("description")
        roleARN = document.string("roleARN")
        precedence = document.integer("precedence")
        modified = document.integer("modified") ?? created
        self.revision = revision
    }

    var row: [Value] {
        var document = RecordDocument()
        document.set("description", description)
        document.set("roleARN", roleARN)
        document.set("precedence", precedence)
        document.set("created", created)
        document.set("modified", modified)
        return [.text(poolID), .text(name), .text(document.text)]
    }
}
