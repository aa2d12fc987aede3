import JSON
import Synchronization

/// Limits events per name in a sliding window of one hour. The number of names is bounded: beyond it, names without
/// recent events are dropped, or else the half with the fewest events, so that names near their limit stay.
final class RateLimiter: Sendable {
    private struct Count {
        var hour: Int64
        var current: Int
        var previous: Int
    }

    private let counts = Mutex<[ExactText: Count]>([:])
    /// The most names that are kept.
    static let namesMax = 50_000
    private static let hourMilliseconds: Int64 = 3_600_000

    /// Counts an event; false if the limit of the last hour is reached.
    func take(_ name: String, max: Int, now: Int64) -> Bool {
        let (hour, rest) = (now / Self.hourMilliseconds, now % Self.hourMilliseconds)
        let name = BoundedName.key(name)
        return counts.withLock { counts in
            var count = counts[name] ?? Count(hour: hour, current: 0, previous: 0)
            if count.hour != hour {
                count = Count(hour: hour, current: 0, previous: count.hour == hour - 1 ? count.current : 0)
            }
            // The previous hour counts in proportion to its part of the last sixty minutes.
            let weight = Double(Self.hourMilliseconds - rest) / Double(Self.hourMilliseconds)
            guard Double(count.current) + Double(count.previous) * weight < Double(max) else { return false }
            count.current += 1
            if counts.count >= Self.namesMax, counts[name] == nil {
                counts = counts.filter { $0.value.hour >= hour - 1 }
                if counts.count >= Self.namesMax {
                    let kept = counts.sorted {
                        $0.value.current + $0.value.previous > $1.value.current + $1.value.previous
                    }
                    .prefix(Self.namesMax / 2)
                    counts = Dictionary(kept.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
                }
            }
            counts[name] = count
            return true
        }
    }

    /// Takes back an event that was counted, unless its hour has ended.
    func withdraw(_ name: String, now: Int64) {
        let name = BoundedName.key(name)
        counts.withLock { counts in
            guard let count = counts[name], count.hour == now / Self.hourMilliseconds, count.current > 0 else { return }
            counts[name]?.current -= 1
        }
    }

    /// Whether one more event would be accepted, without counting it.
    func allows(_ name: String, max: Int, now: Int64) -> Bool {
        let (hour, rest) = (now / Self.hourMilliseconds, now % Self.hourMilliseconds)
        let name = BoundedName.key(name)
        return counts.withLock { counts in
            guard let count = counts[name] else { return true }
            let weight = Double(Self.hourMilliseconds - rest) / Double(Self.hourMilliseconds)
            let current = count.hour == hour ? count.current : 0
            let previous = count.hour == hour ? count.previous : count.hour == hour - 1 ? count.current : 0
            return Double(current) + Double(previous) * weight < Double(max)
        }
    }
}
