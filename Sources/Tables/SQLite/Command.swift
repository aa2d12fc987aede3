internal import CSQLite

/// A statement without values and rows, kept to be run often: BEGIN, COMMIT, ROLLBACK.
///
/// Memory safety: the statement is finalized once, in `deinit`, while the connection is kept.
@safe final class Command {
    private let connection: Connection
    private let statement: OpaquePointer

    init(_ sql: String, on connection: Connection) throws(StoreError) {
        self.connection = connection
        unsafe statement = try unsafe connection.prepare(sql)
    }

    deinit {
        unsafe sqlite3_finalize(statement)
    }

    func run() throws(StoreError) {
        let code = unsafe sqlite3_step(statement)
        unsafe sqlite3_reset(statement)
        try connection.check(code == SQLITE_DONE ? SQLITE_OK : code, "beginning or ending a transaction")
    }
}
