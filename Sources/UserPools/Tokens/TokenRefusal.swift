/// Why a token is refused.
public enum TokenRefusal: Error, Sendable, Hashable {
    /// It is no token, or none of a pool here.
    case malformed
    /// The signature is not by a key of the pool.
    case signature
    /// Its time is over.
    case expired
    /// Its session has ended.
    case revoked
    /// Its user is gone.
    case noUser
    /// Its user is disabled.
    case disabled
    /// It could not be looked up.
    case unavailable
}
