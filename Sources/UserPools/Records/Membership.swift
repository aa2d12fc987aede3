import Tables

/// That a user is in a group.
struct Membership: Record {
    /// `User.reference`.
    var user: String
    var group: String
    var poolID: String
    var usernameKey: String
    var revision: Int64 = 0

    static let table = Table(
        system: RecordTables.namePrefix + "Memberships", ["user", "group", "poolAndGroup", "poolID", "usernameKey"],
        key: ("user", "group"),
        indexes: [("byGroup", "poolAndGroup", "usernameKey")])

    /// The group among those of all pools.
    static func groupReference(poolID: String, group: String) -> String { "\(poolID)#\(group)" }

    init(_ user: User, group: String) {
        (self.user, self.group, poolID, usernameKey) = (user.reference, group, user.poolID, user.usernameKey)
    }

    init?(_ row: [Value], revision: Int64) {
        guard let user = row[0].text, let group = row[1].text, let poolID = row[3].text, let usernameKey = row[4].text
        else { return nil }
        (self.user, self.group, self.poolID, self.usernameKey) = (user, group, poolID, usernameKey)
        self.revision = revision
    }

    var row: [Value] {
        [
            .text(user), .text(group), .text(Self.groupReference(poolID: poolID, group: group)), .text(poolID),
            .text(usernameKey),
        ]
    }
}
