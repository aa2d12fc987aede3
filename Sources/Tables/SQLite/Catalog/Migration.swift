/// Declared tables against stored ones: the changes between, and the catalog they lead to. A pure function.
///
/// Additions are applied at load: tables, columns and indexes that are new are made, an index that changed or went is dropped.
/// Removals are not: a column or table no longer declared stays until `SQLiteStore.dropLeftovers` removes it. A
/// changed primary key or column type means copying the table with conversion, which waits to be asked for unless every
/// value stays what it is (a whole number becomes a real one), and is lossy if there is anything to lose.
struct Migration {
    /// A step and the statements that carry it out.
    struct Change: Sendable {
        var step: MigrationStep
        var statements: [SQLStatement]
        /// What is to be counted for it; nil of a new table.
        var census: Census?

        init(step: MigrationStep, statements: [SQLStatement], census: Census? = nil) {
            (self.step, self.statements, self.census) = (step, statements, census)
        }

        /// With statements that have no values.
        init(step: MigrationStep, statements: [String], census: Census? = nil) {
            self.init(step: step, statements: statements.map { SQLStatement($0) }, census: census)
        }
    }

    var changes: [Change] = []
    var catalog: Catalog
    /// The stored tables under their new names, before anything else has changed.
    private(set) var renamed: Catalog
    /// The columns whose absent values are filled from another one, by table and name: that one, converted.
    var fills: [String: [String: String]] = [:]
    /// The names SQLite already uses for tables and indexes, in lower case.
    var taken: Set<String>
    private let keepsIndexes: Bool
    /// The stamp of what counts as changed by the migration.
    let stamp: Int64

    init(
        from catalog: Catalog, to tables: [Table], renaming renames: [Rename] = [], keepsIndexes: Bool = false,
        stamp: Int64 = 0
    ) throws(StoreError) {
        try Self.check(tables)
        self.catalog = catalog
        renamed = catalog
        self.keepsIndexes = keepsIndexes
        self.stamp = stamp
        taken = Set(["#tables", "#columns", "#indexes", "#versioning", Self.scratch])
        for table in catalog.tables {
            taken.formUnion([table.storedName.lowercasedASCII, table.keyIndex.lowercasedASCII])
            taken.formUnion(table.indexes.map(\.storedName.lowercasedASCII))
            if let versioning = table.versioning {
                let names = [versioning.changeIndex, versioning.ttlIndex, versioning.lastVersions]
                taken.formUnion(names.map(\.lowercasedASCII))
            }
        }
        for rename in renames { try apply(rename, among: tables) }
        renamed = self.catalog
        for table in tables {
            if let position = self.catalog.tables.firstIndex(where: { $0.name == table.name }) {
                self.catalog.tables[position] = adapt(self.catalog.tables[position], to: table)
            } else {
                self.catalog.tables.append(create(table))
            }
        }
    }

    // MARK: New tables

    private mutating func create(_ table: Table) -> CatalogTable {
        var stored = CatalogTable(
            name: table.name, storedName: take(table.name), key: table.names(of: table.key),
            keyIndex: take(table.name + "#"))
        for column in table.columns { stored.add(column.name, column.type) }
        stored.addSortColumns(of: table)
        var statements = [stored.createTable(stored.storedName), stored.createKeyIndex(on: stored.storedName)]
        for index in table.indexes { statements.append(create(index, of: table, in: &stored)) }
        let versioning = table.isVersioned ? switchVersioningOn(&stored, as: table) : []
        let count = table.indexes.count
        let columns = Counted.text(table.columns.count, "column")
        let indexes = count == 0 ? "" : " and \(count == 1 ? "an index" : Counted.text(count, "index", "indexes"))"
        changes.append(
            Change(
                step: MigrationStep(
                    summary: "Make table \(table.name) with \(columns)\(indexes).", action: .makeTable,
                    table: table.name),
                statements: statements.map { SQLStatement($0) } + versioning))
        return stored
    }

    mutating func create(_ index: SecondaryIndex, of table: Table, in stored: inout CatalogTable) -> String {
        let made = CatalogIndex(
            name: index.name, storedName: take("\(table.name)#\(index.name)"), key: table.names(of: index.key))
        stored.indexes.append(made)
        return stored.createIndex(made)
    }

    // MARK: Stored tables

