import Tables

/// Reads and writes the metadata of buckets asynchronously.
struct MetadataStore: Sendable {
    private let store: any Store
    let tables: [String: StoredTable]
    private let thread: ReaderThread
    private let executor: any Executor

    /// Proof: the reader is used in work of the executor alone, which runs on one thread.
    private final class ReaderThread: @unchecked Sendable {
        let reader: MetadataReader
        init(_ reader: MetadataReader) { self.reader = reader }
    }

    /// - Parameters:
    ///   - tables: The stored tables of `BucketTables.all`.
    ///   - executor: One thread that is none of an event loop's: reads run on it.
    init(_ store: any Store, tables: [StoredTable], executor: any Executor) throws(StoreError) {
        self.store = store
        self.tables = Dictionary(tables.map { ($0.table.name, $0) }, uniquingKeysWith: { $1 })
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
    func write(_ writes: [MetadataWrite]) async throws(CommitError) -> Bool {
        let writes = writes.map(write)
        let (store, executor) = (store, executor)
        let result: Result<Bool, StoreError>
        if let only = writes.first, writes.count == 1 {
            result = await withCheckedContinuation { continuation in
                store.write(only, deadline: .now + .seconds(10), on: executor) { result in
                    continuation.resume(returning: result.map(\.isDone))
                }
            }
        } else {
            result = await withCheckedContinuation { continuation in
                store.transact(writes, on: executor) { result in
                    continuation.resume(returning: result.map { $0.allSatisfy(\.isDone) })
                }
            }
        }
        switch result {
        case .success(let isDone): return isDone
        case .failure(let error): throw CommitError(error)
        }
    }

    private func write(_ write: MetadataWrite) -> Write {
        switch write {
        case .insert(let record): insertion(record)
        case .replace(let record): replacement(record)
        case .delete(let record): deletion(record)
        case .require(let record): requirement(record)
        }
    }

    private func table<Kind: Record>(of _: Kind) -> StoredTable {
        guard let table = tables[Kind.table.name] else { preconditionFailure("all tables are there") }
        return table
    }

    private func insertion(_ record: some Record) -> Write {
        let row = record.row + [.integer(1)]
        return Write(
            table: table(of: record), action: .put(row.enumerated().map { (column: $0.offset, value: $0.element) }),
            returning: [])
    }

    private func replacement(_ record: some Record) -> Write {
        let table = table(of: record)
        let key = table.table.key.columns
        let row = record.row + [.integer(record.revision + 1)]
        let changes = row.indices.filter { !key.contains($0) }.map { (column: $0, value: row[$0]) }
        return Write(
            table: table, action: .update(key: record.key, changes), condition: revision(of: record, in: table),
            returning: [])
    }

    private func deletion(_ record: some Record) -> Write {
        let table = table(of: record)
        return Write(
            table: table, action: .delete(key: record.key), condition: revision(of: record, in: table), returning: [])
    }

    private func requirement(_ record: some Record) -> Write {
        Write(table: table(of: record), action: .update(key: record.key, []), returning: [])
    }

    private func revision(of record: some Record, in table: StoredTable) -> Condition {
        .compare(column: table.table.columns.count - 1, .eq, .integer(record.revision))
    }
}

extension WriteResult {
    fileprivate var isDone: Bool { if case .item = self { true } else { false } }
}
