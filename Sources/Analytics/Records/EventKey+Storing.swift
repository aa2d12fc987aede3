import JSON
import Tables

extension EventKey {
    /// What became of an event that was to be stored.
    enum Outcome {
        /// It is stored.
        case stored
        /// An event with its id was stored before.
        case known
        /// Too many events with other ids have its numbers.
        case noRoom
    }

    /// Stores an event, unless one with its id is there.
    ///
    /// - Parameters:
    ///   - first: The number that is tried first.
    ///   - row: The event's row, whose key is set here.
    static func put(
        _ first: Int64, _ row: inout [Value], into table: StoredTable, _ transaction: StoreTransaction
    ) throws(StoreError) -> Outcome {
        typealias Event = AnalyticsTables.Event
        var key = first
        for _ in 0..<triesMax {
            row[Event.key] = .integer(key)
            if try transaction.put(row, into: table) { return .stored }
            let stored = try transaction.item(of: table, key: [row[Event.endpoint], .integer(key)])
            if stored?.value(Event.id) == row[Event.id] { return .known }
            key &+= 1
        }
        return .noRoom
    }
}
