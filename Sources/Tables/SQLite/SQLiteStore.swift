internal import CSQLite
internal import Synchronization

/// Tables of items in one SQLite database, in one folder: the entry point of this target.
///
/// Opened once per folder. `migrate` brings the database to the declared tables and answers with the stored ones, from
/// which fetches and writes are made. Reads go through a `Reader` per thread and never wait; writes are queued for the
/// one writer, which commits them in groups. Safe to use from any thread.
public final class SQLiteStore: Sendable {
    private let options: StoreOptions
    private let path: String
    private let commits = CommitCount()
    private let permits = WritePermits()
    private let stamps: Stamps
    private let checkpointer: Checkpointer
    private let files: StoreFiles
    let writer: Writer
    /// The folder's lock; nil once the store is closed.
    private let folder: Mutex<DataFolder?>

    /// Opens the store in a folder, which is made if need be, and locks the folder.
    ///
    /// - Parameter clock: The wall clock that stamps changes of versioned tables.
    public init(
        folder path: String, options: StoreOptions = StoreOptions(), clock: WallClock = .system
    ) throws(StoreError) {
        self.options = options
        self.path = DataFolder.database(in: path)
        let folder = try DataFolder(path)
        folder.createDatabase()
        let connection = try Connection(path: self.path, mode: .creating, limits: options.limits)
        let isPresent = try Catalog.isPresent(on: connection)
        try connection.becomeWriter(options.durability, limits: options.limits)
        if !isPresent { try Catalog.create(on: connection) }
        let files = StoreFiles(in: path)
        self.files = files
        let stamps = Stamps(
            clock, after: try Catalog(from: connection).lastStamp(on: connection),
            tombstoneSeconds: options.tombstoneSeconds)
        self.stamps = stamps
        self.folder = Mutex(folder)
        let copying = try Connection(path: self.path, mode: .writing, limits: options.limits)
        try copying.becomeWriter(options.durability, limits: options.limits)
        checkpointer = try Checkpointer(copying)
        do {
            let path = self.path
            writer = try Writer(
                try WriteConnection(connection, stamps: stamps, limits: options.limits), in: folder,
                limits: options.limits,
                commits: commits, checkpointer: checkpointer
            ) { () throws(StoreError) in
                // Another database that was put in the place of this one is not ours to write.
                try files.verify()
                let connection = try Connection(path: path, mode: .writing, limits: options.limits)
                try connection.becomeWriter(options.durability, limits: options.limits)
                return try WriteConnection(connection, stamps: stamps, limits: options.limits)
            }
        } catch {
            checkpointer.close()
            throw error
        }
    }

    deinit {
        close()
    }

    /// Reads what a folder's database holds, without its lock; nil when there is no database yet.
    public static func inspect(folder: String) throws(StoreError) -> Catalog? {
        guard try DataFolder.findsDatabase(in: folder) else { return nil }
        let connection = try Connection(
            path: DataFolder.database(in: folder), mode: .reading, limits: StoreLimits())
        return try Catalog.isPresent(on: connection) ? Catalog(from: connection) : nil
    }

    /// The steps that `migrate` would take.
    public func plan(for tables: [Table]) throws(StoreError) -> [MigrationStep] {
        try writer.run { connection in
            Result { () throws(StoreError) in try Catalog(from: connection.connection).plan(for: tables) }
        }
    }

    /// Brings the database to these tables, in one transaction, after the writes that were queued before.
    ///
    /// - Parameters:
    ///   - effect: The most that a step may do to the data that is there. If there are steps that do more, it throws
    ///     `refusedMigration` with those steps, and nothing is changed.
    ///   - keepsIndexes: Whether indexes that are no longer declared stay until the next migration: the API that
    ///     is being replaced still reads by them.
    /// - Returns: The stored tables, in the order of `tables`.
    public func migrate(
        to tables: [Table], allowing effect: MigrationStep.Effect = .none, keepsIndexes: Bool = false
    ) throws(StoreError) -> [StoredTable] {
        try carryOutMigration(to: tables, allowing: effect, keepsIndexes: keepsIndexes).tables
    }

