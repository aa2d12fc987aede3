internal import CSQLite

/// The prepared statements of one read connection, by shape. The least recently used idle ones go when there are more
/// than `statementsPerConnectionMax`.
final class StatementCache {
    private let connection: Connection
    private let countMax: Int
    let progress: Progress
    /// Cursors that are open.
    fileprivate(set) var openCount = 0

    private var poolsBySQL: [String: Pool] = [:]
    /// A shortcut for shared shapes, which saves hashing their text.
    private var poolsByID: [Int: Pool] = [:]
    fileprivate var statementCount = 0
    private var clock: UInt64 = 0
    /// Rows of the cursors that were closed since the present request began.
    ///
    /// Not checked for overlapping accesses at run time. Proof: a cache belongs to one thread, and an integer is read, set
    /// or added to in one expression that calls nothing while it accesses it.
    @exclusivity(unchecked) fileprivate(set) var rowCount = 0
    /// The clock when it began; unchecked for the same reason.
    @exclusivity(unchecked) private var clockAtBegin: UInt64 = 0
    /// By what the present request has read its rows: the statements in the order of their first use, at most
    /// `readStatementCountMax` of them. Unchecked for the same reason.
    @exclusivity(unchecked) private(set) var readStatements: [ReadStatement] = []
    private static let readStatementCountMax = 16

    init(_ connection: Connection, limits: StoreLimits) {
        self.connection = connection
        countMax = limits.statementsPerConnectionMax
        progress = Progress(connection, stepsPerLook: limits.stepsPerLook)
    }

    /// A cursor on a statement of the fetch's shape, its values not yet bound.
    func lend(_ fetch: Fetch, limit: Int) throws(StoreError) -> Cursor {
        clock &+= 1
        let pool = pool(for: fetch)
        if unsafe pool.lastUse <= clockAtBegin, unsafe readStatements.count < Self.readStatementCountMax {
            unsafe readStatements.append(pool.statement)
        }
        pool.lastUse = clock
        let cursor: Cursor
        if let idle = pool.takeIdle() {
            cursor = idle
        } else {
            // Pools are counted too: one whose statement SQLite refuses holds none.
            if statementCount >= countMax || poolsBySQL.count > countMax { evict() }
            cursor = unsafe Cursor(statement: try connection.prepare(fetch.sql))
            statementCount += 1
        }
        openCount += 1
        pool.openCount += 1
        cursor.begin(fetch, in: pool, limit: limit)
        return cursor
    }

    /// Counts the rows and fetches of another request from now on.
    func beginRequest() {
        unsafe rowCount = 0
        unsafe clockAtBegin = clock
        if unsafe !readStatements.isEmpty { unsafe readStatements.removeAll(keepingCapacity: true) }
    }

    /// The texts of the statements, in alphabetical order: for tests that have SQLite explain them.
    var sqlTexts: [String] { poolsBySQL.keys.sorted() }

    private func pool(for fetch: Fetch) -> Pool {
        if let id = fetch.id, let pool = poolsByID[id] { return pool }
        let pool = poolsBySQL[fetch.sql] ?? Pool(self, fetch)
        poolsBySQL[fetch.sql] = pool
        if let id = fetch.id {
            // Plans come and go, and each brings new numbers for the same text; the shortcuts are forgotten at times.
            if poolsByID.count >= 4 * countMax { poolsByID.removeAll(keepingCapacity: true) }
            poolsByID[id] = pool
        }
        return pool
    }

    /// Finalizes the eighth of the idle pools that was not used for longest. Never the one in use just now.
    private func evict() {
        let idle = poolsBySQL.filter { $0.value.openCount == 0 && $0.value.lastUse < clock }.sorted {
            $0.value.lastUse < $1.value.lastUse
        }
        for (sql, pool) in idle.prefix(max(1, countMax / 8)) {
            pool.finalize()
            poolsBySQL[sql] = nil
        }
        poolsByID.removeAll(keepingCapacity: true)
    }

    fileprivate func error(_ code: Int32) -> StoreError {
        unsafe progress.error(code) ?? StoreError(sqlite: code, on: connection.handle, while: "reading")
    }

    /// Lets go of everything, when the reader goes.
    func finalize() {
        progress.end()
        poolsBySQL.values.forEach { $0.finalize() }
        poolsBySQL = [:]
        poolsByID = [:]
    }
}

extension StatementCache {
    /// The statements of one shape: as many as cursors of it were ever open at once.
    ///
    /// Memory safety: a statement is owned by one cursor: an idle one here, or one that is lent. The pool finalizes what is idle when
    /// it is evicted or the reader closes.
    final class Pool {
        private let cache: StatementCache
        private var idle: [Cursor] = []
        fileprivate var lastUse: UInt64 = 0
        fileprivate var openCount = 0
        fileprivate let statement: ReadStatement

        fileprivate init(_ cache: StatementCache, _ fetch: Fetch) {
            self.cache = cache
            statement = ReadStatement(fetch)
        }

        /// Counts the rows of a cursor that is closed.
        func noteRows(_ count: Int) { unsafe cache.rowCount &+= count }

        deinit {
            finalize()
        }

        fileprivate func takeIdle() -> Cursor? {
            guard var cursor = idle.popLast() else { return nil }
            if isKnownUniquelyReferenced(&cursor) { return cursor }
            // A caller still holds the closed cursor: it must not become another fetch that is open.
            guard let statement = unsafe cursor.statement else { return nil }
            unsafe cursor.statement = nil
            return unsafe Cursor(statement: statement)
        }

        /// Resets the cursor's statement and keeps it for the next fetch of this shape.
        func takeBack(_ cursor: Cursor) {
            unsafe sqlite3_reset(cursor.statement)
            openCount -= 1
            cache.openCount -= 1
            idle.append(cursor)
        }

        func error(_ code: Int32) -> StoreError {
            cache.error(code)
        }

        /// Throws when the request's budget is used up, in steps or in time.
        func look() throws(StoreError) {
            guard cache.progress.judge() else {
                throw cache.progress.error ?? StoreError(.cancelled, "The read was ended.")
            }
        }

        fileprivate func finalize() {
            for cursor in idle {
                unsafe sqlite3_finalize(cursor.statement)
                unsafe cursor.statement = nil
            }
            cache.statementCount -= idle.count
            idle = []
        }
    }
}
