import JSON
import UserPools

/// One entry of `authConfig` for users of a user pool: whose tokens are accepted.
struct UserPoolProvider: Sendable, Hashable {
    /// The pool; nil for every configured one.
    var poolID: String?
    /// `appIdClientRegex`: what the id of the token's client has to match; nil for all clients.
    var clientIDPattern: WholePattern?

    /// Whether the provider accepts a valid token.
    ///
    /// - Parameter isConfigured: Whether a pool is one of the configuration.
    func accepts(_ token: TokenIdentity, isConfigured: (String) -> Bool) -> Bool {
        guard poolID.map({ $0 == token.poolID }) ?? isConfigured(token.poolID) else { return false }
        guard let clientIDPattern else { return true }
        return token.clientID.map(clientIDPattern.matches) ?? false
    }
}
