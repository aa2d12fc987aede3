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
    /// Whether its items have versions, and deleted ones stay as tombstones for devices to hear of.
    public var isVersioned: Bool

    /// Makes a table of its parts. A versioned one has the columns of `VersionMetadata` behind those given.
    public init(
        name: String, columns: [Column], key: KeySchema, indexes: [SecondaryIndex] = [], isVersioned: Bool = false
    ) {
        self.name = name
        self.columns = columns + (isVersioned ? VersionMetadata.columns : [])
        self.isVersioned = isVersioned
        self.key = key
        self.indexes = indexes
    }

    /// The position of the column that keeps this field, if there is one.
    public func position(of field: String) -> Int? {
        columns.firstIndex { $0.field == field }
    }
}

/// An attribute every item of a table may have. Any attribute may be absent, which is NULL in the store.
public struct Column: Sendable, Hashable {
    /// The attribute's name, unique in its table: what the store knows it by.
    public var name: String
    /// What the attribute holds.
    public var type: ColumnType
    /// The field's name, by which the layers above look the column up. It is the attribute's unless the schema maps
    /// one onto the other, so that a field may be renamed and its data stays.
    public var field: String

    /// Makes a column of its name and type, and of its field where that is called otherwise.
    public init(name: String, type: ColumnType, field: String? = nil) {
        self.name = name
        self.type = type
        self.field = field ?? name
    }
}

/// What a column holds.
public enum ColumnType: String, Sendable, Hashable, CaseIterable {
    /// A string, compared by its UTF-8 bytes.
    case text
    /// A whole number of 64 bits.
    case integer
    /// A finite floating-point number.
    case real
    /// A truth value, kept as the integer 0 or 1.
    case boolean
    /// JSON text: lists and nested types.
    case json
}

/// A key by column positions: one partition key, and zero or more sort keys.
///
/// Two or more sort keys are one *composite* sort key: their parts, rendered as text and joined by `#`, are compared
/// as one text. So "10" comes before "9", and `beginsWith` may end inside a part, as in DynamoDB under Amplify.
public struct KeySchema: Sendable, Hashable {
    /// The column all items of one Query share.
    public var partitionKey: Int
    /// The columns that order the items of a Query.
    public var sortKeys: [Int]

    /// Makes a key schema of column positions.
    public init(partitionKey: Int, sortKeys: [Int] = []) {
        self.partitionKey = partitionKey
        self.sortKeys = sortKeys
    }

    /// All positions, the partition key first: the order in which the values of a key are given.
    public var columns: [Int] { [partitionKey] + sortKeys }

    /// Whether the sort key has two or more parts.
    public var isComposite: Bool { sortKeys.count > 1 }
}

/// A second key of a table. An item that lacks any attribute of it is not in the index.
public struct SecondaryIndex: Sendable, Hashable {
    /// The index's name, unique in its table.
    public var name: String
    /// The attributes it finds items by; items may share them.
    public var key: KeySchema

    /// Makes an index of its name and key.
    public init(name: String, key: KeySchema) {
        self.name = name
        self.key = key
    }
}
