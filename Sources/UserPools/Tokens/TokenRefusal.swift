/// Why a token is refused.
public enum TokenRefusal: Error, Sendable, Hashable {
    /// It is no token, or none of a pool here.
    case malformed
    /// The signature is not by a key of the pool.
    case signature
    /// Its `iss` is not an issuer of its pool.
    case issuer
    /// Its `token_use` is neither `id` nor `access`.
    case use
    /// Its time is over, or has not begun.
    case expired
    /// Its session has ended.
    case revoked
    /// Its client is gone.
    case noClient
    /// Its user is gone.
    case noUser
    /// Its user is disabled.
    case disabled
    /// It could not be looked up.
    case unavailable
}
