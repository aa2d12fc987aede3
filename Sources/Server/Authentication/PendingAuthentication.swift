import HTTP
import Synchronization

/// A decision about credentials that takes time. The mode that began it calls `decide`, from any thread; the code that has the
/// request waits by `whenDecided`. Without a decision in time the credentials are refused.
final class PendingAuthentication: Sendable {
    /// Seconds after which undecided credentials are refused: AppSync waits as long for a Lambda
    /// authorizer (AWS AppSync Developer Guide, "AWS_LAMBDA authorization").
    static let secondsMax = 10

    private enum State {
        case open
        case awaited(@Sendable (AuthenticationDecision) -> Void)
        case decided(AuthenticationDecision)
        /// The waiter has received the decision.
        case delivered
    }

    private let state = Mutex(State.open)

    /// Sets the decision. The first one counts.
    func decide(_ decision: AuthenticationDecision) {
        let deliver: (@Sendable (AuthenticationDecision) -> Void)? = state.withLock { state in
            switch state {
            case .open:
                state = .decided(decision)
                return nil
            case .awaited(let deliver):
                state = .delivered
                return deliver
            case .decided, .delivered: return nil
            }
        }
        deliver?(decision)
    }

    /// Calls `receive` with the decision, once, on the loop, and never within this call. To be called once.
    func whenDecided(
        on loop: EventLoop, timeoutSeconds: Int = secondsMax,
        _ receive: @escaping @Sendable (AuthenticationDecision) -> Void
    ) {
        let timeout = loop.schedule(afterMilliseconds: timeoutSeconds * 1_000) { [self] in
            // As AppSync where a Lambda authorizer does not answer.
            decide(.refused(.unauthorized))
        }
        let deliver = { @Sendable (decision: AuthenticationDecision) in
            loop.execute {
                timeout.cancel()
                receive(decision)
            }
        }
        let decided: AuthenticationDecision? = state.withLock { state in
            switch state {
            case .decided(let decision):
                state = .delivered
                return decision
            case .open:
                state = .awaited(deliver)
                return nil
            case .awaited, .delivered: preconditionFailure("a decision is awaited once")
            }
        }
        if let decided { deliver(decided) }
    }
}
