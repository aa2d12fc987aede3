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
