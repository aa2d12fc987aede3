internal import CSQLite

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// One handle of SQLite's, its pragmas, and the making of statements. Used by one thread at a time, for it is opened
/// without SQLite's own mutex.
///
/// Memory safety: the handle is valid from `init` to `deinit`, which closes it. It is opened without a mutex, so each connection
/// is used by one thread at a time. Whatever keeps a statement of it keeps the connection.
@safe final class Connection {
    /// The handle. Statements may outlive this object: `sqlite3_close_v2` waits for the last of them.
    let handle: OpaquePointer
    /// What the connection's SQL functions charge.
    let meter = Meter()

    enum Mode {
        /// Makes the file if there is none.
        case creating
        /// Fails if there is no file.
        case writing
        case reading
        /// Writes the file, and can `attach` others.
        case merging
    }

    /// Opens the file and sets every pragma a connection needs.
    init(path: String, mode: Mode, limits: StoreLimits) throws(StoreError) {
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        switch mode {
        case .creating: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .writing: flags |= SQLITE_OPEN_READWRITE
        case .reading: flags |= SQLITE_OPEN_READONLY
        case .merging: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI
        }
        _ = SQLiteMemory.isConfigured
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(mode == .merging ? Self.uri(path) : path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            // SQLite, "sqlite3_open": the handle is to be closed whether or not an error occurred.
            defer { unsafe sqlite3_close_v2(opened) }
            throw unsafe StoreError(sqlite: code, on: opened, while: "opening it")
        }
        unsafe handle = unsafe opened
        // A reader can still meet SQLITE_BUSY while the last writer closes or a log is recovered (SQLite, "Write-Ahead
        // Logging", "Sometimes Queries Return SQLITE_BUSY In WAL Mode").
        unsafe sqlite3_busy_timeout(handle, limits.busyMilliseconds)
        // SQLite, "Defense Against The Dark Arts": a schema that was tampered with calls no unsafe function. Its
        // `cell_size_check` is left off: with the file mapped it costs a point read half its time, a page of rows three
        // quarters, and malformed pages are noticed without it, only later.
        unsafe csqlite_set_defensive(handle)
        try execute("PRAGMA trusted_schema = OFF")
        try execute("PRAGMA mmap_size = \(limits.mmapBytes)")
        try execute("PRAGMA cache_size = -\(limits.pageCacheBytes / 1_024)")
        try execute("PRAGMA temp_store = MEMORY")
        try registerFunctions(charging: meter)
    }

    deinit {
        unsafe sqlite3_close_v2(handle)
    }

    /// Reads another database, too, whose tables have this schema's name before theirs. It is not written, nor is its log
    /// copied into it. The mode is `merging`.
    func attach(_ path: String, as schema: String) throws(StoreError) {
        try execute("ATTACH ? AS \(schema.quoted)", [.text(Self.uri(path) + "?mode=ro")])
    }

    /// A path as a URI file name (SQLite, "Uniform Resource Identifiers"), every byte that could mean something escaped.
    private static func uri(_ path: String) -> String {
        "file:"
            + path.utf8.map { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    String(UnicodeScalar(byte))
                default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
                }
            }.joined()
    }

    /// Makes this a connection that writes. After it is known whose file it is, for this changes the file.
    func becomeWriter(_ durability: Durability, limits: StoreLimits) throws(StoreError) {
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = \(durability == .full ? "FULL" : "OFF")")
        // Checkpoints are the Checkpointer's, by size and never inside a COMMIT.
        try execute("PRAGMA wal_autocheckpoint = 0")
        try execute("PRAGMA journal_size_limit = \(limits.checkpointPages * 4 * 4_096)")
    }

    /// SQLite's count of the changes that this connection has met (SQLITE_FCNTL_DATA_VERSION).
    var dataVersion: UInt32 {
        var version: UInt32 = 0
        let code = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        precondition(code == SQLITE_OK, "A connection to a file has a data version.")
        return version
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Whether the open transaction has begun to read.
    var hasSnapshot: Bool { unsafe sqlite3_txn_state(handle, "main") != SQLITE_TXN_NONE }

    /// Makes a statement that will be kept.
    func prepare(_ sql: String) throws(StoreError) -> OpaquePointer {
        var statement: OpaquePointer?
        var code = unsafe prepare(sql, &statement)
        if code & 0xff == SQLITE_ERROR {
            // SQLite looks whether the schema it knows is the present one when a statement steps, not always when it is
            // prepared; a statement for a newer schema than the known one fails for now.
            var refresh: OpaquePointer?
            if unsafe prepare("SELECT 1 FROM sqlite_schema LIMIT 1", &refresh) == SQLITE_OK {
                unsafe sqlite3_step(refresh)
            }
            unsafe sqlite3_finalize(refresh)
            code = unsafe prepare(sql, &statement)
        }
        guard code == SQLITE_OK, let statement = unsafe statement else {
            throw unsafe StoreError(sqlite: code, on: handle, while: "preparing a statement")
        }
        return unsafe statement
    }

    private func prepare(_ sql: String, _ statement: inout OpaquePointer?) -> Int32 {
        var sql = sql
        return sql.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) {
                unsafe sqlite3_prepare_v3(
                    handle, $0.baseAddress, Int32(clamping: $0.count), UInt32(SQLITE_PREPARE_PERSISTENT), &statement,
                    nil)
            }
        }
    }

    /// Runs a statement once, without reading rows.
    func execute(_ sql: String, _ values: [Value] = []) throws(StoreError) {
        _ = try rows(sql, values, columns: 0)
    }

    /// Runs a statement once with its values, without reading rows.
    func execute(_ statement: SQLStatement) throws(StoreError) { try execute(statement.text, statement.values) }

    /// Runs a statement once and copies its rows. For schema and catalog, never on the path of a request.
    func rows(_ sql: String, _ values: [Value] = [], columns: Int) throws(StoreError) -> [Item] {
        var rows: [Item] = []
        try forEachRow(sql, values, columns: columns) { rows.append($0) }
        return rows
    }

    /// Runs a statement once and calls `body` with a copy of each row.
    func forEachRow(
        _ sql: String, _ values: [Value] = [], columns: Int, _ body: (Item) -> Void
    ) throws(StoreError) {
        let statement = try unsafe prepare(sql)
        defer { unsafe sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() {
            try unsafe check(statement.bind(value, at: Int32(index + 1)), "binding a value")
        }
        while true {
            let code = unsafe sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            try check(code == SQLITE_ROW ? SQLITE_OK : code, "running a statement")
            body(Item(values: (0..<columns).map { unsafe statement.value(at: Int32($0)) }))
        }
    }

    /// From now on large sorts, as for the index of a large table, take files and not memory. Between transactions only.
    func sortInFiles() throws(StoreError) { try execute("PRAGMA temp_store = FILE") }

    /// Sorts stay in memory again, as those of requests do, which are small.
    func sortInMemory() throws(StoreError) { try execute("PRAGMA temp_store = MEMORY") }

    /// Throws if the code is not SQLITE_OK.
    @inline(__always)
    func check(_ code: Int32, _ doing: @autoclosure () -> String) throws(StoreError) {
        guard code == SQLITE_OK else { throw unsafe StoreError(sqlite: code, on: handle, while: doing()) }
    }
}
