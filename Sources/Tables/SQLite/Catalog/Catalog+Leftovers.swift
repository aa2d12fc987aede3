extension CatalogTable {
    /// The columns with a type that the declared table does not have. Those of versions stay: items would begin again
    /// with version 1 when it is versioned again, which devices take for older than what they have.
    func leftoverColumns(beside table: Table) -> [CatalogColumn] {
        let declared = Set((table.columns + VersionMetadata.columns).map(\.name))
        return columns.filter { $0.type != nil && !declared.contains($0.name) }
    }
}

extension Catalog {
    /// Removes from the catalog what these tables do not declare, and gives the statements that remove it. The catalog
    /// is one that a migration to the tables ended with, so that no index is left over.
    mutating func dropLeftovers(beside declared: [Table]) -> [String] {
        var statements: [String] = []
        for stored in tables where !Table.isSystem(stored.name) {
            guard let table = declared.first(where: { $0.name == stored.name }) else {
                statements += stored.drop
                tables.removeAll { $0.name == stored.name }
                continue
            }
            let leftover = stored.leftoverColumns(beside: table)
            let sorts = Set(([table.key] + table.indexes.map(\.key)).filter(\.isComposite).map(table.sortName))
            let generated = stored.columns.filter { $0.type == nil && !sorts.contains($0.name) }
            // A column that a generated one is made of cannot be dropped before it.
            for column in generated + leftover {
                statements.append("ALTER TABLE \(stored.storedName.quoted) DROP COLUMN \(column.storedName.quoted)")
            }
            let gone = Set((generated + leftover).map(\.name))
            if let position = tables.firstIndex(where: { $0.name == stored.name }) {
                tables[position].columns.removeAll { gone.contains($0.name) }
            }
        }
        return statements
    }
}
