import Synchronization

/// The sequencers and the numbers of queued object events.
final class EventCounters: Sendable {
    private struct State {
        /// The last sequencer.
        var last: Int64 = 0
        /// The sequencers that may be used are below it; 0 until the first ones are reserved.
        var bound: Int64 = 0
        /// Number of queued events by function, those of earlier processes from `setCounts` on. A function that had events stays
        /// in it.
        var counts: [String: Int] = [:]
        var isCounted = false
        /// Number of dropped events that were not reported yet.
        var droppedCount = 0
        /// The time before which no dropped events are reported, in milliseconds since 1970.
        var nextReport: Int64 = 0
    }

    private let state = Mutex(State())

    /// Sequencers of a millisecond. Of more events in one millisecond, the sequencers run ahead of the clock.
    private static let sequencersPerMillisecond: Int64 = 1 << 10
    /// Sequencers of a minute.
    static let sequencersPerMinute = 60_000 * sequencersPerMillisecond

    /// The next sequencer; nil if it is not reserved.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func nextSequencer(_ now: Int64) -> Int64? {
        state.withLock { state in
            let next = max(state.last + 1, now * Self.sequencersPerMillisecond)
            guard next < state.bound else { return nil }
            state.last = next
            return next
        }
    }

    /// The sequencer that comes next if none is reserved in the store.
    func firstSequencer(_ now: Int64) -> Int64 {
        max(state.withLock { $0.last } + 1, now * Self.sequencersPerMillisecond)
    }

    /// Allows sequencers below a bound that is stored.
    ///
    /// - Parameter first: The bound that was stored before. An earlier process may have used every sequencer below it.
    func reserveSequencers(from first: Int64, to bound: Int64) {
        state.withLock { state in
            // In this process the sequencers up to `last` are the ones that were used.
            if state.bound == 0 { state.last = max(state.last, first) }
            state.bound = max(state.bound, bound)
        }
    }

    /// Whether the events of earlier processes are counted.
    var isCounted: Bool { state.withLock { $0.isCounted } }

    /// The functions that may have queued events.
    var functions: [String] { state.withLock { Array($0.counts.keys) } }

    /// Sets the numbers of all queued events.
    func setCounts(_ counts: [String: Int]) {
        state.withLock { state in
            state.counts.merge(counts) { _, counted in counted }
            state.isCounted = true
        }
    }

    /// Counts dropped events.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: The number to report: of all events since the last report, at most once a minute.
    func drop(_ count: Int, _ now: Int64) -> Int? {
        guard count > 0 else { return nil }
        return state.withLock { state in
            state.droppedCount += count
            guard now >= state.nextReport else { return nil }
            defer { state.droppedCount = 0 }
            state.nextReport = now + 60_000
            return state.droppedCount
        }
    }

    /// Adjusts the number of queued events of a function; negative for removed events.
    func add(_ count: Int, of function: String) { state.withLock { $0.counts[function, default: 0] += count } }

    /// If there are more than `countMax` queued events of all functions, the function with the most, and how many of its events
    /// are to be dropped.
    func excess(above countMax: Int) -> (function: String, count: Int)? {
        state.withLock { state in
            let excess = state.counts.values.reduce(0, +) - countMax
            guard excess > 0, let largest = state.counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else {
                return nil
            }
            return (largest.key, min(excess, largest.value))
        }
    }
}
