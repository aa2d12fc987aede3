/// The audit log: a table of the catalog, made with its first entry.
extension SQLiteStore {
    /// Adds entries, in one transaction, and removes those that are too old or too many. Waits until it is committed; not
    /// to be called on an event loop.
    public func addToAudit(_ entries: [AuditEntry]) throws(StoreError) {
        try writer.run { connection in
            Result { () throws(StoreError) in
                try connection.connection.transaction { () throws(StoreError) in
                    try connection.connection.addToAudit(entries)
                }
            }
        }
    }

    /// Entries of a folder's audit log in their order, without the folder's lock, beside a server that runs.
    ///
    /// - Parameters:
    ///   - number: The entry after which to begin; 0 for the first one.
    ///   - countMax: The most entries to return.
    public static func auditEntries(
        folder: String, after number: Int64, countMax: Int
    ) throws(StoreError) -> [AuditEntry] {
        guard try DataFolder.findsDatabase(in: folder) else { return [] }
        let connection = try Connection(
            path: DataFolder.database(in: folder), mode: .reading, limits: StoreLimits())
        guard try Catalog.isPresent(on: connection),
            try !connection.rows("SELECT 1 FROM sqlite_schema WHERE name = '#audit'", columns: 1).isEmpty
        else { return [] }
        let rows = try connection.rows(
            """
            SELECT number, milliseconds, operator, role, action, target, fields, requestID, address FROM "#audit" \
            WHERE number > ? ORDER BY number LIMIT ?
            """, [.integer(number), .integer(Int64(countMax))], columns: 9)
        return rows.map { row in
            var entry = AuditEntry(
                milliseconds: row.integer(1), operator: row.auditText(2), role: row.auditText(3),
                action: row.auditText(4), target: row.auditText(5),
                fields: row.auditText(6).split(separator: ",").map(String.init), requestID: row.auditText(7),
                address: row.auditText(8))
            entry.number = row.integer(0)
            return entry
        }
    }
}

extension Connection {
    fileprivate func addToAudit(_ entries: [AuditEntry]) throws(StoreError) {
        // AUTOINCREMENT: "the ROWID chosen for the new row is one larger than the largest ROWID that has ever before
        // existed in that same table" (SQLite, "SQLite Autoincrement"), so a removed entry leaves a gap.
        try execute(
            """
            CREATE TABLE IF NOT EXISTS "#audit" ("number" INTEGER PRIMARY KEY AUTOINCREMENT, \
            "milliseconds" INTEGER NOT NULL, "operator" TEXT NOT NULL, "role" TEXT NOT NULL, "action" TEXT NOT NULL, \
            "target" TEXT NOT NULL, "fields" TEXT NOT NULL, "requestID" TEXT NOT NULL, "address" TEXT NOT NULL)
            """)
        for entry in entries {
            let texts = [
                entry.operator, entry.role, entry.action, entry.target, entry.fields.joined(separator: ","),
                entry.requestID, entry.address,
            ]
            try execute(
                """
                INSERT INTO "#audit" (milliseconds, operator, role, action, target, fields, requestID, address) \
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [.integer(entry.milliseconds)] + texts.map { .text(AuditEntry.cut($0)) })
        }
        guard let last = entries.map(\.milliseconds).max() else { return }
        try execute(
            """
            DELETE FROM "#audit" WHERE milliseconds < ? OR number <= (SELECT max(number) FROM "#audit") - ?
            """, [.integer(last - AuditEntry.keptSeconds * 1_000), .integer(AuditEntry.countMax)])
    }
}

extension AuditEntry {
    /// As much of a text as is kept, in whole characters.
    fileprivate static func cut(_ text: String) -> String {
        guard text.utf8.count > textBytesMax else { return text }
        var cut = text.prefix(textBytesMax)
        while cut.utf8.count > textBytesMax { cut.removeLast() }
        return String(cut)
    }
}

extension Item {
    fileprivate func auditText(_ position: Int) -> String {
        if case .text(let text) = values[position] { text } else { "" }
    }
}
