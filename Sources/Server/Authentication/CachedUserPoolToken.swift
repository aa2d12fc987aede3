import API
import UserPools

/// A token whose signature, session and user were verified.
final class CachedUserPoolToken: Sendable {
    /// The bytes of the token.
    let bytes: [UInt8]
    /// The user and session of the token.
    let token: TokenIdentity
    /// The same as an identity, as rules compare it.
    let identity: Identity
    /// The mode that created the identity; the mode of another schema may need other claims.
    let mode: UserPoolMode.ID

    init(_ bytes: [UInt8], _ token: TokenIdentity, _ identity: Identity, by mode: UserPoolMode.ID) {
        (self.bytes, self.token, self.identity, self.mode) = (bytes, token, identity, mode)
    }
}
