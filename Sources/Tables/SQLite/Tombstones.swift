/// The end of tombstones (reference: datastore-sync, "Tombstones").
extension SQLiteStore {
    /// Removes tombstones whose `_ttl` is past, in a small transaction after the writes that were queued before. Their
    /// last versions are kept, and the table's delta horizon moves on. To be called periodically, and again at once
    /// while it removes as many as it may.
    ///
    /// - Parameter countMax: How many at most.
    /// - Parameter completion: Gets how many were removed, on the executor.
    public func collectTombstones(
        of tables: [StoredTable], countMax: Int = 256, on executor: any Executor,
        completion: @escaping @Sendable (Result<Int, StoreError>) -> Void
    ) {
        writer.submit(on: executor, completion: completion) { (connection) throws(StoreError) in
            var count = 0
            for table in tables where count < countMax {
                count += try connection.collectTombstones(of: table, countMax: countMax - count)
            }
            return count
        }
    }
}

extension WriteConnection {
    fileprivate func collectTombstones(of table: StoredTable, countMax: Int) throws(StoreError) -> Int {
        guard let versioning = table.versioning else { return 0 }
        let ttl = (by: milliseconds / 1_000, countMax: countMax)
        let question = SQLText.due(table, versioning, ttl: ttl)
        let due = try connection.rows(question.text, question.values, columns: 2)[0]
        guard due.integer(0) > 0 else { return 0 }
        for statement in SQLText.collect(table, versioning, ttl: ttl) { try connection.execute(statement) }
        try connection.execute(
            CatalogVersioning.raiseHorizon, [.text(table.table.name), .integer(due.integer(1))])
        return Int(due.integer(0))
    }

    /// Deletes every item. Of a versioned table no tombstones remain, so that no delta may begin before this moment.
    func clear(_ table: StoredTable) throws(StoreError) {
        guard let versioning = table.versioning else { return try connection.execute(SQLText.clear(table)) }
        for statement in SQLText.collect(table, versioning, ttl: nil) { try connection.execute(statement) }
        try connection.execute(CatalogVersioning.raiseHorizon, [.text(table.table.name), .integer(stamp())])
    }
}
