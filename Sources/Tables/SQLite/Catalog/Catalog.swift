/// What a store holds: its tables, with the names SQLite knows them by. The truth that declared tables are compared with.
///
/// SQLite's names ignore the case of ASCII letters and GraphQL's do not, so a newcomer may have to take another name
/// (`post#2` beside `Post`). What was once declared and no longer is stays, and comes back when it is declared again.
public struct Catalog: Sendable, Hashable {
    var tables: [CatalogTable] = []

    init() {}

    /// The names of all tables, those no longer declared included, in the order of their making.
    public var tableNames: [String] { tables.map(\.name) }

    /// Whether any table holds an item.
    public var hasItems: Bool { tables.contains { !$0.isEmpty } }

    /// The steps from what is stored to these tables; empty when nothing is to be done.
    public func plan(for tables: [Table]) throws(StoreError) -> [MigrationStep] {
        try Migration(from: self, to: tables).changes.map(\.step)
    }

    subscript(name: String) -> CatalogTable? {
        tables.first { $0.name == name }
    }

    /// The declared table with its names resolved. The catalog is the one a migration to this table ended with.
    func resolve(_ table: Table, _ permits: WritePermits) -> StoredTable {
        guard let stored = self[table.name] else { preconditionFailure("A migrated table is in the catalog.") }
        func key(_ schema: KeySchema, _ index: String) -> StoredKey {
            StoredKey(
                schema: schema, index: index.quoted, partition: column(schema.partitionKey),
                sort: schema.sortKeys.isEmpty ? nil : storedName(table.sortName(of: schema)).quoted)
        }
        func column(_ position: Int) -> String { storedName(table.columns[position].name).quoted }
        func storedName(_ name: String) -> String {
            guard let column = stored[column: name] else { preconditionFailure("A migrated column is in the catalog.") }
            return column.storedName
        }
        let versioning = table.metadata.map { metadata in
            guard let made = stored.versioning, made.isOn else {
                preconditionFailure("A migrated table is versioned if it is declared so.")
            }
            let schema = KeySchema(partitionKey: metadata.lastChangedAt, sortKeys: [metadata.lastChangedAt])
            return StoredVersioning(
                metadata: metadata, changes: key(schema, made.changeIndex), ttlIndex: made.ttlIndex.quoted,
                lastVersions: made.lastVersions.quoted)
        }
        return StoredTable(
            table: table, name: stored.storedName.quoted, columns: table.columns.indices.map(column),
            key: key(table.key, stored.keyIndex),
            indexes: table.indexes.map { index in
                guard let made = stored[index: index.name] else {
                    preconditionFailure("A migrated index is in the catalog.")
                }
                return key(index.key, made.storedName)
            }, versioning: versioning, permit: permits.permit(for: stored.storedName))
    }
}

extension Table {
    /// The attribute names of a key, the partition key first.
    func names(of key: KeySchema) -> [String] {
        key.columns.map { columns[$0].name }
    }

    /// The name of a sort key's one column: the attribute, or the parts of a composite joined by `#`.
    func sortName(of key: KeySchema) -> String {
        key.sortKeys.map { columns[$0].name }.joined(separator: "#")
    }
}
