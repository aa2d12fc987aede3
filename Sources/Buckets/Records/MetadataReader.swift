import Tables

/// Reads the metadata of buckets synchronously. Used by one thread, which may be an event loop's.
public final class MetadataReader {
    private let reader: Reader
    private let tables: StoredRecordTables
    private let objects: ObjectCache
    /// Rows that were read from partitions and tables so far.
    private(set) var rowCount = 0
    private var fetches: [Shape: Fetch] = [:]

    private struct Shape: Hashable {
        var table: String
        var access: Access
        var sort: SortShape?
    }

    init(
        _ store: any Store, tables: StoredRecordTables, _ objects: ObjectCache, on executor: any Executor
    ) throws(StoreError) {
        guard case .live(let reader) = try store.makeReads(on: executor) else {
            throw StoreError(.invalidRequest, "Buckets are kept in a store in the data folder.")
        }
        (self.reader, self.tables, self.objects) = (reader, tables, objects)
    }

    /// Reads in one snapshot, which has every commit that was answered before.
    func read<Success>(_ body: (MetadataReader) throws(S3Error) -> Success) throws(S3Error) -> Success {
        reader.beginRequest(budget: Budget())
        defer { reader.endTurn() }
        return try body(self)
    }

    /// An object as it is after every commit that was answered before; from memory if it was read recently.
    func object(_ bucket: String, _ key: String) throws(S3Error) -> ObjectCache.Entry? {
        try objects.entry(ObjectCache.Name(bucket, key)) { () throws(S3Error) in
            try read { reader throws(S3Error) in
                try reader.record(ObjectRecord.self, .text(bucket), .text(key))
            }
        }
    }

    /// The record with a primary key.
    func record<Kind: Record>(_: Kind.Type, _ key: Value...) throws(S3Error) -> Kind? {
        try S3Error.of { () throws(StoreError) in
            let cursor = try reader.item(fetch(Kind.self, .item, nil), key: key.map(Operand.value))
            defer { cursor.close() }
            return try cursor.next() ? Kind(stored: cursor) : nil
        }
    }

    /// Goes over the records of a partition, in the order of the sort key, until `body` is false.
    ///
    /// - Parameters:
    ///   - index: The position of the secondary index; nil for the primary key.
    ///   - sort: What the sort key is to be.
    func forEach<Kind: Record>(
        _: Kind.Type, index: Int? = nil, in partition: String, where sort: SortCondition? = nil,
        _ body: (Kind) throws(S3Error) -> Bool
    ) throws(S3Error) {
        let access: Access = index.map { .index($0) } ?? .primaryKey
        try rows(of: fetch(Kind.self, access, sort?.shape), partition: .text(partition), sort, body)
    }

    /// Goes over all records of a table.
    func forAll<Kind: Record>(_: Kind.Type, _ body: (Kind) throws(S3Error) -> Bool) throws(S3Error) {
        try rows(of: fetch(Kind.self, .scan, nil), partition: nil, nil, body)
    }

    /// The number of rows of a page of a table, the sum of a column, if one is given, and the bytes of other columns' texts.
    func sum<Kind: Record>(
        of column: String?, texts: [String], in _: Kind.Type, after position: Position?, limit: Int
    ) throws(S3Error) -> (count: Int, sum: Int, textBytes: Int, next: Position?) {
        try S3Error.of { () throws(StoreError) in
            let table = tables[Kind.self]
            let sums = column.map { [$0] } ?? []
            let columns = (sums + texts).map { name in
                guard let index = table.table.position(of: name) else { preconditionFailure("\(name) is a column") }
                return index
            }
            let fetch = Fetch(table, columns: columns, access: .scan, continues: position != nil, isShared: false)
            let cursor = try reader.open(fetch, partitionKey: nil, sort: nil, after: position, limit: limit)
            defer { cursor.close() }
            var (count, sum, textBytes, last): (Int, Int, Int, Position?) = (0, 0, 0, nil)
            while try cursor.next() {
                count += 1
                if column != nil { sum += Int(cursor.integer(0)) }
                for index in texts.indices {
                    textBytes += unsafe cursor.withText(sums.count + index) { $0.count }
                }
                last = cursor.position
            }
            return (count, sum, textBytes, count == limit ? last : nil)
        }
    }

    /// The numbers of rows of a page of a table, by the text of a column.
    func counts<Kind: Record>(
        by column: String, in _: Kind.Type, after position: Position?, limit: Int
    ) throws(S3Error) -> (counts: [String: Int], next: Position?) {
        try S3Error.of { () throws(StoreError) in
            let table = tables[Kind.self]
            guard let index = table.table.position(of: column) else { preconditionFailure("\(column) is a column") }
            let fetch = Fetch(table, columns: [index], access: .scan, continues: position != nil, isShared: false)
            let cursor = try reader.open(fetch, partitionKey: nil, sort: nil, after: position, limit: limit)
            defer { cursor.close() }
            var (counts, count, last): ([String: Int], Int, Position?) = ([:], 0, nil)
            while try cursor.next() {
                counts[cursor.value(0).text ?? "", default: 0] += 1
                count += 1
                last = cursor.position
            }
            return (counts, count == limit ? last : nil)
        }
    }

    private func rows<Kind: Record>(
        of fetch: Fetch, partition: Value?, _ sort: SortCondition?, _ body: (Kind) throws(S3Error) -> Bool
    ) throws(S3Error) {
        let cursor = try S3Error.of { () throws(StoreError) in
            try reader.open(fetch, partitionKey: partition.map(Operand.value), sort: sort, after: nil, limit: .max)
        }
        defer { cursor.close() }
        while try S3Error.of({ () throws(StoreError) in try cursor.next() }) {
            rowCount += 1
            // A row that this version cannot read is passed over.
            guard let record = Kind(stored: cursor) else { continue }
            guard try body(record) else { return }
        }
    }

    private func fetch<Kind: Record>(_: Kind.Type, _ access: Access, _ sort: SortShape?) -> Fetch {
        let shape = Shape(table: Kind.table.name, access: access, sort: sort)
        if let fetch = fetches[shape] { return fetch }
        let table = tables[Kind.self]
        let fetch = Fetch(table, columns: Array(table.table.columns.indices), access: access, sort: sort)
        fetches[shape] = fetch
        return fetch
    }
}
