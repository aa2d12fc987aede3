/// A declared table: its columns, its primary key and its secondary indexes. DynamoDB's words for DynamoDB's things.
///
/// Pure data, made by the schema's transformation and handed to `SQLiteStore.migrate`, which answers with a
/// `StoredTable`. Names are the schema's own and case-sensitive; they are not empty and hold neither `#` nor NUL.
public struct Table: Sendable, Hashable {
    /// The model's name, unique among the tables of a store.
    public var name: String
    /// The attributes of an item. Everything else speaks of a column by its position here.
    public var columns: [Column]
    /// The primary key: two items never share it.
    public var key: KeySchema
    /// Other keys by which items are queried.
    public var indexes: [SecondaryIndex]
    /// Whether its items have versions, and deleted ones stay as tombstones, so that syncs deliver deletions.
    public var isVersioned: Bool

    /// Makes a table of its parts. A versioned one has the columns of `VersionMetadata` after those given.
    public init(
        name: String, columns: [Column], key: KeySchema, indexes: [SecondaryIndex] = [], isVersioned: Bool = false
    ) {
        self.name = name
        self.columns = columns + (isVersioned ? VersionMetadata.columns : [])
        self.isVersioned = isVersioned
        self.key = key
        self.indexes = indexes
    }

    /// Whether a table of this name is the server's own: its name has a dot, which no name of GraphQL has. Such tables are
    /// brought to the store apart from those of a schema, and are never left over beside them.
    static func isSystem(_ name: String) -> Bool { name.utf8.contains(UInt8(ascii: ".")) }

    /// The position of the column that keeps this field, if there is one.
    public func position(of field: String) -> Int? {
        columns.firstIndex { $0.field == field }
    }
}
