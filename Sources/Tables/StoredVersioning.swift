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
