import API
import HTTP
import Synchronization
import UserPools

/// A pending decision about credentials. The mode that started it calls `decide`, from any thread; the code that handles the
/// request waits with `whenDecided`. After a timeout the client is asked to try again: a refusal would sign it out.
final class PendingAuthentication: Sendable {
    /// Seconds after which a Lambda authorizer that has not answered refuses (AWS AppSync Developer Guide, "AWS_LAMBDA
    /// authorization").
    static let authorizerSecondsMax = 10
    /// Seconds for which a request waits: for its authorizer, and for those before it.
    static let secondsMax = authorizerSecondsMax + 1

    private enum State {
        case open
        case awaited(@Sendable (AuthenticationDecision) -> Void)
        case decided(AuthenticationDecision)
        /// The waiter has received the decision, or has left.
        case delivered
    }

    private let state = Mutex(State.open)
    private let token = Mutex<TokenIdentity?>(nil)
    /// Called when the decision is no longer awaited, so that queued work can be dropped.
    private let settled = Mutex<(@Sendable () -> Void)?>(nil)

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
        settle()
        deliver?(decision)
    }

    /// The token of a user pool of this server that was verified for the decision; nil for other credentials.
    var verifiedToken: TokenIdentity? { token.withLock { $0 } }

    /// Accepts the caller of a verified token.
    func decide(_ identity: Identity, by token: TokenIdentity) {
        self.token.withLock { $0 = token }
        decide(.identity(identity))
    }

    /// Ends the wait: the waiter has left, and receives nothing.
    func abandon() {
        state.withLock { $0 = .delivered }
        settle()
    }

    /// Whether no one waits for a decision any longer, because there is one or the waiter has left.
    var isSettled: Bool {
        state.withLock { state in
            switch state {
            case .open, .awaited: false
            case .decided, .delivered: true
            }
        }
    }

    /// Sets what is called, on any thread, when no one waits for a decision any longer; of several calls the last one counts.
    func whenSettled(_ body: @escaping @Sendable () -> Void) {
        settled.withLock { $0 = body }
        if isSettled { settle() }
    }

    private func settle() {
        settled.withLock { body in
            defer { body = nil }
            return body
        }?()
    }

    /// Calls `receive` with the decision, once, on the loop, after this call has returned. Must be called only once.
    func whenDecided(
        on loop: EventLoop, timeoutSeconds: Int = secondsMax,
        _ receive: @escaping @Sendable (AuthenticationDecision) -> Void
    ) {
        let timeout = loop.schedule(afterMilliseconds: timeoutSeconds * 1_000) { [self] in
            decide(.refused(.unavailable))
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
