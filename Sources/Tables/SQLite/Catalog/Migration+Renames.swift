/// Renames only change what the catalog calls a table or column: SQLite's own names stay, so that it takes no time and
/// whatever refers to them holds.
extension Migration {
    mutating func apply(_ rename: Rename, among tables: [Table]) throws(StoreError) {
        switch rename {
        case .table(let old, let new): try renameTable(old, to: new, among: tables)
        case .column(let table, let old, let new): try renameColumn(old, to: new, of: table, among: tables)
        }
    }

    private mutating func renameTable(_ old: String, to new: String, among tables: [Table]) throws(StoreError) {
        guard tables.contains(where: { $0.name == new }) else {
            throw refusal("The schema has no model whose table is \(new).")
        }
        guard !tables.contains(where: { $0.name == old }) else {
            throw refusal("The schema still has a model whose table is \(old).")
        }
        guard catalog[old] != nil else {
            throw refusal("No table \(old) is stored.", "Stored are \(catalog.tableNames.listed).")
        }
        var statements: [String] = []
        if let present = catalog[new] {
            guard present.isEmpty else {
                throw refusal(
                    "The table \(new) holds items already, so \(old) cannot become it.",
                    "Delete the items of \(new) first, or name the table with @mapsTo.")
            }
            statements = present.drop
            for name in present.storedNames { taken.remove(name.lowercasedASCII) }
            catalog.tables.removeAll { $0.name == new }
        }
        guard let position = catalog.tables.firstIndex(where: { $0.name == old }) else { return }
        catalog.tables[position].name = new
        changes.append(
            Change(
                step: MigrationStep(
                    summary: "Rename table \(old) to \(new).", action: .renameTable(old: old), table: new),
                statements: statements,
                census: catalog.tables[position].census))
    }

    private mutating func renameColumn(
        _ old: String, to new: String, of name: String, among tables: [Table]
    ) throws(StoreError) {
        guard let table = tables.first(where: { $0.name == name }),
            let position = catalog.tables.firstIndex(where: { $0.name == name })
        else { throw refusal("No table \(name) is stored and declared.") }
        var stored = catalog.tables[position]
        let names = table.columns.map(\.name)
        guard names.contains(new) else { throw refusal("\(name) has no field that is stored as \(new).") }
        guard !names.contains(old) else { throw refusal("\(name) still has a field that is stored as \(old).") }
        guard let column = stored[column: old], let type = column.type else {
            let gone = stored.columns.filter { $0.type != nil && !names.contains($0.name) }.map(\.name)
            throw refusal(
                "The table \(name) stores no \(old).",
                gone.isEmpty ? nil : "Stored and no longer declared: \(gone.listed).")
        }
        guard !VersionMetadata.columns.contains(where: { $0.name == old || $0.name == new }) else {
            throw refusal("\(old) and \(new) cannot be renamed: the store keeps versions by these names.")
        }
        var census = stored.census
        var statements: [String] = []
        if let present = stored[column: new], let presentType = present.type {
            // It was added when the schema was loaded: it gets what it lacks, and what it has stays.
            let value = type.conversion(of: column.storedName.quoted, to: presentType)
            let target = present.storedName.quoted
            var values = ["\(target) = \(value)", "\(column.storedName.quoted) = NULL"]
            if let versioning = stored.versioning, versioning.isOn {
                values += [
                    "\(stored.metadata(0)) = \(stored.metadata(0)) + 1", "\(stored.metadata(2)) = \(stamp)",
                ]
            }
            statements = [
                "UPDATE \(stored.storedName.quoted) SET \(values.joined(separator: ", ")) "
                    + "WHERE \(target) IS NULL AND (\(value)) IS NOT NULL"
            ]
            fills[name, default: [:]][new] = value
        } else {
            stored.rename(old, to: new)
        }
        census.columns = []
        catalog.tables[position] = stored
        changes.append(
            Change(
                step: MigrationStep(
                    summary: "Rename column \(old) of table \(name) to \(new).",
                    action: .renameColumn(old: old, new: new), table: name),
                statements: statements, census: census))
    }

    private func refusal(_ message: String, _ hint: String? = nil) -> StoreError {
        StoreError(.invalidRequest, "The rename is not possible: \(message)", hint: hint)
    }
}

extension CatalogTable {
    /// Calls a column otherwise, in the keys and composite sort keys too.
    fileprivate mutating func rename(_ old: String, to new: String) {
        func renamed(_ names: [String]) -> [String] { names.map { $0 == old ? new : $0 } }
        key = renamed(key)
        for index in indexes.indices { indexes[index].key = renamed(indexes[index].key) }
        for column in columns.indices {
            let parts = columns[column].name.split(separator: "#").map(String.init)
            columns[column].name = renamed(parts).joined(separator: "#")
        }
    }

    /// The statements that remove the table with all that belongs to it; its indexes go with it.
    var drop: [String] {
        ([storedName] + (versioning.map { [$0.lastVersions] } ?? [])).map { "DROP TABLE \($0.quoted)" }
    }

    /// The names that SQLite knows the table and what belongs to it by.
    var storedNames: [String] {
        let versions = versioning.map { [$0.changeIndex, $0.ttlIndex, $0.lastVersions] } ?? []
        return [storedName, keyIndex] + indexes.map(\.storedName) + versions
    }
}
