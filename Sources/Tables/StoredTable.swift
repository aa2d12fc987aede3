internal import Synchronization

/// A declared table as it stands in the store: its names resolved to SQLite's.
///
/// Immutable, given out by `SQLiteStore.migrate`. Plans keep it: it stays valid for as long as the store holds the
/// columns; those that are declared are never dropped. A migration can revoke its writes.
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
    /// Whether plans with this table may still write.
    let permit: WritePermit

    private static let ids = Atomic<Int>(0)

    init(
        table: Table, name: String, columns: [String], key: StoredKey, indexes: [StoredKey],
        versioning: StoredVersioning?, permit: WritePermit
    ) {
        self.table = table
        self.name = name
        self.columns = columns
        self.key = key
        self.indexes = indexes
        self.versioning = versioning
        self.permit = permit
        id = Self.ids.add(1, ordering: .relaxed).newValue
    }
}

extension String {
    /// The name as SQL writes it.
    var quoted: String {
        "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
