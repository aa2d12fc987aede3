import Tables

/// Reads and writes records. Whatever it waits for, it waits as a task.
struct RecordStore: Sendable {
    private let store: any Store
    private let tables: StoredRecordTables
    private let reads: ItemReads
    private let executor: any Executor

    /// - Parameters:
    ///   - tables: The stored tables of `RecordTables.all`.
    ///   - executor: One thread that is none of an event loop's: reads run on it.
    init(_ store: any Store, tables: [StoredTable], executor: any Executor) throws(StoreError) {
        self.store = store
        self.tables = StoredRecordTables(tables)
        self.executor = executor
        reads = try ItemReads(store, on: executor)
    }
}

// MARK: - Reads

extension RecordStore {
    /// The record with a primary key.
    func get<Kind: Record>(_: Kind.Type, _ key: String...) async throws(CognitoError) -> Kind? {
        try await record(Kind.self, key)
    }

    private func record<Kind: Record>(_: Kind.Type, _ key: [String]) async throws(CognitoError) -> Kind? {
        let query = ItemQuery(table: tables[Kind.self], access: .item, key: key.map(Value.text), limit: 1)
        return try await records(Kind.self, of: query, limit: 1).records.first
    }

    /// A page of the records of a partition, in the order of the sort key.
    ///
    /// - Parameters:
    ///   - index: The secondary index; nil for the primary key.
    ///   - prefix: What the sort key begins with.
    ///   - equal: What the sort key is.
    ///   - position: Where a page before ended.
    func query<Kind: Record>(
        _: Kind.Type, _ index: String? = nil, of partition: String, beginningWith prefix: String? = nil,
        equalTo equal: String? = nil, after position: Position? = nil, limit: Int, descending: Bool = false
    ) async throws(CognitoError) -> (records: [Kind], next: Position?) {
        let table = tables[Kind.self]
        var access = Access.primaryKey
        if let index {
            guard let position = table.table.indexes.firstIndex(where: { $0.name == index }) else {
                preconditionFailure("\(index) is an index")
            }
            access = .index(position)
        }
        let sort =
            equal.map { SortCondition(sortOperator: .eq, operands: [[.text($0)]]) }
            ?? prefix.map { SortCondition(sortOperator: .beginsWith, operands: [[.text($0)]]) }
        // One more than asked for tells whether there is a next page.
        let query = ItemQuery(
            table: table, access: access, key: [.text(partition)], sort: sort, after: position, limit: limit + 1,
            descending: descending)
        return try await records(Kind.self, of: query, limit: limit)
    }

    /// All records of a partition, which are few.
    func all<Kind: Record>(
        _ kind: Kind.Type, _ index: String? = nil, of partition: String
    ) async throws(CognitoError) -> [Kind] {
        var records: [Kind] = []
        var next: Position?
        repeat {
            let page = try await query(kind, index, of: partition, after: next, limit: 500)
            records += page.records
            next = page.next
        } while next != nil
        return records
    }

    /// All records of a table in the order in which they were made, which are few.
    func scan<Kind: Record>(_: Kind.Type) async throws(CognitoError) -> [Kind] {
        var records: [Kind] = []
        var next: Position?
        repeat {
            let query = ItemQuery(table: tables[Kind.self], access: .scan, key: [], after: next, limit: 501)
            let page = try await self.records(Kind.self, of: query, limit: 500)
            records += page.records
            next = page.next
        } while next != nil
        return records
    }

    /// The records of the first `limit` rows of a query, and where the last of these rows stands if there are more.
    private func records<Kind: Record>(
        _: Kind.Type, of query: ItemQuery, limit: Int
    ) async throws(CognitoError) -> (records: [Kind], next: Position?) {
        do throws(StoreError) {
            let batch = try await reads.run(query).get()
            let rows = BatchCursor(batch, key: 0)
            var records: [Kind] = []
            var rowCount = 0
            while rowCount < limit, try rows.next() {
                rowCount += 1
                // A row that this version cannot read is passed over.
                if let record = Kind(stored: rows) { records.append(record) }
            }
            return (records, batch.rowCount > limit ? rows.position : nil)
        } catch { throw CognitoError(error) }
    }
}

// MARK: - Writes

extension RecordStore {
    /// Carries out all of these writes, or none; says whether they were.
    func write(_ writes: [RecordWrite]) async throws(CognitoError) -> Bool {
        switch await store.write(writes, to: tables, on: executor) {
        case .success(let isDone): return isDone
        case .failure(let error): throw CognitoError(error)
        }
    }

    func insert(_ record: some Record) async throws(CognitoError) -> Bool { try await write([.insert(record)]) }
    func replace(_ record: some Record) async throws(CognitoError) -> Bool { try await write([.replace(record)]) }
    func delete(_ record: some Record) async throws(CognitoError) -> Bool { try await write([.delete(record)]) }

    /// Reads a record, changes it, and writes it, again if it was changed meanwhile.
    ///
    /// - Returns: The record as it is stored now; nil where there is none.
    func update<Kind: Record>(
        _: Kind.Type, _ key: String..., change: (inout Kind) throws(CognitoError) -> Void
    ) async throws(CognitoError) -> Kind? {
        for _ in 0..<Self.attemptsMax {
            guard var record = try await record(Kind.self, key) else { return nil }
            try change(&record)
            if try await replace(record) {
                record.revision += 1
                return record
            }
        }
        throw .tooManyRequests
    }

    /// Writes a record, whether or not one with its key is there, by one read and one write: the time does not show whether one is.
    func put<Kind: Record>(_ record: Kind, _ key: String...) async throws(CognitoError) {
        for _ in 0..<Self.attemptsMax {
            var record = record
            if let stored = try await self.record(Kind.self, key) {
                record.revision = stored.revision
                if try await replace(record) { return }
            } else if try await insert(record) {
                return
            }
        }
        throw .tooManyRequests
    }

    /// How often a change is tried that others come before.
    static let attemptsMax = 20
}

extension CognitoError {
    init(_ error: StoreError) {
        switch error.code {
        case .busy, .timedOut: self = .tooManyRequests
        default: self = .internalError
        }
    }
}
