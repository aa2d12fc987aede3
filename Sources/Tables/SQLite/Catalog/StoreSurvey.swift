/// A look at what a folder stores, for people who plan a migration: one snapshot, without the folder's lock, beside a
/// server that runs. Used by one thread.
///
/// Counting reads whole tables, once or twice for each step that asks for it, in bounded memory.
public final class StoreSurvey {
    private let connection: Connection
    /// What is stored.
    public let catalog: Catalog
    /// The last migration that was asked about: a caller asks for the items of one table after the other.
    private var planned: (tables: [Table], renames: [Rename], migration: Migration)?

    /// Opens the folder's database; nil when there is none yet. An interrupted restore is refused as `damaged`.
    public init?(folder: String) throws(StoreError) {
        guard try DataFolder.findsDatabase(in: folder) else { return nil }
        let connection = try Connection(
            path: DataFolder.database(in: folder), mode: .reading, limits: StoreLimits())
        guard try Catalog.isPresent(on: connection) else { return nil }
        try connection.sortInFiles()
        try connection.execute("BEGIN")
        self.connection = connection
        catalog = try Catalog(from: connection)
    }

    /// The names of the stored columns, by the names of their tables.
    public var storedNames: [String: Set<String>] {
        Dictionary(catalog.tables.map { ($0.name, Set($0.columns.map(\.name))) }, uniquingKeysWith: { $1 })
    }

    /// The steps from what is stored to these tables, each with what it concerns and loses, counted.
    public func plan(for tables: [Table], renaming renames: [Rename] = []) throws(StoreError) -> [MigrationStep] {
        var steps: [MigrationStep] = []
        for change in try migration(to: tables, renaming: renames).changes {
            steps.append(try change.counted(on: connection))
        }
        return steps
    }

    /// What is stored beside these tables, counted.
    public func leftovers(beside tables: [Table]) throws(StoreError) -> [Leftover] {
        var leftovers: [Leftover] = []
        for stored in catalog.tables where !Table.isSystem(stored.name) {
            guard let table = tables.first(where: { $0.name == stored.name }) else {
                leftovers.append(.table(stored.name, items: try count(stored)))
                continue
            }
            let columns = stored.leftoverColumns(beside: table)
            for (column, count) in zip(columns, try values(of: columns, in: stored)) {
                leftovers.append(.column(table: stored.name, name: column.name, values: count))
            }
        }
        return leftovers
    }

    /// Tables and columns that seem to have another name now. A stored one that is not declared any more holds
    /// something, and exactly one that is declared is not stored, or empty: of the same type, or with the same primary
    /// key and the columns of one among those of the other.
    public func possibleRenames(to tables: [Table]) throws(StoreError) -> [Rename] {
        var renames = possibleTables(tables).map { Rename.table(old: $0, new: $1) }
        for table in tables {
            guard let stored = catalog[table.name], !stored.isEmpty else { continue }
            let gone = stored.leftoverColumns(beside: table)
            guard !gone.isEmpty else { continue }
            let metadata = Set(VersionMetadata.columns.map(\.name))
            let declared = table.columns.filter { !metadata.contains($0.name) }
            let present = stored.columns.filter { column in declared.contains { $0.name == column.name } }
            let counts = try values(of: gone + present, in: stored)
            let held = Set(zip(gone + present, counts).filter { $0.1 > 0 }.map(\.0.name))
            for type in ColumnType.allCases {
                let old = gone.filter { $0.type == type && held.contains($0.name) }
                let added = declared.filter { $0.type == type && stored[column: $0.name] == nil }
                let empty = declared.filter {
                    $0.type == type && stored[column: $0.name] != nil && !held.contains($0.name)
                }
                let new = added.isEmpty ? empty : added
                guard old.count == 1, new.count == 1 else { continue }
                renames.append(.column(table: table.name, old: old[0].name, new: new[0].name))
            }
        }
        return renames
    }

    private func possibleTables(_ tables: [Table]) -> [(old: String, new: String)] {
        let gone = catalog.tables.filter { stored in
            !stored.isEmpty && !Table.isSystem(stored.name) && !tables.contains { $0.name == stored.name }
        }
        let added = tables.filter { catalog[$0.name]?.isEmpty ?? true }
        func isAlike(_ stored: CatalogTable, _ table: Table) -> Bool {
            let metadata = Set(VersionMetadata.columns.map(\.name))
            let declared = Set(table.columns.filter { !metadata.contains($0.name) }.map { "\($0.name) \($0.type)" })
            let columns = Set(
                stored.columns.compactMap { column in
                    metadata.contains(column.name) ? nil : column.type.map { "\(column.name) \($0)" }
                })
            return stored.key == table.names(of: table.key)
                && (declared.isSubset(of: columns) || columns.isSubset(of: declared))
        }
        return gone.compactMap { stored in
            let new = added.filter { isAlike(stored, $0) }
            guard new.count == 1, gone.count(where: { isAlike($0, new[0]) }) == 1 else { return nil }
            return (stored.name, new[0].name)
        }
    }

    /// Calls `body` with the columns of each live item of the table, in the order of creation, as they will be after a
    /// migration to it: converted, and absent where the column is not stored yet.
    public func forEachItem(
        of table: Table, columns: [Int], renaming renames: [Rename] = [], among tables: [Table],
        _ body: (Item) -> Void
    ) throws(StoreError) {
        let migration = try migration(to: tables, renaming: renames)
        guard let stored = migration.renamed[table.name], !stored.isEmpty, !columns.isEmpty else { return }
        let outputs = columns.map { position in
            let declared = table.columns[position]
            guard let column = stored[column: declared.name], let type = column.type else { return "NULL" }
            let name = column.storedName.quoted
            let fill = migration.fills[table.name]?[declared.name].map { "coalesce(\(name), \($0))" }
            return type.conversion(of: fill ?? name, to: declared.type)
        }
        let live = stored.versioning?.isOn ?? false ? " WHERE \(stored.metadata(1)) IS NULL" : ""
        try connection.forEachRow(
            "SELECT \(outputs.joined(separator: ", ")) FROM \(stored.storedName.quoted)\(live) ORDER BY \"#\"",
            columns: outputs.count, body)
    }

    private func migration(to tables: [Table], renaming renames: [Rename]) throws(StoreError) -> Migration {
        if let planned, planned.tables == tables, planned.renames == renames { return planned.migration }
        let migration = try Migration(from: catalog, to: tables, renaming: renames)
        planned = (tables, renames, migration)
        return migration
    }

    private func count(_ stored: CatalogTable) throws(StoreError) -> Int {
        Int(try connection.rows("SELECT count(*) FROM \(stored.storedName.quoted)", columns: 1)[0].integer(0))
    }

    private func values(of columns: [CatalogColumn], in stored: CatalogTable) throws(StoreError) -> [Int] {
        guard !columns.isEmpty else { return [] }
        let outputs = columns.map { "count(\($0.storedName.quoted))" }.joined(separator: ", ")
        let row = try connection.rows("SELECT \(outputs) FROM \(stored.storedName.quoted)", columns: columns.count)[0]
        return columns.indices.map { Int(row.integer($0)) }
    }
}
