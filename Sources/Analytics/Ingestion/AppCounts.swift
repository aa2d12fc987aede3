import Tables

/// The row of an app in a transaction: its number and its counts.
struct AppCounts {
    let number: Int64
    private(set) var types, endpoints, users, endpointBytes: Int64
    private let id: String
    private var added: [Int: Int64] = [:]

    /// The app's row, which is created if there is none.
    init(
        _ id: String, _ tables: StoredTables, _ numbering: inout Numbering, _ transaction: StoreTransaction
    ) throws(StoreError) {
        typealias App = AnalyticsTables.App
        self.id = id
        if let item = try transaction.item(of: tables.app, key: [.text(id)]) {
            number = item.integer(App.number)
            (types, endpoints, users) = (item.integer(App.types), item.integer(App.endpoints), item.integer(App.users))
            endpointBytes = item.integer(App.endpointBytes)
            return
        }
        number = numbering.next()
        (types, endpoints, users, endpointBytes) = (0, 0, 0, 0)
        _ = try transaction.put(
            [.text(id), .integer(number)] + Array(repeating: .integer(0), count: 4), into: tables.app)
    }

    mutating func addType() {
        types += 1
        added[AnalyticsTables.App.types, default: 0] += 1
    }

    /// Counts endpoints and their bytes; negative numbers are of removed ones.
    mutating func add(endpoints count: Int64, bytes: Int64) {
        endpoints += count
        endpointBytes += bytes
        if count != 0 { added[AnalyticsTables.App.endpoints, default: 0] += count }
        if bytes != 0 { added[AnalyticsTables.App.endpointBytes, default: 0] += bytes }
    }

    mutating func addUser() {
        users += 1
        added[AnalyticsTables.App.users, default: 0] += 1
    }

    /// Stores the changed counts.
    func store(_ tables: StoredTables, _ transaction: StoreTransaction) throws(StoreError) {
        guard !added.isEmpty else { return }
        try transaction.add(
            added.sorted { $0.key < $1.key }.map { (column: $0.key, amount: $0.value) }, to: tables.app,
            key: [.text(id)])
    }
}
