internal import CSQLite

extension Reader {
    /// Begins a sync of a versioned table, before a cursor is open. What this request reads then goes with the start.
    ///
    /// The base is a scan (`Access.scan`), the delta since `lastSync` is `Access.changes`. Either returns an item at most
    /// once while it does not change, tombstones included, and each page may be read from another snapshot: an item that
    /// changes after its page was read has a later stamp than the sync's start, and so the next delta has it.
    public func beginSync(of table: StoredTable) throws(StoreError) -> SyncStart {
        try stamps.withStart { (startedAt) throws(StoreError) in
            try budgeted { () throws(StoreError) in try renewSnapshot() }
            // The first read is what pins the snapshot (SQLite, "Transaction", "Read transactions versus write
            // transactions").
            return SyncStart(startedAt: startedAt, deltaHorizon: try deltaHorizon(of: table))
        }
    }

    /// The horizon in this request's snapshot: for a delta's later pages, from which tombstones may be missing if since
    /// the first page it has come to the sync's `lastSync`.
    public func deltaHorizon(of table: StoredTable) throws(StoreError) -> Int64 {
        guard table.versioning != nil else {
            throw StoreError(.invalidRequest, "Table \(table.table.name) is not versioned.")
        }
        return try budgeted { () throws(StoreError) in
            try beginSnapshot()
            if unsafe horizon == nil { unsafe horizon = unsafe try connection.prepare(CatalogVersioning.selectHorizon) }
            guard let statement = unsafe horizon else { preconditionFailure("The statement was just made.") }
            defer { unsafe sqlite3_reset(statement) }
            try unsafe connection.check(statement.bind(.text(table.table.name), at: 1), "binding a name")
            let code = unsafe sqlite3_step(statement)
            try connection.check(code == SQLITE_ROW ? SQLITE_OK : code, "reading the delta horizon")
            return unsafe sqlite3_column_int64(statement, 0)
        }
    }

    // The statement is prepared on the reader's connection, and finalized here before that is closed.
    func finalizeHorizon() {
        unsafe sqlite3_finalize(horizon)
        unsafe horizon = nil
    }
}
