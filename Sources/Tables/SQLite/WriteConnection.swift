internal import CSQLite

/// The one connection that writes, used by the writer's thread alone: single writes, transactions, migrations.
final class WriteConnection {
    let connection: Connection
    private let stamps: Stamps
    /// The stamp of the open transaction, once a write has asked for it.
    private var stampOfTransaction: Int64?
    private let statementsMax: Int
    private let begin: Command
    private let commit: Command
    private let rollback: Command
    private var statements: [Shape: OpaquePointer] = [:]
    /// Pages in the write-ahead log after the last commit.
    private(set) var logPages = 0

    /// The log was emptied by another connection.
    func noteEmptyLog() { logPages = 0 }

    /// What a write's SQL is a function of. A condition is represented by its text.
    struct Shape: Hashable {
        /// `create` and `item` are a versioned table's: a put, and the reading of an item.
        enum Action { case put, update, delete, create, item }
        var action: Action
        var table: Int
        var columns: [Int]
        var condition: String?
        var expectsVersion = false
        var returning: [Int]
    }

    init(_ connection: Connection, stamps: Stamps, limits: StoreLimits) throws(StoreError) {
        self.connection = connection
        self.stamps = stamps
        statementsMax = limits.statementsPerConnectionMax
        begin = try Command("BEGIN IMMEDIATE", on: connection)
        commit = try Command("COMMIT", on: connection)
        rollback = try Command("ROLLBACK", on: connection)
        // The hook's context is this object, unretained: `deinit` takes the hook away before it goes.
        sqlite3_wal_hook(
            connection.handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<WriteConnection>.fromOpaque(context).takeUnretainedValue().logPages = Int(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        sqlite3_wal_hook(connection.handle, nil, nil)
        forgetStatements()
    }

    // MARK: Transactions

    func beginTransaction() throws(StoreError) {
        try begin.run()
    }

    /// Commits; if that fails, nothing of the transaction remains.
    func commitTransaction() throws(StoreError) {
        guard connection.isInTransaction else {
            throw StoreError(.other, "The database undid the transaction by itself.")
        }
        do {
            try commit.run()
        } catch {
            rollbackTransaction()
            throw error
        }
    }

    func rollbackTransaction() {
        // SQLite, "Transactions", "Response To Errors Within A Transaction": some errors have rolled back already.
        if connection.isInTransaction { try? rollback.run() }
    }

    /// The stamp of all that the open transaction changes in versioned tables.
    func stamp() -> Int64 {
        if let stampOfTransaction { return stampOfTransaction }
        let stamp = stamps.begin()
        stampOfTransaction = stamp
        return stamp
    }

    /// To be called after each transaction, when its commit was announced.
    func endStamp() {
        guard stampOfTransaction != nil else { return }
        stampOfTransaction = nil
        stamps.end()
    }

    /// The wall clock, in milliseconds since 1970.
    var milliseconds: Int64 { stamps.clock.milliseconds() }

    /// How long a tombstone is kept.
    var tombstoneSeconds: Int64 { stamps.tombstoneSeconds }

    // MARK: Writes

    /// Carries out one write inside the open transaction. Nil when the item does not meet the condition, or exists
    /// where it is to be created. An error undoes this write alone, unless `Connection.isInTransaction` says otherwise.
    func perform(_ write: Write) throws(StoreError) -> Item? {
        let table = write.table
        try checkCondition(of: write)
        var condition = SQLText()
        var shape = Shape(action: .put, table: table.id, columns: [], condition: nil, returning: write.returning)
        var values: [Value]
        switch write.action {
        case .put(let attributes):
            try table.check(put: attributes)
            guard write.condition?.isTrueOfAbsentItem ?? true else { return nil }
            shape.columns = attributes.map(\.column)
            values = attributes.map(\.value)
        case .update(let key, let attributes):
            try table.check(update: attributes)
            try table.check(key: key)
            (shape.action, shape.columns) = (.update, attributes.map(\.column))
            values = attributes.map(\.value) + key
        case .delete(let key):
            try table.check(key: key)
            shape.action = .delete
            values = key
        }
        if shape.action != .put, let tree = write.condition {
            shape.condition = condition.condition(tree, of: table)
            values += condition.values
        }
        return try run(shape, values, columnCount: write.returning.count) { text in
            switch write.action {
            case .put:
                text.put(table, columns: shape.columns, returning: shape.returning)
            case .update:
                text.update(table, columns: shape.columns, condition: write.condition, returning: shape.returning)
            case .delete:
                text.delete(table, condition: write.condition, returning: shape.returning)
            }
        }
    }

    func checkCondition(of write: Write) throws(StoreError) {
        guard write.condition?.isWithinBounds ?? true else {
            throw StoreError(.invalidRequest, "The condition on table \(write.table.table.name) is too large.")
        }
    }

    /// Runs the statement of a shape, which is made when there is none yet, and copies the row that it returns, if any.
    func run(
        _ shape: Shape, _ values: [Value], columnCount: Int, _ makeText: (inout SQLText) -> Void
    ) throws(StoreError) -> Item? {
        let statement = try statement(shape, makeText)
        defer { sqlite3_reset(statement) }
        for (index, value) in values.enumerated() {
            try connection.check(statement.bind(value, at: Int32(truncatingIfNeeded: index + 1)), "binding a value")
        }
        return try step(statement, columns: columnCount)
    }

    /// All changes are made before the first returned row (SQLite, "RETURNING", "Processing Order"); the step after it
    /// ends the statement.
    private func step(_ statement: OpaquePointer, columns: Int) throws(StoreError) -> Item? {
        var item: Item?
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return item }
            guard code == SQLITE_ROW else {
                let error = StoreError(sqlite: code, on: connection.handle, while: "writing")
                guard error.code == .other, error.message.contains("malformed JSON") else { throw error }
                throw StoreError(.invalidRequest, "A list or nested value is not JSON.", sqliteCode: code)
            }
            item = Item(values: (0..<columns).map { statement.value(at: Int32(truncatingIfNeeded: $0)) })
        }
    }

    private func statement(
        _ shape: Shape, _ makeText: (inout SQLText) -> Void
    ) throws(StoreError) -> OpaquePointer {
        if let statement = statements[shape] { return statement }
        var text = SQLText()
        makeText(&text)
        let statement = try connection.prepare(text.sql)
        // Rare enough to start over: the shapes of writes are as many as the mutations, times the inputs' field sets.
        if statements.count >= statementsMax { forgetStatements() }
        statements[shape] = statement
        return statement
    }

    private func forgetStatements() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
    }
}
