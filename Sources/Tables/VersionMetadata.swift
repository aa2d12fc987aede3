/// The metadata of a versioned table's items, by column position. AWS AppSync, "Versioned data sources".
///
/// They are ordinary columns after the table's own, so that selections, filters and results need nothing special. The
/// store alone writes them.
public struct VersionMetadata: Sendable, Hashable {
    /// Begins at 1 and grows by one with each stored change, also across the deletion of the item.
    public var version: Int
    /// 1 of a *tombstone*, a deleted item that is kept so that syncs deliver its deletion; absent of a live item.
    public var deleted: Int
    /// The stamp of the last change, in milliseconds since 1970: never decreasing in the order of the store's commits.
    public var lastChangedAt: Int
    /// From when a tombstone may be removed, in seconds since 1970; absent of a live item.
    public var ttl: Int

    /// The columns, in order.
    static let columns = [
        Column(name: "_version", type: .integer), Column(name: "_deleted", type: .boolean),
        Column(name: "_lastChangedAt", type: .integer), Column(name: "_ttl", type: .integer),
    ]

    /// Metadata whose columns come after so many others.
    init(after count: Int) {
        (version, deleted, lastChangedAt, ttl) = (count, count + 1, count + 2, count + 3)
    }

    /// The positions, in order.
    var positions: Range<Int> { version..<ttl + 1 }
}

extension Table {
    /// Where the metadata stands; nil of a table that is not versioned.
    public var metadata: VersionMetadata? {
        guard isVersioned, let first = position(of: VersionMetadata.columns[0].name) else { return nil }
        return VersionMetadata(after: first)
    }
}
