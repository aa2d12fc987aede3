import JSON
import Tables

/// The membership of a user in a group. It does not apply to a later user or group of the same name: see `isOf`.
struct Membership: Record {
    /// `User.reference`.
    var user: String
    var group: String
    var poolID: String
    var usernameKey: String
    /// The user's `sub`; nil in a membership of an earlier version.
    var sub: String?
    /// `Group.generation`.
    var generation: String?
    /// Random at first, because a membership of the same user and group may have been removed before.
    var revision = Int64.random(in: 1 << 51..<1 << 52)

    static let table = Table(
        system: RecordTables.namePrefix + "Memberships",
        ["user", "group", "poolAndGroup", "poolID", "usernameKey", "sub", "generation"],
        key: ("user", "group"),
        indexes: [("byGroup", "poolAndGroup", "usernameKey")])

    /// The group among those of all pools.
    static func groupReference(poolID: String, group: String) -> String { "\(poolID)#\(group)" }

    init(_ user: User, _ group: Group) {
        (self.user, self.group, poolID, usernameKey) = (user.reference, group.name, user.poolID, user.usernameKey)
        (sub, generation) = (user.sub, group.generation)
    }

    /// Whether it belongs to this user and this group, not to earlier ones of the same names. A membership of an earlier version
    /// has no `sub` and belongs to the present user and group of the names.
    func isOf(_ user: User, in group: Group) -> Bool {
        guard let sub else { return true }
        return sub.isExactly(user.sub) && generation == group.generation
    }

    init?(_ row: [Value], revision: Int64) {
        guard let user = row[0].text, let group = row[1].text, let poolID = row[3].text, let usernameKey = row[4].text
        else { return nil }
        (self.user, self.group, self.poolID, self.usernameKey) = (user, group, poolID, usernameKey)
        (sub, generation) = (row[5].text, row[6].text)
        self.revision = revision
    }

    var row: [Value] {
        [
            .text(user), .text(group), .text(Self.groupReference(poolID: poolID, group: group)), .text(poolID),
            .text(usernameKey), Value(sub), Value(generation),
        ]
    }
}
