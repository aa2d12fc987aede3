import JSON
import Tables

/// The number by which an event is found among those of its endpoint: a hash of its id, or one of the numbers after it, where other
/// events have that one. An index of numbers is a third of one of ids.
enum EventKey {
    /// FNV-1a of 64 bits, by Fowler, Noll and Vo.
    static func first(of id: String) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in id.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int64(bitPattern: hash)
    }

    /// Numbers that are tried. Of random ids no two are ever alike; a client may make some that are.
    static let triesMax = 4

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
    /// - Parameter row: The event's row, whose key is set here.
    static func put(
        _ row: inout [Value], into table: StoredTable, _ transaction: StoreTransaction
    ) throws(StoreError) -> Outcome {
        typealias Event = AnalyticsTables.Event
        guard case .text(let id) = row[Event.id] else { preconditionFailure("An event has an id.") }
        var key = first(of: id)
        for _ in 0..<triesMax {
            row[Event.key] = .integer(key)
            if try transaction.put(row, into: table) { return .stored }
            let stored = try transaction.item(of: table, key: [row[Event.endpoint], .integer(key)])
            if stored?.text(Event.id)?.isExactly(id) ?? false { return .known }
            key &+= 1
        }
        return .noRoom
    }
}
