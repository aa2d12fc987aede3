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
        condition: Condition? = nil, writeGuard: WriteGuard? = nil, returning: [Int]
    ) -> Write {
        Write(
            table: table, action: .update(key: key, table.replacement(item)), condition: condition,
            writeGuard: writeGuard, returning: returning, versioning: Versioning(expecting: version, .lambda))
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
