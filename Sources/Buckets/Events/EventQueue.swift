import Encodings
import Synchronization

/// The sequencer and the number of queued object events.
final class EventQueue: Sendable {
    private struct State {
        var last: Int64 = 0
        /// Number of queued events; nil until they are counted.
        var count: Int?
    }

    private let state = Mutex(State())

    /// Sixteen hexadecimal digits, increasing even if the clock is set back while the server runs. Of two events of a key, the one with the
    /// larger sequencer is the later one.
    func sequencer(_ now: Int64) -> String {
        let number = state.withLock { state in
            state.last = max(state.last + 1, now << 10)
            return state.last
        }
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }

    /// The number of queued events.
    var count: Int? {
        get { state.withLock { $0.count } }
        set { state.withLock { $0.count = newValue } }
    }

    /// Adjusts the number of queued events; negative for removed events.
    func add(_ count: Int) { state.withLock { $0.count = $0.count.map { $0 + count } } }
}
