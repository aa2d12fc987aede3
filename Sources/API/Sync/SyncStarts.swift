import Synchronization

/// The `startedAt` values returned to devices, by table: a `lastSync` that is one of them needs no margin.
///
/// The latest ones of each table are kept. One that was dropped, or returned before the process started, is treated as the
/// device's own clock, so changes of the minutes before it are returned twice. Safe to use from any thread.
final class SyncStarts: Sendable {
    /// Starts kept of a table, which are half a megabyte.
    private static let countMax = 16_384

    private struct Latest {
        var starts: Set<Int64> = []
        /// In the order in which they were returned, the oldest overwritten by the newest.
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
