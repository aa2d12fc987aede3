/// Copying a table into a new one, where its primary key or the types of its columns have changed.
extension Migration {
    /// What becomes of a column: the name it is stored under, its value in the new table, and when that value is lost.
    private struct Conversion {
        var from: ColumnType
        var to: ColumnType
        var into: String
        var value: String
        var loss: String?
        /// Whether the stored table has the column already; one that is added in the same migration holds nothing.
        var isStored = true

        var isRetyped: Bool { from != to }
    }

    /// Copies the table into a new one (SQLite, "ALTER TABLE", "Making Other Kinds Of Table Schema Changes").
    ///
    /// Only a changed primary key, or a part of it with another type, may cost items: those without it, and all but the
    /// first of those with the same. Every other copy takes all of them, whatever they hold.
    mutating func rebuild(_ stored: inout CatalogTable, as table: Table, _ retyped: [Column]) {
        let key = table.names(of: table.key)
        let isRekeyed = stored.key != key
        let conversions = conversions(of: stored, retyped)
        var reasons = retyped.compactMap { column in
            conversions[column.name].map {
                "column \(column.name) changes from \($0.from.rawValue) to \($0.to.rawValue)"
            }
        }
        if isRekeyed { reasons.append("the primary key changes from \(stored.key.listed) to \(key.listed)") }
        let isWidening =
            !isRekeyed && retyped.allSatisfy { conversions[$0.name]?.from == .integer && $0.type == .real }

        var census = Census(table: stored.storedName.quoted, columns: stored.typedColumns, isCopy: true)
        census.leastEffect = isWidening ? .none : .converts
        census.losses = stored.columns.compactMap { conversions[$0.name] }.filter(\.isRetyped).compactMap(\.loss)
        let parts = key.compactMap { conversions[$0] }
        let mayRemove = isRekeyed || parts.contains { $0.loss != nil }
        if mayRemove { census.present = present(parts, in: table, \.isStored) }
        // Values of another type may become equal, as texts of a composite sort key also where they were not.
        if isRekeyed || parts.contains(where: \.isRetyped) { census.key = expressions(parts) }

        var statements = ([stored.keyIndex] + stored.indexes.map(\.storedName)).map { "DROP INDEX \($0.quoted)" }
        for index in stored.indexes { taken.remove(index.storedName.lowercasedASCII) }
        statements += convertLastVersions(of: &stored, to: key, conversions)
        for (position, column) in stored.columns.enumerated() {
            if let conversion = conversions[column.name] { stored.columns[position].type = conversion.to }
        }
        stored.key = key
        let kept = stored.indexes.filter { keeps($0, for: table) }
        stored.columns.removeAll { $0.type == nil }
        stored.addSortColumns(of: table)
        for index in kept where index.key.count > 2 {
            let name = index.key.dropFirst().joined(separator: "#")
            if stored[column: name] == nil { stored.add(name, nil) }
        }
        let selected = stored.columns.compactMap { conversions[$0.name] }
        let scratch = Self.scratch
        statements += [
            stored.createTable(scratch),
            stored.createKeyIndex(on: scratch),
            "INSERT \(census.key.isEmpty ? "" : "OR IGNORE ")INTO \(scratch.quoted) "
                + "(\"#\", \(selected.map(\.into).joined(separator: ", "))) "
                + "SELECT \"#\", \(selected.map(\.value).joined(separator: ", ")) FROM \(stored.storedName.quoted) "
                + (mayRemove ? "WHERE \(present(parts, in: table)) " : "") + "ORDER BY \"#\"",
            "DROP TABLE \(stored.storedName.quoted)",
            "ALTER TABLE \(scratch.quoted) RENAME TO \(stored.storedName.quoted)",
        ]
        // Indexes whose declaration is the same are made again without a step of their own.
        stored.indexes = []
        for index in kept {
            let storedName = take(index.storedName)
            let made = CatalogIndex(name: index.name, storedName: storedName, key: index.key)
            stored.indexes.append(made)
            statements.append(stored.createIndex(made))
        }
        if let versioning = stored.versioning, versioning.isOn {
            // The indexes of versions went with the table. Where values change, all items count as changed.
            if isWidening {
                statements += stored.createVersionIndexes(versioning)
            } else {
                stored.versioning?.isOn = false
            }
        }
        // An empty table has nothing to lose, nor to wait for.
        let effect: MigrationStep.Effect =
            stored.isEmpty ? .none : census.mayLose ? .losesData : census.leastEffect
        changes.append(
            Change(
                step: MigrationStep(
                    summary: "Copy table \(table.name) with conversion: \(reasons.joined(separator: "; ")).",
                    effect: effect,
                    hint: effect == .losesData
                        ? "Values that cannot be converted become absent; items that lack a key attribute, and all but "
                            + "the first of those with equal keys, are removed. Make a backup before allowing it."
                        : nil, action: .copyTable, table: table.name),
                statements: statements, census: census))
    }

