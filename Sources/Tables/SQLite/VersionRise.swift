/// Makes a backup's versioned items newer than those of the data that it will replace, so that devices take them.
///
/// A device keeps what it holds of an item until it gets a later version, and keeps the item until it gets a tombstone.
/// So every version rises past the replaced one, items that the backup lacks become tombstones, and all of them count as
/// changed now: at a stamp not below any that either database holds. A sync that began before, of whatever table, begins
/// anew with everything. All of this is done to the copy, before it takes its place.
struct VersionRise {
    /// What is known of the data that will be replaced.
    private struct Replaced {
        var catalog: Catalog
        var lastStamp: Int64
    }

    private let replacedPath: String
    private let copy: Connection
    private let clock: WallClock
    private let tombstoneSeconds: Int64

    init(
        of file: PartialFile, in folder: DataFolder, clock: WallClock, tombstoneSeconds: Int64
    ) throws(StoreError) {
        replacedPath = DataFolder.database(in: folder.path)
        copy = try Connection(path: file.path, mode: .merging, limits: StoreLimits())
        // The file is synchronised when it is published.
        try copy.execute("PRAGMA synchronous = OFF")
        (self.clock, self.tombstoneSeconds) = (clock, tombstoneSeconds)
    }

    /// Nil, and nothing is done, if neither the backup nor the replaced data are versioned.
    func run() throws(StoreError) -> RestoredVersions? {
        let replaced = try replaced()
        let restored = try Catalog(from: copy)
        guard restored.isVersioned || replaced?.catalog.isVersioned ?? false else { return nil }
        if let replaced {
            do throws(StoreError) {
                try copy.attach(replacedPath, as: RestoreText.schema)
                return try copy.transaction { () throws(StoreError) in try raise(restored, past: replaced) }
            } catch  where [.corrupt, .damaged, .ioError].contains(error.code) {
                // It could be read a moment ago. As if it could not, then: nothing was changed.
            }
        }
        return try copy.transaction { () throws(StoreError) in try raise(restored, past: nil) }
    }

    /// The present database, if it is ours and well-formed; an index that disagrees with its rows would not find versions.
    private func replaced() throws(StoreError) -> Replaced? {
        do throws(StoreError) {
            let connection = try Connection(path: replacedPath, mode: .reading, limits: StoreLimits())
            guard try Catalog.isPresent(on: connection), try connection.isSound(by: "integrity_check") else {
                return nil
            }
            let catalog = try Catalog(from: connection)
            return Replaced(catalog: catalog, lastStamp: try catalog.lastStamp(on: connection))
        } catch  where error.code != .busy {
            return nil
        }
    }

    private func raise(_ restored: Catalog, past replaced: Replaced?) throws(StoreError) -> RestoredVersions {
        let isComplete = try replaced.map { (replaced) throws(StoreError) in
            try goesOn(replaced.catalog, from: restored)
        }
        let stamp = max(
            clock.milliseconds(), try restored.lastStamp(on: copy), replaced?.lastStamp ?? 0)
        // The tables of the replaced data, for the tombstones of their items.
        let declared = (replaced?.catalog.tables ?? []).filter { $0.versioning != nil }.compactMap { other in
            other.declared(with: restored[other.name])
        }
        let migration = try Migration(from: restored, to: declared, keepsIndexes: true, stamp: stamp)
        for statement in migration.changes.flatMap(\.statements) { try copy.execute(statement) }

        var versions = RestoredVersions(isComplete: isComplete ?? false, deletedCount: 0)
        var catalog = migration.catalog
        for (position, table) in catalog.tables.enumerated() {
            guard let versioning = table.versioning, versioning.isOn else { continue }
            let text = RestoreText(table, versioning, other: replaced?.catalog.counterpart(of: table))
            if let count = text.countMissing {
                versions.deletedCount += Int(try copy.rows(count, columns: 1).first?.integer(0) ?? 0)
            }
            let statements = text.statements(
                raisingBy: versions.isComplete ? 1 : RestoredVersions.unknownRise, stamp: stamp,
                ttl: stamp / 1_000 + tombstoneSeconds)
            for statement in statements { try copy.execute(statement) }
            catalog.tables[position].versioning?.deltaHorizon = stamp
        }
        try catalog.store(on: copy)
        return versions
    }

    /// Whether the replaced data are what became of the restored ones: they know each key, by its version or a later one.
    /// A database that was begun anew does not, and its versions say nothing about those of devices.
    private func goesOn(_ replaced: Catalog, from restored: Catalog) throws(StoreError) -> Bool {
        for other in replaced.tables where other.versioning != nil {
            if let table = restored[other.name], !table.hasKey(of: other) { return false }
        }
        for table in restored.tables {
            guard let versioning = table.versioning, versioning.isOn else { continue }
            let text = RestoreText(table, versioning, other: replaced.counterpart(of: table))
            for question in text.laterVersions {
                guard try copy.rows(question, columns: 0).isEmpty else { return false }
            }
        }
        return true
    }
}

extension Catalog {
    fileprivate var isVersioned: Bool { tables.contains { $0.versioning?.isOn ?? false } }

    /// The table of the same name with the same key.
    fileprivate func counterpart(of table: CatalogTable) -> CatalogTable? {
        self[table.name].flatMap { $0.hasKey(of: table) ? $0 : nil }
    }
}

extension CatalogTable {
    fileprivate func hasKey(of other: CatalogTable) -> Bool {
        key == other.key && key.allSatisfy { self[column: $0]?.type == other[column: $0]?.type }
    }

    /// The table as a versioned one that keeps its items and those of a restored table: as the latter is, with the columns
    /// that only this one has. Nil if their keys differ, and where versions are off in both.
    fileprivate func declared(with restored: CatalogTable?) -> Table? {
        guard versioning?.isOn ?? false || restored?.versioning?.isOn ?? false, restored?.hasKey(of: self) ?? true
        else {
            return nil
        }
        let metadata = VersionMetadata.columns.map(\.name)
        var columns: [Column] = []
        for column in (restored?.columns ?? []) + self.columns {
            guard let type = column.type, !metadata.contains(column.name) else { continue }
            if !columns.contains(where: { $0.name == column.name }) {
                columns.append(Column(name: column.name, type: type))
            }
        }
        func schema(_ names: [String]) -> KeySchema? {
            let positions = names.compactMap { name in columns.firstIndex { $0.name == name } }
            guard positions.count == names.count, let partitionKey = positions.first else { return nil }
            return KeySchema(partitionKey: partitionKey, sortKeys: Array(positions.dropFirst()))
        }
        guard let key = schema(key) else { return nil }
        let indexes = (restored ?? self).indexes.compactMap { index in
            schema(index.key).map { SecondaryIndex(name: index.name, key: $0) }
        }
        return Table(name: name, columns: columns, key: key, indexes: indexes, isVersioned: true)
    }
}
