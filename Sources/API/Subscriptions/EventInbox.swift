import Synchronization
import Tables

/// The events that wait for one loop, in the order of their numbers. Bounded: past its bounds nothing is kept, and the
/// loop learns that it has lost events, which it must not hide from its subscribers.
final class EventInbox: Sendable {
    private struct State {
        var events: [PublishedEvent] = []
        var byteCount = 0
        var hasLost = false
        /// Whether the loop is going to look.
        var isAwaited = false
    }

    private let state = Mutex(State())
    private let executor: any Executor
    private let deliver: @Sendable () -> Void

    /// - Parameter deliver: Takes what waits; run on the executor, once for all that came since it last ran.
    init(executor: any Executor, deliver: @escaping @Sendable () -> Void) {
        self.executor = executor
        self.deliver = deliver
    }

    /// Whether nothing waits.
    var isEmpty: Bool { state.withLock { $0.events.isEmpty && !$0.hasLost } }

    /// Adds an event.
    /// - Returns: Whether the loop has to be woken.
    func append(_ event: PublishedEvent, _ limits: APILimits) -> Bool {
        state.withLock { state in
            guard !state.hasLost else { return false }
            guard state.events.count < limits.eventInboxCountMax,
                state.byteCount + event.event.byteCount <= limits.eventInboxBytesMax
            else { return Self.overflow(&state) }
            state.events.append(event)
            state.byteCount += event.event.byteCount
            return Self.isFirst(&state)
        }
    }

    /// An event was lost on its way here.
    /// - Returns: Whether the loop has to be woken.
    func overflow() -> Bool { state.withLock { Self.overflow(&$0) } }

    func wake() { executor.execute(deliver) }

    /// All that waits, for the loop.
    func take() -> (events: [PublishedEvent], hasLost: Bool) {
        state.withLock { state in
            defer { state = State() }
            return (state.events, state.hasLost)
        }
    }

    private static func overflow(_ state: inout State) -> Bool {
        state.events = []
        state.byteCount = 0
        state.hasLost = true
        return Self.isFirst(&state)
    }

    /// Whether no wake-up is scheduled yet.
    private static func isFirst(_ state: inout State) -> Bool {
        defer { state.isAwaited = true }
        return !state.isAwaited
    }
}
