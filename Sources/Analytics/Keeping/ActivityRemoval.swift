import Tables

/// Removes the active users of old days in a transaction. Their number is kept.
struct ActivityRemoval {
    private let tables: StoredTables
    private let transaction: StoreTransaction
    private let countMax: Int
    private(set) var count = 0

    /// - Parameter countMax: Maximum number of removed rows.
    init(_ tables: StoredTables, _ transaction: StoreTransaction, countMax: Int) {
        (self.tables, self.transaction, self.countMax) = (tables, transaction, countMax)
    }

    /// Whether there may be more to remove.
    var isFull: Bool { count >= countMax }

    /// Removes the activity of days before one.
    mutating func run(before day: Int64) throws(StoreError) {
        typealias Day = AnalyticsTables.Day
        while !isFull {
            let oldest = try transaction.items(
                of: tables.day, .index(Day.byActivity), partition: .integer(1), columns: [Day.app, Day.day], limit: 1)
            guard let item = oldest.first, item.integer(1) < day else { return }
            let appDay = AppDay(item.integer(0), item.integer(1))
            let rows = try transaction.items(
                of: tables.dayUser, partition: appDay.value, columns: [AnalyticsTables.DayUser.user],
                limit: countMax - count)
            for row in rows { _ = try transaction.delete([appDay.value, row.value(0)], from: tables.dayUser) }
            count += rows.count
            _ = try transaction.update(
                tables.day, key: [.integer(appDay.app), .integer(appDay.day)],
                setting: [(Day.isActivityCut, .integer(1))] + (isFull ? [] : [(Day.hasActivity, .null)]))
        }
    }
}
