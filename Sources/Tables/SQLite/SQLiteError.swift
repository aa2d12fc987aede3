internal import CSQLite

extension StoreError {
    /// The error of the last call on a connection, by its result code.
    ///
    /// SQLite, "Result and Error Codes": the low eight bits are the primary code. The message is SQLite's own; it may
    /// name columns and never holds a value that was bound.
    ///
    /// Memory safety: the message is copied before the connection is used again; `sqlite3_errstr` returns a constant.
    init(sqlite code: Int32, on handle: OpaquePointer?, while doing: String) {
        let text = unsafe handle.flatMap { unsafe sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        let message =
            unsafe "The database failed while \(doing): \(text.map { unsafe String(cString: $0) } ?? "unknown error")."
        let (kind, hint): (Code, String?) =
            switch code & 0xff {
            case SQLITE_BUSY, SQLITE_LOCKED:
                (.busy, "Another program holds the database's lock; close it, or try again.")
            case SQLITE_FULL: (.diskFull, "Make room on the disk that holds the data folder.")
            case SQLITE_IOERR, SQLITE_NOLFS: (.ioError, "Look at the disk and the system's log.")
            case SQLITE_CORRUPT: (.corrupt, "Restore the data folder from a backup.")
            case SQLITE_NOTADB: (.damaged, "The file is not a database; restore the data folder from a backup.")
            case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
                (.notWritable, "Let the server's user read and write the data folder.")
            case SQLITE_TOOBIG: (.invalidRequest, "A value or a statement is larger than SQLite's limits.")
            default: (.other, nil)
            }
        self.init(kind, message, hint: hint, sqliteCode: code)
    }
}
