import JSON
import Tables

/// Another name that finds a user: an address, a preferred user name, or the account at an identity pool's provider.
struct Alias: Record {
    /// The user pool or identity pool.
    var poolID: String
    /// The attribute's name and its value, such as `email:jane@example.com`.
    var alias: String
    /// What it finds: the user's name as names are compared, or the identity's id.
    var target: String
    var revision: Int64 = 0

    static let table = Table(
        system: RecordTables.namePrefix + "Aliases", ["poolID", "alias", "target"], key: ("poolID", "alias"))

    init(poolID: String, alias: String, target: String) {
        (self.poolID, self.alias, self.target) = (poolID, alias, target)
    }

    init?(_ row: [Value], revision: Int64) {
        guard let poolID = row[0].text, let alias = row[1].text, let target = row[2].text else { return nil }
        self.init(poolID: poolID, alias: alias, target: target)
        self.revision = revision
    }

    /// The attribute's name. By code points: a value may begin with a mark that combines with the `:`.
    var attribute: String { String(alias.unicodeScalars.prefix { $0 != ":" }) }

    /// Whether both find the same.
    func isSame(as other: Alias) -> Bool { alias.isExactly(other.alias) && target.isExactly(other.target) }

    var row: [Value] { [.text(poolID), .text(alias), .text(target)] }
}
