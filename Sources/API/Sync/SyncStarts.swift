import Synchronization

/// The starts of syncs that devices were told, by table: a `lastSync` that is one of them needs no margin.
///
/// Of each table the latest are kept. One that is forgotten, or was told before the process began, is taken for a
/// device's own clock, and what changed in the minutes before it comes twice. Safe to use from any thread.
final class SyncStarts: Sendable {
    /// Starts kept of a table, which are half a megabyte.
    private static let countMax = 16_384

    private struct Latest {
        var starts: Set<Int64> = []
        /// In the order they were told, the oldest overwritten by the newest.
        var ring: [Int64] = []
        var next = 0
    }

    private let tables = Mutex<[String: Latest]>([:])

    func insert(_ start: Int64, of table: String) {
        tables.withLock { tables in
            guard tables[table, default: Latest()].starts.insert(start).inserted else { return }
            let next = tables[table]?.next ?? 0
            if let ring = tables[table]?.ring, ring.count == Self.countMax {
                tables[table]?.starts.remove(ring[next])
                tables[table]?.ring[next] = start
            } else {
                tables[table]?.ring.append(start)
            }
            tables[table]?.next = (next + 1) % Self.countMax
        }
    }

    func contains(_ start: Int64, of table: String) -> Bool {
        tables.withLock { $0[table]?.starts.contains(start) ?? false }
    }
}
