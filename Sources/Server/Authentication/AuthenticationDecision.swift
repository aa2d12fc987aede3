import API

/// The identity of a caller, or why it has none.
enum AuthenticationDecision: Sendable, Hashable {
    /// Accepted as this identity.
    case identity(Identity)
    /// Refused.
    case refused(AuthenticationRefusal)
}
