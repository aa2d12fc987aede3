import Synchronization

/// Counts events by name in an hour that moves on, and bounds how many there may be. The names that are kept are bounded,
/// too: when there are too many, those that came last before are forgotten.
final class RateLimiter: Sendable {
    private struct Count {
        var hour: Int64
        var current: Int
        var previous: Int
    }

    private let counts = Mutex<[String: Count]>([:])
    /// The most names that are kept.
    static let namesMax = 50_000
    private static let hourMilliseconds: Int64 = 3_600_000

    /// Counts one event; false when there were as many already in the last hour.
    func take(_ name: String, max: Int, now: Int64) -> Bool {
        let (hour, rest) = (now / Self.hourMilliseconds, now % Self.hourMilliseconds)
        return counts.withLock { counts in
            var count = counts[name] ?? Count(hour: hour, current: 0, previous: 0)
            if count.hour != hour {
                count = Count(hour: hour, current: 0, previous: count.hour == hour - 1 ? count.current : 0)
            }
            // The hour before counts as far as it still lies within the last sixty minutes.
            let weight = Double(Self.hourMilliseconds - rest) / Double(Self.hourMilliseconds)
            guard Double(count.current) + Double(count.previous) * weight < Double(max) else { return false }
            count.current += 1
            if counts.count >= Self.namesMax, counts[name] == nil {
                counts = counts.filter { $0.value.hour == hour && $0.value.current > 1 }
                if counts.count >= Self.namesMax { counts.removeAll() }
            }
            counts[name] = count
            return true
        }
    }

    /// Whether one more would be taken; counts nothing.
    func allows(_ name: String, max: Int, now: Int64) -> Bool {
        let (hour, rest) = (now / Self.hourMilliseconds, now % Self.hourMilliseconds)
        return counts.withLock { counts in
            guard let count = counts[name] else { return true }
            let weight = Double(Self.hourMilliseconds - rest) / Double(Self.hourMilliseconds)
            let current = count.hour == hour ? count.current : 0
            let previous = count.hour == hour ? count.previous : count.hour == hour - 1 ? count.current : 0
            return Double(current) + Double(previous) * weight < Double(max)
        }
    }
}
