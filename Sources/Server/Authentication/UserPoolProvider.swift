import JSON
import UserPools

/// One entry of `authConfig` with the mode `AMAZON_COGNITO_USER_POOLS`: the tokens that it accepts.
struct UserPoolProvider: Sendable, Hashable {
    /// The pool; nil for every configured one.
    var poolID: String?
    /// `appIdClientRegex`: the pattern that the client id of the token must match; nil for all clients.
    var clientIDPattern: WholePattern?

    /// Whether the provider accepts a valid token.
    ///
    /// - Parameter isConfigured: Whether the configuration has a pool.
    func accepts(_ token: TokenIdentity, isConfigured: (String) -> Bool) -> Bool {
        guard poolID.map({ $0 == token.poolID }) ?? isConfigured(token.poolID) else { return false }
        guard let clientIDPattern else { return true }
        return token.clientID.map(clientIDPattern.matches) ?? false
    }
}
