/// The catalog in the database, in three tables of its own whose names no declared table can have.
extension Catalog {
    /// `application_id` and `user_version` of the file: whose it is, and the version of its format.
    static let applicationID: Int64 = 0x5359_4e43
    static let version: Int64 = 2
    /// The version that a file has which knows no versioned table: older programs may go on with it.
    private static let unversioned: Int64 = 1
    /// The version that a file has from the first versioned table on: older programs would write past the versions.
    static let stampVersioned = "PRAGMA user_version = 2"

    /// Checks whose file this is. False when it is new and empty.
    static func isPresent(on connection: Connection) throws(StoreError) -> Bool {
        func number(_ sql: String) throws(StoreError) -> Int64 {
            try connection.rows(sql, columns: 1).first?.integer(0) ?? 0
        }
        // The first statement that reads the file, so the first that notices when it is no database.
        let tableCount = try number("SELECT count(*) FROM sqlite_schema")
        let application = try number("PRAGMA application_id")
        let version = try number("PRAGMA user_version")
        if tableCount == 0, application == 0, version == 0 { return false }
        guard application == applicationID else {
            throw StoreError(
                .damaged, "The database was not made by Syncline.",
                hint: "Name another folder, or restore this one from a backup.")
        }
        guard version <= Self.version else {
            throw StoreError(
                .newerVersion, "The database has format \(version), and this version knows up to \(Self.version).",
                hint: "Start the newer version that made it.")
        }
        return true
    }

    /// Makes the catalog's tables in a new file.
    static func create(on connection: Connection) throws(StoreError) {
        try connection.transaction { () throws(StoreError) in
            try connection.execute(
                """
                CREATE TABLE "#tables" ("name" TEXT PRIMARY KEY, "storedName" TEXT NOT NULL, "key" TEXT NOT NULL, \
                "keyIndex" TEXT NOT NULL)
                """)
            try connection.execute(
                """
                CREATE TABLE "#columns" ("table" TEXT NOT NULL, "name" TEXT NOT NULL, "storedName" TEXT NOT NULL, \
                "type" TEXT, PRIMARY KEY ("table", "name"))
                """)
            try connection.execute(
                """
                CREATE TABLE "#indexes" ("table" TEXT NOT NULL, "name" TEXT NOT NULL, "storedName" TEXT NOT NULL, \
                "key" TEXT NOT NULL, PRIMARY KEY ("table", "name"))
                """)
            try connection.execute("PRAGMA application_id = \(applicationID)")
            try connection.execute("PRAGMA user_version = \(unversioned)")
        }
    }

    /// Reads the catalog.
    init(from connection: Connection) throws(StoreError) {
        let columns = try connection.rows(
            "SELECT \"table\", name, storedName, type FROM \"#columns\" ORDER BY rowid", columns: 4)
        let indexes = try connection.rows(
            "SELECT \"table\", name, storedName, key FROM \"#indexes\" ORDER BY rowid", columns: 4)
        let rows = try connection.rows(
            "SELECT name, storedName, key, keyIndex FROM \"#tables\" ORDER BY rowid", columns: 4)
        for row in rows {
            var table = CatalogTable(
                name: row.text(0), storedName: row.text(1), key: row.names(2), keyIndex: row.text(3))
            table.columns = columns.filter { $0.text(0) == table.name }.map {
                CatalogColumn(name: $0.text(1), storedName: $0.text(2), type: ColumnType(rawValue: $0.text(3)))
            }
            table.indexes = indexes.filter { $0.text(0) == table.name }.map {
                CatalogIndex(name: $0.text(1), storedName: $0.text(2), key: $0.names(3))
            }
            table.versioning = try Self.versioning(of: table.name, on: connection)
            let first = try connection.rows("SELECT 1 FROM \(table.storedName.quoted) LIMIT 1", columns: 1)
            table.isEmpty = first.isEmpty
            tables.append(table)
        }
    }

    private static func versioning(
        of table: String, on connection: Connection
    ) throws(StoreError) -> CatalogVersioning? {
        guard try isVersioningPresent(on: connection) else { return nil }
        let row = try connection.rows(
            """
            SELECT "isOn", "changeIndex", "ttlIndex", "lastVersions", "deltaHorizon" FROM "#versioning" \
            WHERE "table" = ?
            """, [.text(table)], columns: 5
        ).first
        return row.map { row in
            CatalogVersioning(
                isOn: row.integer(0) != 0, changeIndex: row.text(1), ttlIndex: row.text(2), lastVersions: row.text(3),
                deltaHorizon: row.integer(4))
        }
    }

    private static func isVersioningPresent(on connection: Connection) throws(StoreError) -> Bool {
        try !connection.rows("SELECT 1 FROM sqlite_schema WHERE name = '#versioning'", columns: 1).isEmpty
    }

    /// Writes the whole catalog anew; part of the migration's transaction.
    func store(on connection: Connection) throws(StoreError) {
        let versioning = try Self.isVersioningPresent(on: connection) ? ["#versioning"] : []
        for name in ["#tables", "#columns", "#indexes"] + versioning {
            try connection.execute("DELETE FROM \(name.quoted)")
        }
        for table in tables {
            try connection.execute(
                "INSERT INTO \"#tables\" VALUES (?, ?, ?, ?)",
                [.text(table.name), .text(table.storedName), .names(table.key), .text(table.keyIndex)])
            for column in table.columns {
                try connection.execute(
                    "INSERT INTO \"#columns\" VALUES (?, ?, ?, ?)",
                    [
                        .text(table.name), .text(column.name), .text(column.storedName),
                        column.type.map { .text($0.rawValue) } ?? .null,
                    ])
            }
            for index in table.indexes {
                try connection.execute(
                    "INSERT INTO \"#indexes\" VALUES (?, ?, ?, ?)",
                    [.text(table.name), .text(index.name), .text(index.storedName), .names(index.key)])
            }
            if let versioning = table.versioning {
                try connection.execute(
                    "INSERT INTO \"#versioning\" VALUES (?, ?, ?, ?, ?, ?)",
                    [
                        .text(table.name), .integer(versioning.isOn ? 1 : 0), .text(versioning.changeIndex),
                        .text(versioning.ttlIndex), .text(versioning.lastVersions), .integer(versioning.deltaHorizon),
                    ])
            }
        }
    }
}

extension Connection {
    /// Runs the body in one write transaction, which is undone if it throws.
    func transaction<Success>(_ body: () throws(StoreError) -> Success) throws(StoreError) -> Success {
        try execute("BEGIN IMMEDIATE")
        do {
            let success = try body()
            try execute("COMMIT")
            return success
        } catch {
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }
}

extension Connection {
    /// Runs the body in one write transaction, in which sorts may be as large as a table.
    func changingSchema(if isChanged: Bool, _ body: () throws(StoreError) -> Void) throws(StoreError) {
        guard isChanged else { return }
        try sortInFiles()
        defer { try? sortInMemory() }
        try transaction(body)
    }
}

extension Item {
    fileprivate func text(_ position: Int) -> String {
        if case .text(let text) = values[position] { text } else { "" }
    }

    /// A list of names is kept joined by `#`, which no name holds.
    fileprivate func names(_ position: Int) -> [String] {
        text(position).split(separator: "#").map(String.init)
    }
}

extension Value {
    fileprivate static func names(_ names: [String]) -> Value {
        .text(names.joined(separator: "#"))
    }
}
