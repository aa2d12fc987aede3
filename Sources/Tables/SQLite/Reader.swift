internal import CSQLite

/// One read connection, used by one thread at a time: an event loop's, or a worker's.
///
/// One read transaction serves all requests of a turn of the loop, unless a commit happened since it began: a client
/// that was answered after a commit reads its own write.
@safe public final class Reader {
    let connection: Connection
    private let commits: CommitCount
    let stamps: Stamps
    /// The statement that reads a table's delta horizon, once it was needed.
    var horizon: OpaquePointer?
    let statements: StatementCache
    private let begin: Command
    private let commit: Command
    /// Reads nothing, but begins the snapshot of a transaction that has read nothing yet.
    private let look: Command
    /// The commits that had happened when the present read transaction began.
    private var snapshot: UInt64 = 0

    init(path: String, limits: StoreLimits, commits: CommitCount, stamps: Stamps) throws(StoreError) {
        connection = try Connection(path: path, mode: .reading, limits: limits)
        self.commits = commits
        self.stamps = stamps
        statements = StatementCache(connection, limits: limits)
        begin = try Command("BEGIN", on: connection)
        commit = try Command("COMMIT", on: connection)
        look = try Command("SELECT 1 FROM sqlite_schema WHERE 0", on: connection)
    }

    deinit {
        statements.finalize()
        finalizeHorizon()
    }

    /// Starts a request: sets the budget that its fetches share, and lets go of the snapshot if a commit happened since
    /// it began. The next fetch begins a new one.
    public func beginRequest(budget: Budget) {
        if connection.isInTransaction, commits.value != snapshot { endTurn() }
        statements.progress.begin(budget)
        statements.beginRequest()
    }

    /// Charges bytes that were written of what was read to the present request's budget.
    public func charge(bytes byteCount: Int) throws(StoreError) {
        guard statements.progress.charge(byteCount) else {
            throw statements.progress.error ?? StoreError(.cancelled, "The read was ended.")
        }
    }

    /// From now on requests are worked on in turns of so many steps, at whose ends `endTurn` is called; it returns when
    /// the next turn begins, or when the request is to fail.
    func takeTurns(of steps: Int, _ endTurn: @escaping () -> TurnEnd) {
        statements.progress.takeTurns(of: steps, endTurn)
    }

    /// Ends the read transaction, if one is open. A snapshot that is kept for long keeps the log from being reused.
    public func endTurn() {
        guard connection.isInTransaction else { return }
        precondition(statements.openCount == 0, "A request closes its cursors before its snapshot ends.")
        // A spent budget would interrupt the COMMIT as well, and the snapshot would linger. A transaction that only read
        // has nothing else that could fail.
        statements.progress.begin(Budget())
        try? commit.run()
    }

    /// A number that differs between two of this reader's snapshots if the database does: SQLite raises it when a
    /// snapshot begins after a commit of any connection, of this process or another. To be asked once a cursor has
    /// stepped, for only then a snapshot is sure to have begun.
    public var dataVersion: UInt32 { connection.dataVersion }

    /// `dataVersion`, before any cursor has stepped: begins the snapshot if need be.
    public func beginSnapshotVersion() throws(StoreError) -> UInt32 {
        try budgeted { () throws(StoreError) in
            try beginSnapshot()
            if !connection.hasSnapshot { try look.run() }
        }
        return connection.dataVersion
    }

    /// GetItem. The operands are the whole primary key, in key-schema order; no row if one is NULL.
    /// - Parameter filter: The values of the fetch's filter.
    public func item(_ fetch: Fetch, key: [Operand], filter: [Value] = []) throws(StoreError) -> Cursor {
        guard fetch.shape.access == .item, key.count == fetch.shape.keyCount, fetch.shape.takes(filter)
        else { throw Self.misfit(fetch) }
        let cursor = try lend(fetch, limit: 1)
        for index in key.indices {
            try bind(key[index], to: cursor, at: Int32(truncatingIfNeeded: index + 1))
        }
        try bind(filter: filter, to: cursor, after: key.count)
        return cursor
    }

    /// GetItem by a primary key without sort key; the same without an array.
    public func item(
        _ fetch: Fetch, partitionKey: Operand, filter: [Value] = []
    ) throws(StoreError) -> Cursor {
        guard fetch.shape.access == .item, fetch.shape.keyCount == 1, fetch.shape.takes(filter)
        else { throw Self.misfit(fetch) }
        let cursor = try lend(fetch, limit: 1)
        try bind(partitionKey, to: cursor, at: 1)
        try bind(filter: filter, to: cursor, after: 1)
        return cursor
    }

