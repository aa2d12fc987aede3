import Synchronization

/// Lets so many lines a second through, and counts the others. From any thread.
final class LineSampler: Sendable {
    enum Verdict: Sendable, Hashable {
        case logged
        /// The first one that is left out since the last report: somebody is to call `takeLeftOutCount` in a second.
        case firstLeftOut
        case leftOut
    }

    private struct State {
        var second = Int64.min
        var loggedCount = 0
        var leftOutCount = 0
    }

    private let linesPerSecondMax: Int
    private let state = Mutex(State())

    init(linesPerSecondMax: Int) { self.linesPerSecondMax = linesPerSecondMax }

    /// What becomes of a line at this moment of a clock that never goes back.
    func verdict(atNanoseconds now: Int64) -> Verdict {
        state.withLock { state in
            let second = now / 1_000_000_000
            if second != state.second { (state.second, state.loggedCount) = (second, 0) }
            guard state.loggedCount >= linesPerSecondMax else {
                state.loggedCount += 1
                return .logged
            }
            state.leftOutCount += 1
            return state.leftOutCount == 1 ? .firstLeftOut : .leftOut
        }
    }

    /// How many lines were left out since this was last asked.
    func takeLeftOutCount() -> Int {
        state.withLock { state in
            defer { state.leftOutCount = 0 }
            return state.leftOutCount
        }
    }
}
