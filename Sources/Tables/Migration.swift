/// One step of a migration, for people.
public struct MigrationStep: Sendable, Hashable {
    /// What a step does to the data that is there.
    public enum Effect: Int, Sendable, Hashable, Comparable {
        /// Nothing: it adds, or drops what can be made again.
        case none
        /// Items are copied into another shape, whole.
        case converts
        /// Items or attributes may be lost.
        case losesData

        /// By how much a step does.
        public static func < (left: Effect, right: Effect) -> Bool { left.rawValue < right.rawValue }
    }

    /// What is done, as a sentence.
    public var summary: String
    /// What it does to the data that is there.
    public var effect: Effect
    /// What to know or do about it, as a sentence.
    public var hint: String?

    /// Makes a step of its parts.
    public init(summary: String, effect: Effect = .none, hint: String? = nil) {
        self.summary = summary
        self.effect = effect
        self.hint = hint
    }

    /// Whether items or attributes may be lost by it.
    public var losesData: Bool { effect == .losesData }
}

/// Declared tables against stored ones: the changes between, and the catalog they lead to. A pure function.
///
/// Making is free: tables, columns and indexes that are new are made at once, an index that changed or went is dropped.
/// Unmaking is not: a column or table no longer declared stays where it is. A changed primary key or column type means
/// copying the table with conversion, which waits to be asked for, and is lossy if there is anything to lose.
struct Migration {
    /// A step and the statements that carry it out.
    struct Change: Sendable {
        var step: MigrationStep
        var statements: [String]
    }

    var changes: [Change] = []
    private(set) var catalog: Catalog
    /// The names SQLite already uses for tables and indexes, in lower case.
    private var taken: Set<String>
    private let keepsIndexes: Bool
    /// The stamp of what counts as changed by the migration.
    let stamp: Int64