    /// The same, and what was done: of the steps that copy a table, with what was counted.
    ///
    /// - Parameter renames: Stored tables and columns that are declared under another name, in their order.
    public func carryOutMigration(
        to tables: [Table], renaming renames: [Rename] = [], allowing effect: MigrationStep.Effect = .none,
        keepsIndexes: Bool = false
    ) throws(StoreError) -> (tables: [StoredTable], steps: [MigrationStep]) {
        try carryOut(MigrationRequest(renames: renames, effect: effect, keepsIndexes: keepsIndexes), to: tables)
    }

    /// The same, with what else is done in its transaction.
    public func carryOut(
        _ request: MigrationRequest, to tables: [Table]
    ) throws(StoreError) -> (tables: [StoredTable], steps: [MigrationStep]) {
        let (commits, permits) = (commits, permits)
        let effect = request.effect
        return try change { (connection, stamp) throws(StoreError) in
            let migration = try Migration(
                from: Catalog(from: connection), to: tables, renaming: request.renames,
                keepsIndexes: request.keepsIndexes, stamp: stamp)
            let stored = migration.catalog.tables.filter { table in tables.contains { $0.name == table.name } }
            let verify = { () throws(StoreError) in
                for table in stored { try table.verify(on: connection) }
            }
            let isChanged = !migration.changes.isEmpty || !request.fills.isEmpty
            var steps = migration.changes.map(\.step)
            // What cannot be harmless need not be counted to be refused.
            try Self.refuse(migration.changes.filter { $0.leastEffect > effect }.map(\.step))
            try request.beforeSteps()
            if !isChanged { try request.beforeCommit(verify) }
            try connection.changingSchema(if: isChanged) { () throws(StoreError) in
                for (index, change) in migration.changes.enumerated() where change.step.effect > effect {
                    steps[index] = try change.counted(on: connection)
                }
                try Self.refuse(steps.filter { $0.effect > effect })
                for (index, change) in migration.changes.enumerated() {
                    steps[index] = try change.carryOut(on: connection)
                }
                try migration.catalog.store(on: connection)
                for fill in request.fills {
                    let table = migration.catalog[fill.table]
                    guard let statement = table?.fill(fill.column, with: fill.value, stamp: stamp) else { continue }
                    try connection.execute(statement)
                }
                try request.beforeCommit(verify)
            }
            if isChanged { commits.raise() }
            for name in request.revokedTables {
                if let table = migration.catalog[name] { permits.revoke(table.storedName) }
            }
            return (tables.map { migration.catalog.resolve($0, permits) }, steps)
        }
    }

    private static func refuse(_ steps: [MigrationStep]) throws(StoreError) {
        guard let first = steps.first else { return }
        throw StoreError(
            .refusedMigration(steps), "The migration is not allowed to change what is stored: \(first.summary)",
            hint: first.hint)
    }

    /// Removes tables and columns that these tables do not declare, with what they hold, in one transaction. The
    /// database has been brought to the tables before, and no plan of other tables is in use any more.
    public func dropLeftovers(beside tables: [Table]) throws(StoreError) {
        let commits = commits
        try change { (connection, _) throws(StoreError) in
            var catalog = try Catalog(from: connection)
            let pending = try Migration(from: catalog, to: tables).changes.map(\.step)
            if let first = pending.first {
                throw StoreError(
                    .refusedMigration(pending), "What is left over can be removed after the migration: \(first.summary)"
                )
            }
            let statements = catalog.dropLeftovers(beside: tables)
            try connection.changingSchema(if: !statements.isEmpty) { () throws(StoreError) in
                for statement in statements { try connection.execute(statement) }
                try catalog.store(on: connection)
            }
            if !statements.isEmpty { commits.raise() }
        }
    }

    /// Runs a change of the schema on the writer's thread, with the stamp of what it changes.
    private func change<Success: Sendable>(
        _ body: @escaping @Sendable (Connection, Int64) throws(StoreError) -> Success
    ) throws(StoreError) -> Success {
        try writer.run { connection in
            Result { () throws(StoreError) in
                let stamp = connection.stamp()
                defer { connection.endStamp() }
                return try body(connection.connection, stamp)
            }
        }
    }

    /// Opens a read connection, for one thread.
    public func makeReader() throws(StoreError) -> sending Reader {
        guard folder.withLock({ $0 != nil }) else { throw StoreError(.closed, "The store is closed.") }
        return try Reader(path: path, limits: options.limits, commits: commits, stamps: stamps)
    }

