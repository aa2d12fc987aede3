import Tables

/// Removes events in a transaction, the oldest days first. The counts of a day are kept.
///
/// All writes wait for the transaction, so its work is bounded: by the removed events and by the searches for them, of which each type
/// of a day takes one, also without events. The next transaction continues at `position`.
struct EventRemoval {
    /// How far the events of a day were removed.
    struct Position: Sendable, Hashable {
        let day: AppDay
        /// The last type whose events were all removed; 0 for none.
        var type: Int64
        /// The events of the day that were counted when its removal began. Further ones may be of any type.
        let eventCount: Int64
    }

    private let tables: StoredTables
    private let transaction: StoreTransaction
    private var workLeft: Int
    /// Where the next transaction continues; nil to begin with the oldest day.
    private(set) var position: Position?
    /// Number of removed events, and their bytes.
    private(set) var count = 0
    private(set) var bytes: Int64 = 0

    /// - Parameters:
    ///   - workMax: Maximum number of removed events and searches for them.
    ///   - position: Where the transaction before has ended.
    init(_ tables: StoredTables, _ transaction: StoreTransaction, workMax: Int, from position: Position? = nil) {
        (self.tables, self.transaction, self.position) = (tables, transaction, position)
        workLeft = max(workMax, Self.workMin)
    }

    /// What is needed to remove one event: a step for its day, a search, and the removal.
    private static let workMin = 3

    /// Whether there may be more to remove.
    var isFull: Bool { workLeft <= 0 }

    /// Removes events of days before one, until a number of bytes is removed.
    mutating func run(before day: Int64, bytesMin: Int64 = .max) throws(StoreError) {
        while !isFull, bytes < bytesMin, let oldest = try oldestDay(), oldest.day.day < day {
            workLeft -= 1
            try removeEvents(of: oldest.day, eventCount: oldest.eventCount, bytesMin)
        }
    }

    private func oldestDay() throws(StoreError) -> (day: AppDay, eventCount: Int64)? {
        typealias Day = AnalyticsTables.Day
        let item = try transaction.items(
            of: tables.day, .index(Day.byEvents), partition: .integer(1), columns: [Day.app, Day.day, Day.events],
            limit: 1
        ).first
        return item.map { (AppDay($0.integer(0), $0.integer(1)), $0.integer(2)) }
    }

    private mutating func removeEvents(
        of day: AppDay, eventCount: Int64, _ bytesMin: Int64
    ) throws(StoreError) {
        typealias Day = AnalyticsTables.Day
        var reached =
            position.flatMap { $0.day == day ? $0 : nil } ?? Position(day: day, type: 0, eventCount: eventCount)
        var isEmpty = false
        while !isFull, bytes < bytesMin, !isEmpty {
            let types = try transaction.items(
                of: tables.dayType, partition: day.value,
                sort: SortCondition(sortOperator: .gt, operands: [[.integer(reached.type)]]),
                columns: [AnalyticsTables.DayType.type], limit: min(workLeft, Self.pageMax))
            isEmpty = types.isEmpty
            for type in types {
                guard try removeEvents(of: type.integer(0), on: day, bytesMin) else { break }
                reached.type = type.integer(0)
            }
        }
        position = isEmpty ? nil : reached
        // Events that arrived since the removal of the day started may be of types before `reached`: the day is searched again.
        let isDone = isEmpty && reached.eventCount == eventCount
        _ = try transaction.update(
            tables.day, key: [.integer(day.app), .integer(day.day)],
            setting: [(Day.isEventsCut, .integer(1))] + (isDone ? [(Day.hasEvents, .null)] : []))
    }

    /// - Returns: Whether all events of the type on the day are removed.
    private mutating func removeEvents(
        of type: Int64, on day: AppDay, _ bytesMin: Int64
    ) throws(StoreError) -> Bool {
        typealias Event = AnalyticsTables.Event
        let start = day.day * AppDay.millisecondsPerDay
        let times = SortCondition.between(start, start + AppDay.millisecondsPerDay - 1)
        while !isFull, bytes < bytesMin {
            workLeft -= 1
            let limit = min(max(workLeft, 1), Self.pageMax)
            let items = try transaction.items(
                of: tables.event, .index(Event.byTime), partition: .integer(type), sort: times,
                columns: [Event.endpoint, Event.key, Event.bytes], limit: limit)
            for item in items {
                guard bytes < bytesMin else { return false }
                _ = try transaction.delete([item.value(0), item.value(1)], from: tables.event)
                workLeft -= 1
                count += 1
                bytes += item.integer(2)
            }
            if items.count < limit { return true }
        }
        return false
    }

    /// Events, and types, that are read at a time.
    private static let pageMax = 64
}