    init(
        from catalog: Catalog, to tables: [Table], keepsIndexes: Bool = false, stamp: Int64 = 0
    ) throws(StoreError) {
        try Self.check(tables)
        self.catalog = catalog
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
        for table in tables {
            if let position = catalog.tables.firstIndex(where: { $0.name == table.name }) {
                self.catalog.tables[position] = adapt(catalog.tables[position], to: table)
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
        if table.isVersioned { statements += switchVersioningOn(&stored, as: table) }
        let count = table.indexes.count
        let columns = table.columns.count == 1 ? "1 column" : "\(table.columns.count) columns"
        let indexes = count == 0 ? "" : " and \(count == 1 ? "an index" : "\(count) indexes")"
        changes.append(
            Change(
                step: MigrationStep(
                    summary: "Make table \(table.name) with \(columns)\(indexes)."),
                statements: statements))
        return stored
    }

    private mutating func create(_ index: SecondaryIndex, of table: Table, in stored: inout CatalogTable) -> String {
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
                    step: MigrationStep(summary: "Add column \(column.name) to table \(table.name)."),
                    statements: [stored.addColumn(made)]))
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
                        step: MigrationStep(summary: "Add the composite sort key \(names) to table \(table.name)."),
                        statements: made.map { stored.addColumn($0) }))
            }
        }
        for index in table.indexes where stored[index: index.name] == nil {
            let statement = create(index, of: table, in: &stored)
            let step = MigrationStep(summary: "Make index \(index.name) of table \(table.name).")
            changes.append(Change(step: step, statements: [statement]))
        }
        if table.isVersioned, !(stored.versioning?.isOn ?? false) {
            let statements = switchVersioningOn(&stored, as: table)
            let step = MigrationStep(summary: "Give the items of table \(table.name) versions.")
            changes.append(Change(step: step, statements: statements))
        }
        return stored
    }

    private mutating func dropIndexes(of stored: inout CatalogTable, notIn table: Table) {
        for index in stored.indexes {
            let declared = table.indexes.first { $0.name == index.name }
            if let declared, table.names(of: declared.key) == index.key { continue }
            if keepsIndexes, declared == nil { continue }
            stored.indexes.removeAll { $0.name == index.name }
            taken.remove(index.storedName.lowercasedASCII)
            changes.append(
                Change(
                    step: MigrationStep(summary: "Drop index \(index.name) of table \(table.name)."),
                    statements: ["DROP INDEX \(index.storedName.quoted)"]))
        }
    }

    /// Copies the table into a new one (SQLite, "ALTER TABLE", "Making Other Kinds Of Table Schema Changes").
    private mutating func rebuild(_ stored: inout CatalogTable, as table: Table, _ retyped: [Column]) {
        var statements = ([stored.keyIndex] + stored.indexes.map(\.storedName)).map { "DROP INDEX \($0.quoted)" }
        for index in stored.indexes { taken.remove(index.storedName.lowercasedASCII) }
        var reasons: [String] = []
        var isLossy = false
        var selected: [(into: String, value: String)] = []
        for (position, column) in stored.columns.enumerated() {
            guard let type = column.type else { continue }
            let name = column.storedName.quoted
            if let declared = retyped.first(where: { $0.name == column.name }) {
                selected.append((name, type.conversion(of: name, to: declared.type)))
                stored.columns[position].type = declared.type
                isLossy = isLossy || !type.convertsWholly(to: declared.type)
                reasons.append("column \(column.name) changes from \(type.rawValue) to \(declared.type.rawValue)")
            } else {
                selected.append((name, name))
            }
        }
        let key = table.names(of: table.key)
        // The indexes of versions go with the table. They are made anew, and all items count as changed.
        stored.versioning?.isOn = false
        if stored.key != key {
            if let versioning = stored.versioning { statements.append("DROP TABLE \(versioning.lastVersions.quoted)") }
            stored.versioning = nil
            isLossy = true
            reasons.append("the primary key changes from \(stored.key.listed) to \(key.listed)")
        }
        stored.key = key
        stored.columns.removeAll { $0.type == nil }
        stored.addSortColumns(of: table)
        let keyColumns = Set(key.compactMap { stored[column: $0]?.storedName.quoted })
        let present = selected.filter { keyColumns.contains($0.into) }.map { "ifnull(\($0.value), '') <> ''" }
        let scratch = Self.scratch
        statements += [
            stored.createTable(scratch),
            stored.createKeyIndex(on: scratch),
            "INSERT OR IGNORE INTO \(scratch.quoted) (\"#\", \(selected.map(\.into).joined(separator: ", "))) "
                + "SELECT \"#\", \(selected.map(\.value).joined(separator: ", ")) FROM \(stored.storedName.quoted) "
                + "WHERE \(present.joined(separator: " AND ")) ORDER BY \"#\"",
            "DROP TABLE \(stored.storedName.quoted)",
            "ALTER TABLE \(scratch.quoted) RENAME TO \(stored.storedName.quoted)",
        ]
        // Indexes whose declaration is the same are made again without a word.
        let declared = table.indexes.filter { stored[index: $0.name]?.key == table.names(of: $0.key) }
        stored.indexes = []
        for index in declared { statements.append(create(index, of: table, in: &stored)) }
        // An empty table has nothing to lose, nor to wait for.
        let effect: MigrationStep.Effect = stored.isEmpty ? .none : isLossy ? .losesData : .converts
        changes.append(
            Change(
                step: MigrationStep(
                    summary: "Copy table \(table.name) with conversion: \(reasons.joined(separator: "; ")).",
                    effect: effect,
                    hint: effect == .losesData
                        ? "Values that cannot be converted become absent; items that lack a key attribute, and all but "
                            + "the first of those with equal keys, are removed. Make a backup before allowing it."
                        : nil),
                statements: statements))
    }

    // MARK: Names

    /// The name of a table while it is copied.
    private static let scratch = "#copy"

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
    fileprivate var listed: String { joined(separator: ", ") }
}