    /// Queues a write for the one writer. The completion runs on the executor after the commit, in commit order; those
    /// of one transaction and one executor are handed over in one call. A full queue or a closed store is answered at
    /// once, likewise on the executor.
    ///
    /// - Parameter deadline: The moment at which the write is taken out of the queue and fails with `timedOut`, if it
    ///   has not begun by then. One that has begun is carried out, and its completion has the result.
    public func write(
        _ write: Write, deadline: ContinuousClock.Instant? = nil, on executor: any Executor,
        completion: @escaping @Sendable (Result<WriteResult, StoreError>) -> Void
    ) {
        writer.submit(write, deadline: deadline, on: executor, completion: completion)
    }

    /// TransactWriteItems: carries out all of these writes in one transaction, after the writes that were queued before, or
    /// none of them. The completion runs on the executor after the commit; a full queue or a closed store is answered as
    /// a write's is.
    public func transact(
        _ writes: [Write], on executor: any Executor,
        completion: @escaping @Sendable (Result<[WriteResult], StoreError>) -> Void
    ) {
        writer.submitTransaction(of: writes, on: executor, completion: completion)
    }

    /// Runs a body of reads and writes by key as one of the writes of a group's transaction, after those that were queued
    /// before. Where the body throws, nothing of it is done. The completion runs on the executor after the commit; a full queue
    /// or a closed store is answered as a write's is.
    ///
    /// - Parameters:
    ///   - byteCount: Bytes that the body holds while it waits, roughly.
    ///   - deadline: As that of a write.
    ///   - body: Runs on the writer's thread, which all writes wait for.
    public func transact<Success: Sendable>(
        byteCount: Int, deadline: ContinuousClock.Instant?, on executor: any Executor,
        _ body: @escaping @Sendable (StoreTransaction) throws(StoreError) -> Success,
        completion: @escaping @Sendable (Result<Success, StoreError>) -> Void
    ) {
        writer.submit(byteCount: byteCount, deadline: deadline, on: executor, body, completion: completion)
    }

    /// Deletes every item of these tables, in one transaction, after the writes that were queued before. The completion
    /// runs on the executor after the commit; a full queue or a closed store is answered as a write's is.
    public func clear(
        _ tables: [StoredTable], on executor: any Executor,
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        writer.submit(on: executor, completion: completion) { (connection) throws(StoreError) in
            for table in tables { try connection.clear(table) }
        }
    }

    /// Finds out whether a write would be carried out now, after those that were queued before it; nothing is committed,
    /// so that it may be asked often. The completion runs on the executor; while another program holds the database's
    /// lock, it comes as late as a write's would.
    public func probe(
        on executor: any Executor, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        writer.probe(on: executor, completion: completion)
    }

    /// Refuses all writes from now on, those that wait included, if the path of the database, of its log, of the log's
    /// index or of the folder's lock no longer leads to the file that was opened: what would be committed could not be
    /// found again, or another server could write as well. Costs four calls of the system.
    ///
    /// - Throws: `lost`, in that case. A store that is closed has no place to lose.
    public func verifyPlace() throws(StoreError) {
        guard folder.withLock({ $0 != nil }) else { return }
        do {
            try files.verify()
        } catch {
            writer.refuseWrites(error)
            throw error
        }
    }

    /// 32 random bytes that belong to this folder, made once and readable by its owner alone.
    public func secret() throws(StoreError) -> [UInt8] {
        let result = folder.withLock { folder in
            Result { () throws(StoreError) in
                guard let folder else { throw StoreError(.closed, "The store is closed.") }
                return try folder.secret()
            }
        }
        return try result.get()
    }

    /// Carries out the writes that wait, copies the log into the database, closes it, and unlocks the folder. Readers
    /// should be released by then. Closing twice does nothing.
    public func close() {
        writer.close()
        checkpointer.close()
        folder.withLock { folder in
            if folder != nil, checkpointer.hasEmptiedLog { files.setForeignLogAside() }
            folder = nil
        }
    }

    /// The counters.
    public var statistics: StoreStatistics {
        StoreStatistics(
            commits: commits.value, writes: writer.lastSequence, queueCount: writer.queueCount,
            logPages: writer.logPages, checkpoints: checkpointer.count)
    }
}
