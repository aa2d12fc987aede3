import Synchronization

/// Places for servers in this process: the tests of the suite begin all at once, and a machine on which hundreds of
/// servers run beside each other keeps no deadline.
final class ServerPlaces: Sendable {
    static let shared = ServerPlaces(count: 16)

    /// Whether the task has a place. A test that starts a second server beside its first needs no other: tests that
    /// wait for each other's places would wait for ever.
    @TaskLocal private static var isTaken = false

    private struct State {
        var free: Int
        /// In the order in which they came.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(count: Int) { state = Mutex(State(free: count)) }

    /// Runs `body` once there is a place.
    func with(_ body: () async throws -> Void) async throws {
        if Self.isTaken { return try await body() }
        await take()
        defer { giveBack() }
        try await Self.$isTaken.withValue(true, operation: body)
    }

    private func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func giveBack() {
        let next = state.withLock { state in
            guard state.waiting.isEmpty else { return Optional(state.waiting.removeFirst()) }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
