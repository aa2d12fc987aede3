internal import Synchronization

/// A thread that sleeps until the earliest of the moments it was given, and then calls what it was started with.
final class Alarm: Sendable {
    private struct State {
        var moment: ContinuousClock.Instant?
        var isClosing = false
    }

    private let state = Monitor(State())
    private let thread = Mutex<StoreThread?>(nil)

    /// Starts the thread. `ring` looks at all that may be due, and returns the next moment to call it at.
    func start(_ ring: @escaping @Sendable () -> ContinuousClock.Instant?) throws(StoreError) {
        let started = try StoreThread { [self] in
            while waitForMoment() {
                if let next = ring() { set(next) }
            }
        }
        thread.withLock { $0 = started }
    }

    /// Sees to it that it rings at this moment or before.
    func set(_ moment: ContinuousClock.Instant) {
        state.update { state in
            if let earlier = state.moment, earlier <= moment { return false }
            state.moment = moment
            return true
        }
    }

    /// Waits for the end of the thread.
    func close() {
        state.update { state in
            state.isClosing = true
            return true
        }
        thread.withLock { $0 }?.join()
    }

    /// False when it is closed.
    private func waitForMoment() -> Bool {
        while true {
            guard let moment = state.wait({ $0.isClosing ? .some(nil) : $0.moment.map { .some($0) } }) else {
                return false
            }
            // An earlier moment, or the end, may come in between.
            let isChanged = state.wait(until: moment) { $0.isClosing || $0.moment != moment ? true : nil }
            guard isChanged == nil else { continue }
            // What is set just now is either past as well, and this ring is for it; or is later, and `ring` finds it.
            state.update { state in
                state.moment = nil
                return false
            }
            return true
        }
    }
}
