/// The metadata of a versioned table's items, by column position. AWS AppSync, "Versioned data sources".
///
/// They are ordinary columns behind the table's own, so that selections, filters and results need nothing special. The
/// store alone writes them.
public struct VersionMetadata: Sendable, Hashable {
    /// Begins at 1 and grows by one with each stored change, also across the deletion of the item.
    public var version: Int
    /// 1 of a deleted item that is kept for devices to hear of, a *tombstone*; absent of a live one.
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

/// Who decides when an update or delete names another version than the stored one. Amplify's `ConflictHandler`.
public enum ConflictHandler: String, Sendable, Hashable, CaseIterable {
    /// An update is merged into the stored item by `Automerge`; a delete is a conflict.
    case automerge = "AUTOMERGE"
    /// It is a conflict, and nothing is stored.
    case optimisticConcurrency = "OPTIMISTIC_CONCURRENCY"
    /// For the store the same: whoever wrote asks the function, and writes its answer with the version it was given:
    /// `Write.resolving` or a delete. If that version is no longer the stored one, it is a conflict again.
    case lambda = "LAMBDA"
}

/// What a write to a versioned table says beyond its action.
public struct Versioning: Sendable, Hashable {
    /// The version that the caller believes to be stored. Absent is as wrong as any other. A put does not look at it.
    public var expected: Int64?
    /// What becomes of an update or delete that expects another version.
    public var conflictHandler: ConflictHandler
    /// Whether a put makes a live item of a tombstone with its key. Else it fails there, as at a live item.
    public var recreatesOverTombstone: Bool

    /// Makes the versioning of a write.
    public init(expecting expected: Int64?, _ handler: ConflictHandler, recreatesOverTombstone: Bool = false) {
        self.expected = expected
        conflictHandler = handler
        self.recreatesOverTombstone = recreatesOverTombstone
    }
}

extension Write {
    /// The answer RESOLVE of a conflict's function: the item replaces the stored one, except for key and metadata, which
    /// are ignored in it, if the stored version still is the one that the function was given. REMOVE is a delete that
    /// expects that version.
    public static func resolving(
        _ key: [Value], as item: [(column: Int, value: Value)], of table: StoredTable, expecting version: Int64,
        condition: Condition? = nil, returning: [Int]
    ) -> Write {
        Write(
            table: table, action: .update(key: key, table.replacement(item)), condition: condition,
            returning: returning, versioning: Versioning(expecting: version, .lambda))
    }
}

extension StoredTable {
    /// All attributes but key and metadata: those not given are removed.
    func replacement(_ attributes: [(column: Int, value: Value)]) -> [(column: Int, value: Value)] {
        let kept = table.key.columns + (versioning.map { Array($0.metadata.positions) } ?? [])
        return table.columns.indices.filter { !kept.contains($0) }.map { column in
            (column, attributes.last { $0.column == column }?.value ?? .null)
        }
    }
}
