internal import CSQLite

/// The one connection that writes, used by the writer's thread alone: single writes, transactions, migrations.
///
/// Memory safety: the statements are prepared on `connection`, which lives longer, used on the writer's thread and finalized once,
/// in `forgetStatements`.
@safe final class WriteConnection {
    let connection: Connection
    private let stamps: Stamps
    /// The stamp of the open transaction, once a write has asked for it.
    private var stampOfTransaction: Int64?
    private let limits: StoreLimits
    let sizes: ItemSizeCheck
    private let begin: Command
    private let commit: Command
    private let rollback: Command
    private let beginPart: Command
    private let endPart: Command
    private let rollbackPart: Command
    private var statements: [Shape: OpaquePointer] = unsafe [:]
    /// Pages in the write-ahead log after the last commit.
    private(set) var logPages = 0

    /// The log was emptied by another connection.
    func noteEmptyLog() { logPages = 0 }

    /// What a write's SQL is a function of.
    struct Shape: Hashable {
        /// `create` is a versioned table's put, `putRow` and `row` are of all columns, `add` counts in so many of the columns,
        /// `item` reads an item and `query` some.
        enum Action: Hashable {
            case put, putRow, create, update, delete, item, row, add(Int), query(Access, SortShape?)
        }
        var action: Action
        var table: Int
        /// What is set, or read.
        var columns: [Int] = []
        var condition: ConditionShape?
        var expectsVersion = false
        var checksSize = false
    }

