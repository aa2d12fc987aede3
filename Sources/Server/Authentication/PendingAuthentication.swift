import HTTP
import Synchronization

/// A pending decision about credentials. The mode that started it calls `decide`, from any thread; the code that handles the
/// request waits with `whenDecided`. After a timeout the credentials are refused.
final class PendingAuthentication: Sendable {
    /// Seconds after which undecided credentials are refused: AppSync's timeout for a Lambda
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

    /// Calls `receive` with the decision, once, on the loop, after this call has returned. Must be called only once.
    func whenDecided(
        on loop: EventLoop, timeoutSeconds: Int = secondsMax,
        _ receive: @escaping @Sendable (AuthenticationDecision) -> Void
    ) {
        let timeout = loop.schedule(afterMilliseconds: timeoutSeconds * 1_000) { [self] in
            // Like AppSync if a Lambda authorizer does not answer.
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
