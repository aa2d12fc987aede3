internal import CSQLite

extension PartialFile {
    /// Copies the database into the file, as one file without a log.
    func fill(from source: Connection) throws(StoreError) {
        // One snapshot for the whole copy: what is written meanwhile would make the copying begin again (SQLite, "Online
        // Backup API", "File and Database Connection Locking"). The first look at the file begins it.
        try source.execute("BEGIN")
        guard try Catalog.isPresent(on: source) else {
            throw StoreError(.damaged, "The database is empty: no server has used it yet.")
        }
        try copy(source)
        do throws(StoreError) { try makeOneFile() } catch { throw error.onDisk(of: path) }
    }

    /// Whether SQLite finds the file well-formed, by `quick_check` or `integrity_check`.
    func isSound(by check: String) throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try Connection(path: path, mode: .reading, limits: StoreLimits()).isSound(by: check)
        } catch {
            throw error.onDisk(of: path)
        }
    }

    private func makeOneFile() throws(StoreError) {
        // Only a connection that reads the copy afresh finds its form, which is the source's, and can change it: without
        // a log it is one file, and can be read where nothing may be written.
        let copy = try Connection(path: path, mode: .writing, limits: StoreLimits())
        try copy.execute("PRAGMA journal_mode = DELETE")
    }

    private func copy(_ source: Connection) throws(StoreError) {
        let target = try Connection(path: path, mode: .writing, limits: StoreLimits())
        // Nothing is to be rolled back to, and `publish` synchronises the file once.
        try target.execute("PRAGMA journal_mode = MEMORY")
        try target.execute("PRAGMA synchronous = OFF")
        // SQLite, "sqlite3_backup_init": the target may not be closed before the copying has ended, which SQLite does not
        // see to as it does for the source.
        try withExtendedLifetime(target) { () throws(StoreError) in
            // Both connections outlive the backup, which is finished once.
            guard let backup = unsafe sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
                throw unsafe StoreError(
                    sqlite: sqlite3_extended_errcode(target.handle), on: target.handle, while: "copying it")
            }
            var code = SQLITE_OK
            while code == SQLITE_OK { code = unsafe sqlite3_backup_step(backup, 1_024) }
            let end = unsafe sqlite3_backup_finish(backup)
            guard code == SQLITE_DONE, end == SQLITE_OK else {
                throw unsafe StoreError(
                    sqlite: code == SQLITE_DONE ? end : code, on: target.handle, while: "copying it to \(path)"
                ).onDisk(of: path)
            }
        }
    }
}

extension Connection {
    /// Whether SQLite finds the database well-formed, by `quick_check` or `integrity_check`.
    func isSound(by check: String) throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try rows("PRAGMA \(check)(1)", columns: 1).first?.values.first == .text("ok")
        } catch  where [.corrupt, .damaged].contains(error.code) {
            return false
        }
    }
}

extension StoreError {
    /// The error with the disk in its hint that is full, or fails as some do when they are full.
    func onDisk(of path: String) -> StoreError {
        var error = self
        switch code {
        case .diskFull: error.hint = "Make room on the disk that holds \(path)."
        case .ioError: error.hint = "Look at the disk that holds \(path), and whether it is full."
        default: break
        }
        return error
    }
}
