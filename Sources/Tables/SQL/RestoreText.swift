/// The SQL by which the items of a restored table become newer than those of the replaced one, its *other*, which is the
/// table of the same name and key in the attached schema. `SchemaText` has the tables, this the rows.
///
/// Comparing is by key: the expressions below are about a row with the alias `t`, whose key stands in `key`.
struct RestoreText {
    /// The schema of the replaced database.
    static let schema = "replaced"

    private let table: CatalogTable
    private let versioning: CatalogVersioning
    private let other: (table: CatalogTable, versioning: CatalogVersioning)?

    /// The text for a versioned table, and its other if there is one that has or had versions, too.
    init(_ table: CatalogTable, _ versioning: CatalogVersioning, other: CatalogTable?) {
        (self.table, self.versioning) = (table, versioning)
        self.other = other.flatMap { other in other.versioning.map { (other, $0) } }
    }

    // MARK: Questions

    /// Each gives a row if the table knows a version of a key that its other does not: it is no state that the other
    /// once had.
    var laterVersions: [String] {
        let known = { (key: [String]) in "max(0, \((versionsOfOther(key) + ["0"]).joined(separator: ", ")))" }
        return [
            "SELECT 1 FROM \(name) AS t WHERE t.\(version) > \(known(key)) LIMIT 1",
            "SELECT 1 FROM \(lastVersions) AS t WHERE t.\"version\" > \(known(lastKey("t."))) LIMIT 1",
        ]
    }

    /// How many live items of the other are missing.
    var countMissing: String? {
        guard let missing, let other else { return nil }
        return "SELECT count(*) \(missing) AND o.\(other.table.metadata(1)) IS NULL"
    }

    // MARK: Changes

    /// Raises the version of every item past all that was ever known of its key, and makes tombstones of the items that
    /// only the other has. All count as changed at the stamp.
    ///
    /// - Parameters:
    ///   - rise: How much a version is raised.
    ///   - ttl: From when the tombstones may be removed, in seconds since 1970.
    func statements(raisingBy rise: Int64, stamp: Int64, ttl: Int64) -> [SQLStatement] {
        var statements: [SQLStatement] = []
        let values = [rise, stamp, ttl].map { Value.integer($0) }
        if let other {
            let key = lastKey("").joined(separator: ", ")
            statements.append(
                SQLStatement(
                    "INSERT INTO \(lastVersions) SELECT \(key), \"version\" FROM \(otherLastVersions(other.versioning)) "
                        + "WHERE true ON CONFLICT (\(key)) "
                        + "DO UPDATE SET \"version\" = max(\"version\", excluded.\"version\")"))
        }
        let versions = ["ifnull(t.\(version), 0)", last(key)] + versionOfOther(key)
        statements.append(
            SQLStatement(
                "UPDATE \(name) AS t SET \(version) = ?1 + max(\(versions.joined(separator: ", "))), "
                    + "\(lastChangedAt) = ?2, \(self.ttl) = CASE WHEN t.\(deleted) IS NOT NULL THEN ?3 END", values))
        if let missing, let other = other?.table {
            let attributes = attributes(of: other)
            let version = "?1 + max(o.\(other.metadata(0)), \(last(otherKey)))"
            let columns = attributes.map(\.into) + [self.version, deleted, lastChangedAt, self.ttl]
            let outputs = attributes.map(\.value) + [version, "1", "?2", "?3"]
            statements.append(
                SQLStatement(
                    "INSERT INTO \(name) (\(columns.joined(separator: ", "))) SELECT \(outputs.joined(separator: ", ")) "
                        + "\(missing) ORDER BY o.\"#\"", values))
        }
        // In a known past, the last versions are those of removed items, past which a new item begins anyway.
        if rise > 1 {
            statements.append(SQLStatement("UPDATE \(lastVersions) SET \"version\" = \"version\" + ?1", [values[0]]))
        }
        return statements
    }

    // MARK: Parts

    private var name: String { "main.\(table.storedName.quoted)" }
    private var lastVersions: String { "main.\(versioning.lastVersions.quoted)" }
    private var version: String { table.metadata(0) }
    private var deleted: String { table.metadata(1) }
    private var lastChangedAt: String { table.metadata(2) }
    private var ttl: String { table.metadata(3) }
    private var key: [String] { table.keyColumns.map { "t.\($0)" } }
    private var otherKey: [String] { other?.table.keyColumns.map { "o.\($0)" } ?? [] }

    /// The items of the other, alias `o`, whose key the table does not have. Those without a version were made after its
    /// versions were switched off, and no device knows them.
    private var missing: String? {
        other.map { other, _ in
            "FROM \(Self.schema).\(other.storedName.quoted) AS o WHERE o.\(other.metadata(0)) IS NOT NULL "
                + "AND NOT EXISTS (SELECT 1 FROM \(name) AS t WHERE \(Self.equal(key, otherKey)))"
        }
    }

    /// The other's attributes that the table has, too, each as its value in the table.
    private func attributes(of other: CatalogTable) -> [(into: String, value: String)] {
        let metadata = Set(VersionMetadata.columns.map(\.name))
        return other.columns.compactMap { column in
            guard !metadata.contains(column.name), let from = column.type, let into = table[column: column.name],
                let type = into.type
            else { return nil }
            return (into.storedName.quoted, from.conversion(of: "o.\(column.storedName.quoted)", to: type))
        }
    }

    /// The last version of a removed key; 0 without one.
    private func last(_ key: [String]) -> String {
        Self.version("\"version\"", in: lastVersions, where: lastKey("v."), key)
    }

    private func versionOfOther(_ key: [String]) -> [String] {
        other.map { other, _ in
            let name = "\(Self.schema).\(other.storedName.quoted)"
            return [Self.version(other.metadata(0), in: name, where: other.keyColumns.map { "v.\($0)" }, key)]
        } ?? []
    }

    private func versionsOfOther(_ key: [String]) -> [String] {
        guard let other else { return [] }
        let last = otherLastVersions(other.versioning)
        return versionOfOther(key) + [Self.version("\"version\"", in: last, where: lastKey("v."), key)]
    }

    private func otherLastVersions(_ versioning: CatalogVersioning) -> String {
        "\(Self.schema).\(versioning.lastVersions.quoted)"
    }

    private static func version(_ column: String, in table: String, where key: [String], _ values: [String]) -> String {
        "ifnull((SELECT v.\(column) FROM \(table) AS v WHERE \(equal(key, values))), 0)"
    }

    /// The key of a table of last versions, of one or two columns.
    private func lastKey(_ alias: String) -> [String] {
        ["partition", "sort"].prefix(key.count).map { alias + $0.quoted }
    }

    private static func equal(_ key: [String], _ other: [String]) -> String {
        zip(key, other).map { "\($0) = \($1)" }.joined(separator: " AND ")
    }
}