    private func conversions(of stored: CatalogTable, _ retyped: [Column]) -> [String: Conversion] {
        let before = renamed[stored.name]
        var conversions: [String: Conversion] = [:]
        for column in stored.columns {
            guard let type = column.type else { continue }
            let (name, to) = (column.storedName.quoted, retyped.first { $0.name == column.name }?.type ?? type)
            conversions[column.name] = Conversion(
                from: type, to: to, into: name, value: type.conversion(of: name, to: to),
                loss: type.loss(of: name, to: to), isStored: before?[column: column.name] != nil)
        }
        return conversions
    }

    /// That an item has the key: every attribute of it, and no empty one where it is a key by itself. A part of a
    /// composite sort key may be empty, for the joined text is not.
    private func present(
        _ parts: [Conversion], in table: Table, _ exists: (Conversion) -> Bool = { _ in true }
    ) -> String {
        parts.enumerated().map { position, part in
            if !exists(part) { return "0" }
            let mayBeEmpty = part.to != .text || (position > 0 && table.key.isComposite)
            return mayBeEmpty ? "(\(part.value)) IS NOT NULL" : "ifnull(\(part.value), '') <> ''"
        }.joined(separator: " AND ")
    }

    /// The partition key and the one sort key, as expressions on the table before it is copied.
    private func expressions(_ parts: [Conversion]) -> [String] {
        let values = parts.map { (sql: $0.isStored ? "(\($0.value))" : "NULL", type: Optional($0.to)) }
        guard values.count > 2 else { return values.map(\.sql) }
        return [values[0].sql, CatalogTable.joined(Array(values.dropFirst()))]
    }

    /// The last versions of removed items go on under the converted keys. Under another primary key there are none, and
    /// a device can learn of deletions that it has not received yet only by reading everything.
    private func convertLastVersions(
        of stored: inout CatalogTable, to key: [String], _ conversions: [String: Conversion]
    ) -> [String] {
        guard let versioning = stored.versioning else { return [] }
        let name = versioning.lastVersions.quoted
        let (before, sorts) = (stored.key.compactMap { conversions[$0] }, key.dropFirst())
        if stored.key != key || (sorts.count > 1 && !before.dropFirst().allSatisfy { $0.from.rendersLike($0.to) }) {
            stored.versioning?.deltaHorizon = max(versioning.deltaHorizon, stamp)
            var changed = stored
            changed.key = key
            return ["DROP TABLE \(name)", changed.createLastVersions(versioning.lastVersions)]
        }
        var statements: [String] = []
        let columns = zip(["\"partition\"", "\"sort\""], before.prefix(sorts.count > 1 ? 1 : 2))
        for (column, part) in columns where part.isRetyped {
            let value = part.from.conversion(of: column, to: part.to)
            statements.append("UPDATE OR REPLACE \(name) SET \(column) = \(value) WHERE (\(value)) IS NOT NULL")
        }
        return statements
    }
}
