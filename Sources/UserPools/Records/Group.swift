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
    /// Another one in each group, so that memberships of a removed group are none in the next one of the name; nil in a group of
    /// an earlier version.
    var generation: String? = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    /// Random at first, so that no change of a removed group is written over the next group of the name.
    var revision = Int64.random(in: 1 << 51..<1 << 52)

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
        generation = document.string("generation")
        self.revision = revision
    }

    var row: [Value] {
        var document = RecordDocument()
        document.set("description", description)
        document.set("roleARN", roleARN)
        document.set("precedence", precedence)
        document.set("created", created)
        document.set("modified", modified)
        document.set("generation", generation)
        return [.text(poolID), .text(name), .text(document.text)]
    }
}
