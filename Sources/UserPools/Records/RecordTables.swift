public import Tables

/// The tables of user pools. Their names have a dot, which no name of GraphQL has.
public enum RecordTables {
    /// What the names begin with.
    public static let namePrefix = "UserPools."

    /// All tables, to be brought to the store beside those of a schema.
    public static var all: [Table] { kinds.map { $0.storedTable } }

    static let kinds: [any Record.Type] = [
        StoredPool.self, StoredClient.self, User.self, Alias.self, Group.self, Membership.self, Session.self, Code.self,
        Device.self, AuthorizationCode.self, StoredIdentityPool.self, Identity.self, OutboxMessage.self,
    ]
}
