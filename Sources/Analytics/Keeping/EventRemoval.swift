import Tables

/// Removes events in a transaction, the oldest days first. The counts of a day are kept.
struct EventRemoval {
    private let tables: StoredTables
    private let transaction: StoreTransaction
    private let countMax: Int
    /// Number of removed events, and their bytes.
    private(set) var count = 0
    private(set) var bytes: Int64 = 0

    /// - Parameter countMax: Maximum number of removed events.
    init(_ tables: StoredTables, _ transaction: StoreTransaction, countMax: Int) {
        (self.tables, self.transaction, self.countMax) = (tables, transaction, countMax)
    }

    /// Whether there may be more to remove.
    var isFull: Bool { count >= countMax }

    /// Removes events of days before one, until a number of bytes is removed.
    mutating func run(before day: Int64, bytesMin: Int64 = .max) throws(StoreError) {
        while !isFull, bytes < bytesMin, let oldest = try oldestDay(), oldest.day < day {
            try removeEvents(of: oldest, bytesMin)
        }
    }

    private func oldestDay() throws(StoreError) -> AppDay? {
        typealias Day = AnalyticsTables.Day
        let item = try transaction.items(
            of: tables.day, .index(Day.byEvents), partition: .integer(1), columns: [Day.app, Day.day], limit: 1
        ).first
        return item.map { AppDay($0.integer(0), $0.integer(1)) }
    }

    private mutating func removeEvents(of day: AppDay, _ bytesMin: Int64) throws(StoreError) {
        typealias Event = AnalyticsTables.Event
        typealias Day = AnalyticsTables.Day
        let start = day.day * AppDay.millisecondsPerDay
        let times = SortCondition.between(start, start + AppDay.millisecondsPerDay - 1)
        // Types without remaining events are skipped quickly: each costs one search in the index.
        let types = try transaction.items(
            of: tables.dayType, partition: day.value, columns: [AnalyticsTables.DayType.type], limit: .max)
        for type in types {
            while !isFull, bytes < bytesMin {
                let items = try transaction.items(
                    of: tables.event, .index(Event.byTime), partition: .integer(type.integer(0)), sort: times,
                    columns: [Event.endpoint, Event.key, Event.bytes], limit: min(countMax - count, Self.pageMax))
                for item in items where bytes < bytesMin {
                    _ = try transaction.delete([item.value(0), item.value(1)], from: tables.event)
                    count += 1
                    bytes += item.integer(2)
                }
                if items.isEmpty { break }
            }
        }
        let isEmpty = !isFull && bytes < bytesMin
        _ = try transaction.update(
            tables.day, key: [.integer(day.app), .integer(day.day)],
            setting: [(Day.isEventsCut, .integer(1))] + (isEmpty ? [(Day.hasEvents, .null)] : []))
    }

    /// Events per page.
    private static let pageMax = 64
}
