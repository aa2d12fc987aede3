import Synchronization

/// Single-use values that were used, until they expire, and the number of failed attempts with each.
final class SingleUse: Sendable {
    private struct Entry {
        var expires: Int64
        var isUsed = false
        var failureCount = 0
    }

    private let entries = Mutex<[String: Entry]>([:])
    /// Maximum number of values. Beyond it those that expire first are dropped.
    static let countMax = 200_000
    /// How many attempts with a value may fail.
    static let failuresMax = 5

    /// Marks a value as used; false if it was before, or attempts with it failed too often.
    func use(_ value: String, expires: Int64, now: Int64) -> Bool {
        entries.withLock { entries in
            if let entry = entries[value] {
                if entry.isUsed || entry.failureCount >= Self.failuresMax { return false }
            } else {
                Self.makeRoom(in: &entries, now: now)
            }
            entries[value] = Entry(expires: expires, isUsed: true)
            return true
        }
    }

    /// Whether a value can still be used.
    func isUsable(_ value: String) -> Bool {
        entries.withLock { entries in
            guard let entry = entries[value] else { return true }
            return !entry.isUsed && entry.failureCount < Self.failuresMax
        }
    }

    /// Counts a failed attempt with a value.
    func fail(_ value: String, expires: Int64, now: Int64) {
        entries.withLock { entries in
            if entries[value] == nil { Self.makeRoom(in: &entries, now: now) }
            entries[value, default: Entry(expires: expires)].failureCount += 1
        }
    }

    private static func makeRoom(in entries: inout [String: Entry], now: Int64) {
        guard entries.count >= countMax else { return }
        entries = entries.filter { $0.value.expires > now }
        guard entries.count >= countMax else { return }
        let median = entries.values.map(\.expires).sorted()[entries.count / 2]
        entries = entries.filter { $0.value.expires > median }
    }
}
