import API
import UserPools

/// A token whose signature, session and user were found good.
final class CachedUserPoolToken: Sendable {
    /// The token as it came.
    let bytes: [UInt8]
    /// Whose it is.
    let token: TokenIdentity
    /// The same as rules look at it.
    let identity: Identity
    /// The mode that made the identity; that of another schema looks at other claims.
    let mode: UserPoolMode.ID

    init(_ bytes: [UInt8], _ token: TokenIdentity, _ identity: Identity, by mode: UserPoolMode.ID) {
        (self.bytes, self.token, self.identity, self.mode) = (bytes, token, identity, mode)
    }
}
