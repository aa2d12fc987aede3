/// Versioning switched on and off, over the items that are there.
extension Migration {
    /// Gives the table what versioning needs, and every item a version: 1, or the one after the last that its key ever
    /// had, for devices drop what is not newer than what they know. All items count as changed now.
    mutating func switchVersioningOn(_ stored: inout CatalogTable, as table: Table) -> [SQLStatement] {
        var statements = [CatalogVersioning.makeCatalog, Catalog.stampVersioned]
        var versioning =
            stored.versioning
            ?? CatalogVersioning(
                changeIndex: take("\(table.name)#_lastChangedAt"), ttlIndex: take("\(table.name)#_ttl"),
                lastVersions: take("\(table.name)#versions"))
        if stored.versioning == nil { statements.append(stored.createLastVersions(versioning.lastVersions)) }
        versioning.isOn = true
        stored.versioning = versioning
        return statements.map { SQLStatement($0) } + [stored.giveVersions(versioning, stamp)]
            + stored.createVersionIndexes(versioning).map { SQLStatement($0) }
    }

    /// Takes away what versioning needs, but for the last versions, from which it goes on if it comes back.
    mutating func switchVersioningOff(_ stored: inout CatalogTable) {
        guard let versioning = stored.versioning, versioning.isOn else { return }
        stored.versioning?.isOn = false
        changes.append(
            Change(
                step: MigrationStep(
                    summary: "Switch the versions of table \(stored.name) off.",
                    effect: stored.isEmpty ? .none : .losesData,
                    hint:
                        "Deleted items, which are kept so that devices receive their deletion, are removed. From now "
                        + "on devices receive no deletions and no changes. Make a backup before allowing it.",
                    action: .versions, table: stored.name),
                statements: stored.removeTombstones(versioning)
                    + [versioning.changeIndex, versioning.ttlIndex].map { "DROP INDEX \($0.quoted)" },
                census: Census(table: stored.storedName.quoted, present: "\(stored.metadata(1)) IS NULL")))
    }
}

extension CatalogTable {
    func createLastVersions(_ name: String) -> String {
        let key = keyColumns.count == 1 ? ["\"partition\""] : ["\"partition\"", "\"sort\""]
        let columns = key + ["\"version\" INTEGER NOT NULL", "PRIMARY KEY (\(key.joined(separator: ", ")))"]
        return "CREATE TABLE \(name.quoted) (\(columns.joined(separator: ", "))) WITHOUT ROWID"
    }

    fileprivate func giveVersions(_ versioning: CatalogVersioning, _ stamp: Int64) -> SQLStatement {
        let (version, lastChangedAt) = (metadata(0), metadata(2))
        let last = zip(["\"partition\"", "\"sort\""], keyColumns).map { "v.\($0) = t.\($1)" }
        return SQLStatement(
            """
            UPDATE \(storedName.quoted) AS t SET \(lastChangedAt) = ?1, \(version) = 1 + max(\
            ifnull(\(version), 0), ifnull((SELECT v."version" FROM \(versioning.lastVersions.quoted) AS v \
            WHERE \(last.joined(separator: " AND "))), 0))
            """, [.integer(stamp)])
    }

    func createVersionIndexes(_ versioning: CatalogVersioning) -> [String] {
        [
            "CREATE INDEX \(versioning.changeIndex.quoted) ON \(storedName.quoted) (\(metadata(2)))",
            "CREATE INDEX \(versioning.ttlIndex.quoted) ON \(storedName.quoted) (\(metadata(3))) "
                + "WHERE \(metadata(3)) IS NOT NULL",
        ]
    }

    fileprivate func removeTombstones(_ versioning: CatalogVersioning) -> [String] {
        let rest = "FROM \(storedName.quoted) WHERE \(metadata(1)) IS NOT NULL"
        return [
            "INSERT OR REPLACE INTO \(versioning.lastVersions.quoted) "
                + "SELECT \(keyColumns.joined(separator: ", ")), \(metadata(0)) \(rest)",
            "DELETE \(rest)",
        ]
    }

    /// The column of the stamps, quoted.
    var lastChangedAt: String { metadata(2) }

    /// A column of the metadata, by its position in `VersionMetadata.columns`, quoted.
    func metadata(_ position: Int) -> String { storedColumn(VersionMetadata.columns[position].name) }

    /// The primary key's columns in SQLite, at most two, quoted.
    var keyColumns: [String] { columns(of: key) }
}
