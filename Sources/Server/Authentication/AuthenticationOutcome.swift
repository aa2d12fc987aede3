import API

/// What a caller's credentials come to.
enum AuthenticationOutcome: Sendable {
    /// It is known at once.
    case decided(AuthenticationDecision)
    /// It is known later: a token's key has to be fetched, or an authorizer asked.
    case pending(PendingAuthentication)

    static func identity(_ identity: Identity) -> AuthenticationOutcome { .decided(.identity(identity)) }

    static let throttled = AuthenticationOutcome.decided(.refused(.throttled))

    static func refused(_ refusal: AuthenticationRefusal) -> AuthenticationOutcome { .decided(.refused(refusal)) }

    static func refused(_ message: String) -> AuthenticationOutcome {
        .decided(.refused(AuthenticationRefusal(message)))
    }
}