    /// Scan or Query. The sort condition has the fetch's shape, and a position is given exactly if it continues.
    ///
    /// - Parameters:
    ///   - filter: The values of the fetch's filter.
    ///   - limit: How many rows to read at most, whether or not they meet the filter.
    public func open(
        _ fetch: Fetch, partitionKey: Operand?, sort: SortCondition?, after: Position?, filter: [Value] = [], limit: Int
    ) throws(StoreError) -> Cursor {
        let shape = fetch.shape
        guard shape.access != .item, (partitionKey == nil) == (shape.keyCount == 0),
            sort.map({ shape.sort?.isShape(of: $0) ?? false }) ?? (shape.sort == nil),
            (after != nil) == shape.continues, shape.takes(filter)
        else { throw Self.misfit(fetch) }
        // Binding is no step of SQLite's, and `isAny` has an operand for each of a caller's groups.
        if let sort, sort.operands.count > 2 { try charge(bytes: Budget.bytesPerStep * sort.operands.count) }
        let cursor = try lend(fetch, limit: limit)
        var index: Int32 = 0
        if let partitionKey {
            index += 1
            try bind(partitionKey, to: cursor, at: index)
        }
        if let sort {
            for operand in sort.operands {
                for part in operand {
                    index += 1
                    try bind(part, to: cursor, at: index)
                }
            }
        }
        if let after {
            for part in shape.positionOrder {
                index += 1
                try bind(part == .sort ? after.sort ?? .null : .integer(after.rowID), to: cursor, at: index)
            }
        }
        try bind(filter: filter, to: cursor, after: Int(index))
        return cursor
    }

    private func lend(_ fetch: Fetch, limit: Int) throws(StoreError) -> Cursor {
        if let refusal = fetch.refusal { throw refusal }
        return try budgeted { () throws(StoreError) in
            try beginSnapshot()
            return try statements.lend(fetch, limit: limit)
        }
    }

    /// Begins a read transaction, unless one is open.
    func beginSnapshot() throws(StoreError) {
        guard !connection.isInTransaction else { return }
        // The count is taken first: a commit in between makes the next request renew once too often, never too rarely.
        snapshot = commits.value
        try begin.run()
    }

    /// Begins a read transaction in place of the open one if that lacks an announced commit. Within a request, whose
    /// budget goes on; no cursor may be open.
    func renewSnapshot() throws(StoreError) {
        if connection.isInTransaction, commits.value != snapshot {
            precondition(statements.openCount == 0, "A sync begins before anything else is read for it.")
            try commit.run()
        }
        try beginSnapshot()
    }

    /// Says of an interrupted statement which part of the budget it passed, which counts what BEGIN and reading the
    /// database's schema cost, too.
    @inline(__always)
    func budgeted<Success>(_ body: () throws(StoreError) -> Success) throws(StoreError) -> Success {
        do {
            return try body()
        } catch {
            throw error.sqliteCode.flatMap(statements.progress.error) ?? error
        }
    }

    private func bind(filter values: [Value], to cursor: Cursor, after count: Int) throws(StoreError) {
        guard !values.isEmpty else { return }
        for index in values.indices {
            try bind(values[index], to: cursor, at: Int32(truncatingIfNeeded: count + index + 1))
        }
    }

    private func bind(_ operand: Operand, to cursor: Cursor, at index: Int32) throws(StoreError) {
        switch operand {
        case .value(let value):
            try bind(value, to: cursor, at: index)
        case .column(let parent, let column):
            // Both statements belong to this thread's connection, and binding copies the value.
            guard let source = unsafe sqlite3_column_value(parent.statement, Int32(truncatingIfNeeded: column)) else {
                return try bind(.null, to: cursor, at: index)
            }
            try unsafe connection.check(sqlite3_bind_value(cursor.statement, index, source), "binding a key")
        }
    }

    private func bind(_ value: Value, to cursor: Cursor, at index: Int32) throws(StoreError) {
        guard let code = unsafe cursor.statement?.bind(value, at: index) else { return }
        try connection.check(code, "binding a value")
    }

    private static func misfit(_ fetch: Fetch) -> StoreError {
        StoreError(
            .invalidRequest, "A fetch of table \(fetch.table.table.name) was opened with values of another shape.",
            hint: "The key, the sort condition and the position must be those the fetch was made for.")
    }
}
