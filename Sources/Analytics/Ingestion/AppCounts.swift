import Tables

/// The row of an app in a transaction: its number and its counts.
struct AppCounts {
    let number: Int64
    private(set) var types, endpoints, users: Int64
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
            return
        }
        number = numbering.next()
        (types, endpoints, users) = (0, 0, 0)
        _ = try transaction.put(
            [.text(id), .integer(number)] + Array(repeating: .integer(0), count: 3), into: tables.app)
    }

    mutating func addType() {
        types += 1
        added[AnalyticsTables.App.types, default: 0] += 1
    }

    mutating func addEndpoint() {
        endpoints += 1
        added[AnalyticsTables.App.endpoints, default: 0] += 1
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
