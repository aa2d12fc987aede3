import Tables

/// Reads and writes the metadata of buckets asynchronously.
struct MetadataStore: Sendable {
    private let store: any Store
    private let tables: StoredRecordTables
    private let points: ReaderThread
    private let lists: ReaderThread
    private let executor: any Executor
    /// Changed by `write` alone, through which every write of an object goes.
    private let objects: ObjectCache
    private let turns = ListTurns()

    /// Proof: the reader is used in work of the executor alone, of which one piece runs at a time.
    private final class ReaderThread: @unchecked Sendable {
        private let reader: MetadataReader
        private let executor: any Executor

        init(_ reader: MetadataReader, _ executor: any Executor) { (self.reader, self.executor) = (reader, executor) }

        /// - Parameter turns: The queue that the body waits in; the executor runs the piece that is next in it. Nil runs bodies in
        ///   the order of the calls.
        func read<Success: Sendable>(
            in turns: ListTurns? = nil, as turn: ListTurn = .server,
            _ body: @escaping @Sendable (MetadataReader) throws(S3Error) -> Success
        ) async throws(S3Error) -> Success {
            let result: Result<Success, S3Error> = await withCheckedContinuation { continuation in
                let piece: ListTurns.Piece = { [self] in
                    continuation.resume(returning: Result { () throws(S3Error) in try reader.read(body) })
                }
                guard let turns else { return executor.execute(piece) }
                turns.append(piece, for: turn)
                executor.execute { turns.next()?() }
            }
            return try result.get()
        }
    }

    /// - Parameters:
    ///   - tables: The stored tables of `BucketTables.all`.
    ///   - executor: Runs one piece of work at a time, not on an event loop's thread: reads run on it.
    ///   - listExecutor: The same, for reads of many rows.
    ///   - cacheBytesMax: Bytes of memory of objects that were read recently.
    init(
        _ store: any Store, tables: [StoredTable], executor: any Executor, listExecutor: any Executor,
        cacheBytesMax: Int
    ) throws(StoreError) {
        self.store = store
        objects = ObjectCache(bytesMax: cacheBytesMax)
        self.tables = StoredRecordTables(tables)
        self.executor = executor
        points = ReaderThread(try MetadataReader(store, tables: self.tables, objects, on: executor), executor)
        lists = ReaderThread(try MetadataReader(store, tables: self.tables, objects, on: listExecutor), listExecutor)
    }

    func makeReader(on executor: any Executor) throws(StoreError) -> MetadataReader {
        try MetadataReader(store, tables: tables, objects, on: executor)
    }

    /// The number of objects that are kept in memory.
    var cachedCount: Int { objects.count }

    /// Reads a few rows in one snapshot, on the executor.
    func read<Success: Sendable>(
        _ body: @escaping @Sendable (MetadataReader) throws(S3Error) -> Success
    ) async throws(S3Error) -> Success {
        try await points.read(body)
    }

    /// Reads many rows in one snapshot, on the executor of lists: other reads do not wait for it, and lists of other networks
    /// only for this piece.
    func list<Success: Sendable>(
        _ turn: ListTurn = .server,
        _ body: @escaping @Sendable (MetadataReader) throws(S3Error) -> Success
    ) async throws(S3Error) -> Success {
        try await lists.read(in: turns, as: turn, body)
    }

    /// Carries out all of these writes in a transaction, or none. Returns whether they were carried out; they are
    /// durable then.
    ///
    /// - Throws: `CommitError.unknown` if the outcome is unknown.
    func write(_ writes: [RecordWrite]) async throws(CommitError) -> Bool {
        let names = writes.compactMap(\.objectName)
        objects.beginWrite(names)
        switch await store.write(writes, to: tables, on: executor) {
        case .success(let isDone):
            objects.endWrite(names)
            return isDone
        case .failure(let error):
            let error = CommitError(error)
            // Objects of which nobody knows what the database has are not kept until the next start.
            if error != .unknown { objects.endWrite(names) }
            throw error
        }
    }
}

extension RecordWrite {
    /// The object that the write changes; nil if it changes none.
    fileprivate var objectName: ObjectCache.Name? {
        switch self {
        case .insert(let record), .replace(let record), .delete(let record):
            (record as? ObjectRecord).map { ObjectCache.Name($0.bucket, $0.objectKey) }
        case .require: nil
        }
    }
}
