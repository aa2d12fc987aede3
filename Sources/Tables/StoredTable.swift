internal import Synchronization

/// A declared table as it stands in the store: its names resolved to SQLite's.
///
/// Immutable, given out by `SQLiteStore.migrate`. Plans keep it: it stays valid for as long as the store holds the
/// columns; those that are declared are never dropped.
public final class StoredTable: Sendable {
    /// The declaration.
    public let table: Table

    /// A number that no other stored table of this process has, by which the writer knows its statements.
    let id: Int
    /// The SQLite table's name, quoted.
    let name: String
    /// The SQLite columns' names, quoted, by position.
    let columns: [String]
    /// The primary key.
    let key: StoredKey
    /// The secondary indexes, by position.
    let indexes: [StoredKey]
    /// What a versioned table has beyond others; nil of the others.
    let versioning: StoredVersioning?

    private static let ids = Atomic<Int>(0)

    init(
        table: Table, name: String, columns: [String], key: StoredKey, indexes: [StoredKey],
        versioning: StoredVersioning?
    ) {
        self.table = table
        self.name = name
        self.columns = columns
        self.key = key
        self.indexes = indexes
        self.versioning = versioning
        id = Self.ids.add(1, ordering: .relaxed).newValue
    }
}

/// A key as it stands in the store; the names are quoted.
struct StoredKey: Sendable, Hashable {
    /// The key by column positions.
    var schema: KeySchema
    /// The SQLite index's name.
    var index: String
    /// The partition key's column.
    var partition: String
    /// The sort key's column: the generated one for a composite key, none without sort key.
    var sort: String?
}

/// What a versioned table has in the store beyond its columns; the names are quoted.
struct StoredVersioning: Sendable, Hashable {
    /// The metadata by column positions.
    var metadata: VersionMetadata
    /// Changes: the items in the order of `_lastChangedAt`, ties in creation order, which SQLite adds to every index.
    var changes: StoredKey
    /// The tombstones by `_ttl`.
    var ttlIndex: String
    /// The table of the last versions of removed items, by key.
    var lastVersions: String
}

extension String {
    /// The name as SQL writes it.
    var quoted: String {
        "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
