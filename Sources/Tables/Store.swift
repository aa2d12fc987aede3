/// Where tables are kept. It is called once for a write, a loop or a migration and never for a row: rows come from the reads
/// that it makes, whose types are known where an answer is completed.
///
/// Safe to use from any thread. Methods that block say so; the others call back on the executor.
public protocol Store: AnyObject, Sendable {
    /// Brings the store to these tables, in one transaction, after the writes that were queued before. Blocks.
    ///
    /// - Parameters:
    ///   - renames: Stored tables and columns that are declared under another name, in their order.
    ///   - effect: The most that a step may do to the data that is there. If there are steps that do more, it throws
    ///     `refusedMigration` with those steps, and nothing is changed.
    ///   - keepsIndexes: Whether indexes that are no longer declared stay until the next migration: the API that
    ///     is being replaced still reads by them.
    /// - Returns: The stored tables, in the order of `tables`, and what was done.
    func carryOutMigration(
        to tables: [Table], renaming renames: [Rename], allowing effect: MigrationStep.Effect, keepsIndexes: Bool
    ) throws(StoreError) -> (tables: [StoredTable], steps: [MigrationStep])

    /// The same, with what else is done in its transaction. Blocks.
    func carryOut(
        _ request: MigrationRequest, to tables: [Table]
    ) throws(StoreError) -> (tables: [StoredTable], steps: [MigrationStep])

    /// Removes tables and columns that these tables do not declare, with what they hold, in one transaction. The store has
    /// been brought to the tables before, and no plan of other tables is in use any more. Blocks.
    func dropLeftovers(beside tables: [Table]) throws(StoreError)

    /// Opens what one event loop reads by. Blocks.
    /// - Parameter executor: Runs work on the loop.
    func makeReads(on executor: any Executor) throws(StoreError) -> sending Reads

    /// Threads for live reads that are too long for an event loop; nil of a store that reads in batches.
    /// - Parameters:
    ///   - longMax: Long reads that have begun and not ended, at one time.
    ///   - stepsPerTurn: Steps of a turn, counted as a `Budget` counts them.
    func makeWorkers(longMax: Int, stepsPerTurn: Int) -> Workers?

    /// Queues a write. The completion runs on the executor after the commit, in commit order. A full queue or a closed store
    /// is answered at once, likewise on the executor.
    ///
    /// - Parameter deadline: The moment at which the write is taken out of the queue and fails with `timedOut`, if it
    ///   has not begun by then. One that has begun is carried out, and its completion has the result.
    func write(
        _ write: Write, deadline: ContinuousClock.Instant?, on executor: any Executor,
        completion: @escaping @Sendable (Result<WriteResult, StoreError>) -> Void)

    /// TransactWriteItems: carries out all of these writes in one transaction, after the writes that were queued before, or
    /// none of them. The completion runs on the executor after the commit.
    ///
    /// - Parameter completion: Gets the results in the order of the writes. If one of them is no `item`, that is the last
    ///   one given, and nothing was changed.
    func transact(
        _ writes: [Write], on executor: any Executor,
        completion: @escaping @Sendable (Result<[WriteResult], StoreError>) -> Void)

    /// Runs a body of reads and writes by key in a transaction, after the writes that were queued before; where it throws,
    /// nothing of it is done. The completion runs on the executor after the commit, which the body may share with writes.
    ///
    /// - Parameters:
    ///   - byteCount: Bytes that the body holds while it waits, roughly.
    ///   - deadline: As that of a write.
    ///   - body: Runs where all writes wait for it: it works on some hundred items at most.
    func transact<Success: Sendable>(
        byteCount: Int, deadline: ContinuousClock.Instant?, on executor: any Executor,
        _ body: @escaping @Sendable (StoreTransaction) throws(StoreError) -> Success,
        completion: @escaping @Sendable (Result<Success, StoreError>) -> Void)

    /// Deletes every item of these tables, in one transaction, after the writes that were queued before.
    func clear(
        _ tables: [StoredTable], on executor: any Executor,
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)

    /// Finds out whether a write would be carried out now, after those that were queued before it; nothing is committed.
    func probe(on executor: any Executor, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)

    /// Removes tombstones whose `_ttl` is past, in a small transaction after the writes that were queued before.
    /// - Parameters:
    ///   - countMax: How many at most.
    ///   - completion: Gets how many were removed.
    func collectTombstones(
        of tables: [StoredTable], countMax: Int, on executor: any Executor,
        completion: @escaping @Sendable (Result<Int, StoreError>) -> Void)

    /// Refuses all writes from now on, and throws `lost`, if what would be committed could not be found again.
    func verifyPlace() throws(StoreError)

    /// Adds entries to the audit log, in one transaction, and removes those that are too old or too many. Waits until it
    /// is committed; not to be called on an event loop.
    func addToAudit(_ entries: [AuditEntry]) throws(StoreError)

    /// 32 random bytes that belong to the stored data, made once.
    func secret() throws(StoreError) -> [UInt8]

    /// Carries out the writes that wait, and closes the store. Closing twice does nothing. Blocks.
    func close()

    /// The counters.
    var statistics: StoreStatistics { get }
}