    init(_ connection: Connection, stamps: Stamps, limits: StoreLimits) throws(StoreError) {
        self.connection = connection
        self.stamps = stamps
        self.limits = limits
        sizes = try ItemSizeCheck(bytesMax: limits.itemBytesMax, on: connection)
        begin = try Command("BEGIN IMMEDIATE", on: connection)
        commit = try Command("COMMIT", on: connection)
        rollback = try Command("ROLLBACK", on: connection)
        beginPart = try Command("SAVEPOINT part", on: connection)
        endPart = try Command("RELEASE part", on: connection)
        rollbackPart = try Command("ROLLBACK TO part", on: connection)
        // The hook's context is this object, unretained: `deinit` takes the hook away before it goes.
        unsafe sqlite3_wal_hook(
            connection.handle,
            { context, _, _, pages in
                guard let context = unsafe context else { return SQLITE_OK }
                unsafe Unmanaged<WriteConnection>.fromOpaque(context).takeUnretainedValue().logPages = Int(pages)
                return SQLITE_OK
            }, unsafe Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        unsafe sqlite3_wal_hook(connection.handle, nil, nil)
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

    /// Runs a part of the open transaction, which is undone alone where it fails, unless `Connection.isInTransaction` says
    /// otherwise then.
    func part(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try beginPart.run()
        do throws(StoreError) {
            try body()
        } catch {
            guard connection.isInTransaction else { throw error }
            // SQLite, "Savepoints": ROLLBACK TO leaves the savepoint, which RELEASE ends.
            do throws(StoreError) {
                try rollbackPart.run()
                try endPart.run()
            } catch { rollbackTransaction() }
            throw error
        }
        try endPart.run()
    }

    /// Changes nothing, but has the open transaction write the database's first page: its number of the format is set
    /// to what it is.
    func rewriteHeader() throws(StoreError) {
        guard case .integer(let version)? = try connection.rows("PRAGMA user_version", columns: 1).first?.values.first
        else { return }
        try connection.execute("PRAGMA user_version = \(version)")
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
        switch write.action {
        case .put(let attributes):
            try table.check(put: attributes)
            try sizes.check(put: attributes, of: table)
            guard write.condition?.isTrueOfAbsentItem ?? true else { return nil }
            let shape = Shape(action: .put, table: table.id, columns: attributes.map(\.column))
            let values = attributes.map(\.value)
            guard try change(shape, values, { $0.put(table, columns: shape.columns) }) else { return nil }
            if let item = table.item(put: attributes, returning: write.returning) { return item }
            return try changedItem(write.key, of: write)
        case .update(let key, let attributes):
            try table.check(update: attributes)
            try table.check(key: key)
            let condition = write.statementCondition.map { ParameterizedCondition($0, of: table.table) }
            let shape = Shape(
                action: .update, table: table.id, columns: attributes.map(\.column), condition: condition?.shape,
                checksSize: true)
            let values = attributes.map(\.value) + key + (condition?.values ?? [])
            let isChanged = try changeIfFits(shape, attributes, of: table, values) {
                $0.update(table, columns: shape.columns, condition: shape.condition, checksSize: true)
            }
            return isChanged ? try changedItem(key, of: write) : nil
        case .delete(let key):
            try table.check(key: key)
            let condition = write.statementCondition.map { ParameterizedCondition($0, of: table.table) }
            guard let item = try item(key, of: table, columns: write.returning, if: condition) else { return nil }
            _ = try change(Shape(action: .delete, table: table.id), key) { $0.delete(table) }
            return item
        }
    }

    /// Why a write has changed nothing, which was not an error: its guard, or else its condition or the item's absence.
    func reason(of write: Write) throws(StoreError) -> WriteResult {
        guard let writeGuard = write.writeGuard else { return .conditionFailed() }
        let item = try item(write.key, of: write.table, columns: Array(write.table.columns.indices))
        return writeGuard.refusal(of: item, in: write.table.table).map { .notPermitted($0) } ?? .conditionFailed()
    }

    func checkCondition(of write: Write) throws(StoreError) {
        let condition = write.statementCondition
        guard condition?.isWithinBounds ?? true else {
            throw StoreError(.invalidRequest, "The condition on table \(write.table.table.name) is too large.")
        }
        if condition != nil { connection.meter.begin(bytesMax: limits.conditionBytesMax) }
    }

    /// Why a condition was ended.
    private var passedCondition: StoreError {
        StoreError(
            .invalidRequest,
            "The condition looks at more than \(limits.conditionBytesMax) bytes of the item (limits.conditionBytesMax).",
            hint: "Test long attributes less often.")
    }

    /// The columns of the item with the key, if it is there and meets the condition.
    ///
    /// A statement of its own before or after the one that changes the item: RETURNING has SQLite make a table in
    /// memory for each write, which takes it several times as long.
    func item(
        _ key: [Value], of table: StoredTable, columns: [Int], if condition: ParameterizedCondition? = nil
    ) throws(StoreError) -> Item? {
        let shape = Shape(action: .item, table: table.id, columns: columns, condition: condition?.shape)
        let statement = try unsafe statement(shape, key + (condition?.values ?? [])) {
            $0.item(table, columns: columns, condition: shape.condition)
        }
        defer { unsafe sqlite3_reset(statement) }
        switch unsafe sqlite3_step(statement) {
        case SQLITE_ROW:
            return Item(values: columns.indices.map { unsafe statement.value(at: Int32(truncatingIfNeeded: $0)) })
        case SQLITE_DONE: return nil
        case SQLITE_ERROR where connection.meter.isPassed: throw passedCondition
        case let code: throw unsafe StoreError(sqlite: code, on: connection.handle, while: "reading what is written")
        }
    }

    /// All columns of the item with the key.
    func row(_ key: [Value], of table: StoredTable) throws(StoreError) -> Item? {
        try items(.init(action: .row, table: table.id), key, columnCount: table.columns.count, limit: 1) {
            $0.item(table, columns: Array(table.columns.indices), condition: nil)
        }.first
    }

    /// The first rows of a query.
    func items(
        _ shape: Shape, _ values: [Value], columnCount: Int, limit: Int, _ makeText: (inout SQLText) -> Void
    ) throws(StoreError) -> [Item] {
        let statement = try unsafe statement(shape, values, makeText)
        defer { unsafe sqlite3_reset(statement) }
        var items: [Item] = []
        while items.count < limit {
            let code = unsafe sqlite3_step(statement)
            if code == SQLITE_DONE { break }
            try connection.check(code == SQLITE_ROW ? SQLITE_OK : code, "reading what is written")
            items.append(
                Item(values: (0..<columnCount).map { unsafe statement.value(at: Int32(truncatingIfNeeded: $0)) }))
        }
        return items
    }

    /// What a write that has changed an item returns of it. If that cannot be read, the transaction is undone: a
    /// write that was reported as failed must not be found later.
    func changedItem(_ key: [Value], of write: Write) throws(StoreError) -> Item {
        do throws(StoreError) {
            if let item = try item(key, of: write.table, columns: write.returning) { return item }
            throw StoreError(.other, "An item of table \(write.table.table.name) is not found by its key.")
        } catch {
            rollbackTransaction()
            throw error
        }
    }

    /// Runs the statement of a shape, which is made when there is none yet.
    /// - Returns: Whether it has changed an item.
    func change(
        _ shape: Shape, _ values: [Value], _ makeText: (inout SQLText) -> Void
    ) throws(StoreError) -> Bool {
        let statement = try unsafe statement(shape, values, makeText)
        defer { unsafe sqlite3_reset(statement) }
        let code = unsafe sqlite3_step(statement)
        guard code == SQLITE_DONE else {
            guard !connection.meter.isPassed else { throw passedCondition }
            let error = unsafe StoreError(sqlite: code, on: connection.handle, while: "writing")
            guard error.code == .other, error.message.contains("malformed JSON") else { throw error }
            throw StoreError(.invalidRequest, "A list or nested value is not JSON.", sqliteCode: code)
        }
        return unsafe sqlite3_changes(connection.handle) > 0
    }

    /// The same of an UPDATE that checks the size of the item it makes of these attributes and those it leaves.
    func changeIfFits(
        _ shape: Shape, _ attributes: [(column: Int, value: Value)], of table: StoredTable, _ values: [Value],
        _ makeText: (inout SQLText) -> Void
    ) throws(StoreError) -> Bool {
        sizes.begin(update: attributes, of: table)
        defer { sizes.end() }
        if try change(shape, values, makeText) { return true }
        if sizes.isPassed { throw StoreError.updatedItemTooLarge }
        return false
    }

    /// The statement of a shape with its values bound, to be reset after its use.
    private func statement(
        _ shape: Shape, _ values: [Value], _ makeText: (inout SQLText) -> Void
    ) throws(StoreError) -> OpaquePointer {
        let statement = try unsafe statement(shape, makeText)
        for (index, value) in values.enumerated() {
            try unsafe connection.check(
                statement.bind(value, at: Int32(truncatingIfNeeded: index + 1)), "binding a value")
        }
        return unsafe statement
    }

    private func statement(
        _ shape: Shape, _ makeText: (inout SQLText) -> Void
    ) throws(StoreError) -> OpaquePointer {
        if let statement = unsafe statements[shape] { return unsafe statement }
        var text = SQLText(.sqlite)
        makeText(&text)
        let statement = try unsafe connection.prepare(text.sql)
        // Rare enough to start over: the shapes of writes are as many as the mutations, times the inputs' field sets.
        if unsafe statements.count >= limits.statementsPerConnectionMax { forgetStatements() }
        unsafe statements[shape] = unsafe statement
        return unsafe statement
    }

    private func forgetStatements() {
        unsafe statements.values.forEach { unsafe _ = sqlite3_finalize($0) }
        unsafe statements = unsafe [:]
    }
}

extension StoredTable {
    /// The item that a put of checked attributes has made; nil where only SQLite knows: it rewrites JSON.
    fileprivate func item(put attributes: [(column: Int, value: Value)], returning: [Int]) -> Item? {
        var values: [Value] = []
        values.reserveCapacity(returning.count)
        for column in returning {
            let value = attributes.first { $0.column == column }?.value ?? .null
            switch (table.columns[column].type, value) {
            case (.json, .text): return nil
            case (.real, .integer(let number)): values.append(.real(Double(number)))
            // It keeps no sign of a zero.
            case (.real, .real(0)): values.append(.real(0))
            default: values.append(value)
            }
        }
        return Item(values: values)
    }
}
