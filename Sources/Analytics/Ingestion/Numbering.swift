import Tables

/// Assigns numbers to new apps, types, endpoints and users in a transaction. It owns the row that all apps share.
struct Numbering {
    private let table: StoredTable
    private let first: Int64
    private var last: Int64
    /// The bytes of all stored events, including the changes of this transaction.
    private(set) var bytes: Int64
    private let firstBytes: Int64

    init(_ tables: StoredTables, _ transaction: StoreTransaction) throws(StoreError) {
        table = tables.total
        let item = try transaction.item(of: table, key: AnalyticsTables.Total.key)
        first = item?.integer(AnalyticsTables.Total.last) ?? 0
        firstBytes = item?.integer(AnalyticsTables.Total.bytes) ?? 0
        (last, bytes) = (first, firstBytes)
    }

    mutating func next() -> Int64 {
        last += 1
        return last
    }

    mutating func add(bytes count: Int64) { bytes += count }

    /// Stores the changes.
    func store(_ transaction: StoreTransaction) throws(StoreError) {
        guard last != first || bytes != firstBytes else { return }
        try transaction.add(
            [(AnalyticsTables.Total.last, last - first), (AnalyticsTables.Total.bytes, bytes - firstBytes)], to: table,
            key: AnalyticsTables.Total.key)
    }
}
