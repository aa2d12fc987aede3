import JSON
import UserPools

/// One entry of `authConfig` for users of a user pool: whose tokens are accepted.
struct UserPoolProvider: Sendable, Hashable {
    /// The pool; nil for every configured one.
    var poolID: String?
    /// `appIdClientRegex`: what the id of the token's client has to match as a whole; nil for all clients. It was checked when
    /// the configuration was read.
    var clientIDPattern: String?

    /// Whether the provider accepts a valid token.
    ///
    /// - Parameter isConfigured: Whether a pool is one of the configuration.
    func accepts(_ token: TokenIdentity, isConfigured: (String) -> Bool) -> Bool {
        guard poolID.map({ $0 == token.poolID }) ?? isConfigured(token.poolID) else { return false }
        guard let clientIDPattern else { return true }
        // A `Regex` is not Sendable, so it is made for each token; seen tokens do not come here.
        guard let clientID = token.clientID, let regex = try? Regex(clientIDPattern) else { return false }
        return (try? regex.wholeMatch(in: clientID)) != nil
    }
}
