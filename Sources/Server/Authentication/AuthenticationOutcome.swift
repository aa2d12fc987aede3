import API

/// The result of checking a caller's credentials.
enum AuthenticationOutcome: Sendable {
    /// The decision is known at once.
    case decided(AuthenticationDecision)
    /// The decision needs a call: a token's key has to be fetched, or an authorizer has to be called.
    case pending(PendingAuthentication)

    static func identity(_ identity: Identity) -> AuthenticationOutcome { .decided(.identity(identity)) }

    static let throttled = AuthenticationOutcome.decided(.refused(.throttled))

    static func refused(_ refusal: AuthenticationRefusal) -> AuthenticationOutcome { .decided(.refused(refusal)) }

    static func refused(_ message: String) -> AuthenticationOutcome {
        .decided(.refused(AuthenticationRefusal(message)))
    }
}
