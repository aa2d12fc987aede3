extension SQLText {
    /// An INSERT into a versioned table, with the version after the last one that its key ever had. Like `put` it does
    /// nothing where the key is taken. After the attributes the parameters are the key and the stamp.
    mutating func create(_ table: StoredTable, _ versioning: StoredVersioning, columns: [Int]) {
        let metadata = versioning.metadata
        let names = (columns + [metadata.version, metadata.lastChangedAt]).map { table.columns[$0] }
        let values = columns.map { operand(for: table, $0) }
        let partition = parameter()
        let sort = table.key.sort.map { _ in joined(table.key, of: table) }
        let key = ["\"partition\" = \(partition)"] + (sort.map { ["\"sort\" = \($0)"] } ?? [])
        let last = "SELECT \"version\" FROM \(versioning.lastVersions) WHERE \(key.joined(separator: " AND "))"
        append("INSERT INTO \(table.name) (\(names.joined(separator: ", "))) VALUES (")
        append((values + ["1 + ifnull((\(last)), 0)", parameter()]).joined(separator: ", "))
        append(") ON CONFLICT DO NOTHING")
    }

    /// The statements that remove items of a versioned table and keep the last versions of their keys.
    ///
    /// - Parameter ttl: Only tombstones whose time has come by then, so many at most; nil for all items.
    static func collect(_ table: StoredTable, _ versioning: StoredVersioning, ttl: (by: Int64, countMax: Int)?)
        -> [SQLStatement]
    {
        let column = table.columns[versioning.metadata.ttl]
        let due = ttl.map { _ in
            " WHERE \"#\" IN (SELECT \"#\" FROM \(table.name) INDEXED BY \(versioning.ttlIndex) "
                + "WHERE \(column) <= ?1 ORDER BY \(column), \"#\" LIMIT ?2)"
        }
        let values = ttl.map { [Value.integer($0.by), .integer(Int64($0.countMax))] } ?? []
        let key = [table.key.partition, table.key.sort].compactMap { $0 }.joined(separator: ", ")
        let version = table.columns[versioning.metadata.version]
        return [
            SQLStatement(
                "INSERT OR REPLACE INTO \(versioning.lastVersions) "
                    + "SELECT \(key), \(version) FROM \(table.name)\(due ?? "")", values),
            SQLStatement("DELETE FROM \(table.name)\(due ?? "")", values),
        ]
    }

    /// A SELECT of the latest stamp among the tombstones that `collect` removes, and of their number.
    static func due(_ table: StoredTable, _ versioning: StoredVersioning, ttl: (by: Int64, countMax: Int))
        -> SQLStatement
    {
        let metadata = versioning.metadata
        let column = table.columns[metadata.ttl]
        return SQLStatement(
            "SELECT count(*), max(at) FROM (SELECT \(table.columns[metadata.lastChangedAt]) AS at "
                + "FROM \(table.name) INDEXED BY \(versioning.ttlIndex) WHERE \(column) <= ?1 "
                + "ORDER BY \(column), \"#\" LIMIT ?2)", [.integer(ttl.by), .integer(Int64(ttl.countMax))])
    }
}
