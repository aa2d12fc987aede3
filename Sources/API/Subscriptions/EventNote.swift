import Synchronization

/// How many subscriptions an event has reached, counted by the loops that match it. Made for requests that are recorded or
/// explained only. Any thread may read it.
public final class EventNote: Sendable {
    private struct State {
        /// Loops that have not matched it yet; nil until it is published.
        var loopsLeft: Int?
        var subscriptions = 0
        var delivered = 0
    }

    /// The field of `Mutation` that has caused the event.
    public let topic: String
    private let state = Mutex(State())

    init(topic: String) { self.topic = topic }

    /// The subscriptions to the topic, and those that want the event; nil while some loop has not matched it.
    public var counts: (subscriptions: Int, delivered: Int)? {
        state.withLock { state -> (subscriptions: Int, delivered: Int)? in
            guard state.loopsLeft == 0 else { return nil }
            return (subscriptions: state.subscriptions, delivered: state.delivered)
        }
    }

    /// The event goes to so many loops; to none if nobody listens, or nothing is published.
    func publish(toLoops count: Int) { state.withLock { $0.loopsLeft = count } }

    /// Some subscriptions of a loop want the event.
    func deliver(toMembers count: Int) { state.withLock { $0.delivered += count } }

    /// A loop with so many subscriptions to the topic has matched the event.
    func finish(subscriptionCount: Int) {
        state.withLock { state in
            state.subscriptions += subscriptionCount
            state.loopsLeft = state.loopsLeft.map { $0 - 1 }
        }
    }
}