    private mutating func adapt(_ stored: CatalogTable, to table: Table) -> CatalogTable {
        var stored = stored
        if !table.isVersioned { switchVersioningOff(&stored) }
        for column in table.columns where stored[column: column.name] == nil {
            let made = stored.add(column.name, column.type)
            changes.append(
                Change(
                    step: MigrationStep(
                        summary: "Add column \(column.name) to table \(table.name).", action: .addColumn(column.name),
                        table: table.name),
                    statements: [stored.addColumn(made)], census: stored.census))
        }
        let retyped = table.columns.filter { stored[column: $0.name]?.type != $0.type }
        let isCopied = !retyped.isEmpty || stored.key != table.names(of: table.key)
        if isCopied {
            rebuild(&stored, as: table, retyped)
        } else {
            dropIndexes(of: &stored, notIn: table)
            let made = stored.addSortColumns(of: table)
            if !made.isEmpty {
                let names = made.map(\.name).joined(separator: ", ")
                changes.append(
                    Change(
                        step: MigrationStep(
                            summary: "Add the composite sort key \(names) to table \(table.name).", table: table.name),
                        statements: made.map { stored.addColumn($0) }, census: stored.census))
            }
        }
        for index in table.indexes where stored[index: index.name] == nil {
            let statement = create(index, of: table, in: &stored)
            let step = MigrationStep(
                summary: "Make index \(index.name) of table \(table.name).", action: .makeIndex(index.name),
                table: table.name)
            changes.append(Change(step: step, statements: [statement], census: stored.census))
        }
        if table.isVersioned, !(stored.versioning?.isOn ?? false) {
            let statements = switchVersioningOn(&stored, as: table)
            let step = MigrationStep(
                summary: "Give the items of table \(table.name) versions.", action: .versions, table: table.name)
            changes.append(Change(step: step, statements: statements, census: stored.census))
        }
        return stored
    }

    /// Whether an index of the stored table is declared, the same, or is kept for the API that is being replaced.
    func keeps(_ index: CatalogIndex, for table: Table) -> Bool {
        guard let declared = table.indexes.first(where: { $0.name == index.name }) else { return keepsIndexes }
        return table.names(of: declared.key) == index.key
    }

    private mutating func dropIndexes(of stored: inout CatalogTable, notIn table: Table) {
        for index in stored.indexes where !keeps(index, for: table) {
            stored.indexes.removeAll { $0.name == index.name }
            taken.remove(index.storedName.lowercasedASCII)
            changes.append(
                Change(
                    step: MigrationStep(
                        summary: "Drop index \(index.name) of table \(table.name).", action: .dropIndex(index.name),
                        table: table.name),
                    statements: ["DROP INDEX \(index.storedName.quoted)"], census: stored.census))
        }
    }

    // MARK: Names

    /// The name of a table while it is copied.
    static let scratch = "#copy"

    /// The name, or the first of `name#2`, `name#3` … that SQLite does not use yet; names in `sqlite_` are its own.
    mutating func take(_ name: String) -> String {
        let name = name.lowercasedASCII.hasPrefix("sqlite_") ? "#" + name : name
        let free = name.unique { taken.contains($0.lowercasedASCII) }
        taken.insert(free.lowercasedASCII)
        return free
    }

    private static func check(_ tables: [Table]) throws(StoreError) {
        func refuse(_ message: String) -> StoreError { StoreError(.invalidRequest, message) }
        func check(_ names: [String], _ what: String) throws(StoreError) {
            for name in names where name.isEmpty || name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "#") }) {
                throw StoreError(
                    .invalidRequest, "The name \"\(name)\" of \(what) is not possible.",
                    hint: "A name is not empty and holds neither # nor NUL.")
            }
            if Set(names).count < names.count { throw refuse("The name of \(what) is declared twice.") }
        }
        try check(tables.map(\.name), "a table")
        for table in tables {
            try check(table.columns.map(\.name), "a column of table \(table.name)")
            try check(table.indexes.map(\.name), "an index of table \(table.name)")
            for key in [table.key] + table.indexes.map(\.key)
            where !key.columns.allSatisfy(table.columns.indices.contains) {
                throw refuse("A key of table \(table.name) names a column that it does not have.")
            }
        }
    }
}

extension String {
    /// The name as SQLite compares it: ASCII letters alone are folded.
    var lowercasedASCII: String {
        String(decoding: utf8.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    }

    /// The name, or the first of `name#2`, `name#3` … that is not taken.
    func unique(_ isTaken: (String) -> Bool) -> String {
        var candidate = self
        var number = 2
        while isTaken(candidate) {
            candidate = "\(self)#\(number)"
            number += 1
        }
        return candidate
    }
}

extension [String] {
    var listed: String { joined(separator: ", ") }
}
