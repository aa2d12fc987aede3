import Tables

/// Reads and writes the metadata of buckets asynchronously.
struct MetadataStore: Sendable {
    private let store: any Store
    private let tables: StoredRecordTables
    private let thread: ReaderThread
    private let executor: any Executor

    /// Proof: the reader is used in work of the executor alone, of which one piece runs at a time.
    private final class ReaderThread: @unchecked Sendable {
        let reader: MetadataReader
        init(_ reader: MetadataReader) { self.reader = reader }
    }

    /// - Parameters:
    ///   - tables: The stored tables of `BucketTables.all`.
    ///   - executor: Runs one piece of work at a time, not on an event loop's thread: reads run on it.
    init(_ store: any Store, tables: [StoredTable], executor: any Executor) throws(StoreError) {
        self.store = store
        self.tables = StoredRecordTables(tables)
        self.executor = executor
        thread = ReaderThread(try MetadataReader(store, tables: self.tables, on: executor))
    }

    func makeReader(on executor: any Executor) throws(StoreError) -> MetadataReader {
        try MetadataReader(store, tables: tables, on: executor)
    }

    /// Reads in one snapshot, on the executor.
    func read<Success: Sendable>(
        _ body: @escaping @Sendable (MetadataReader) throws(S3Error) -> Success
    ) async throws(S3Error) -> Success {
        let thread = thread
        let result: Result<Success, S3Error> = await withCheckedContinuation { continuation in
            executor.execute {
                continuation.resume(returning: Result { () throws(S3Error) in try thread.reader.read(body) })
            }
        }
        return try result.get()
    }

    /// Carries out all of these writes in a transaction, or none. Returns whether they were carried out; they are
    /// durable then.
    ///
    /// - Throws: `CommitError.unknown` if the outcome is unknown.
    func write(_ writes: [RecordWrite]) async throws(CommitError) -> Bool {
        switch await store.write(writes, to: tables, on: executor) {
        case .success(let isDone): return isDone
        case .failure(let error): throw CommitError(error)
        }
    }
}
