import Transformer

/// What is configured of the modes of authorization beside API keys and this server's user pools.
struct AuthOptions: Sendable {
    /// The issuers whose tokens are accepted: providers of OpenID Connect, and user pools of other servers.
    var issuers: [TokenIssuer] = []
    /// The function that accepts tokens in the mode `AWS_LAMBDA`.
    var authorizer: LambdaAuthorizer?
    /// Why there is no such function though the mode is configured; nil where nothing is wrong.
    var missingAuthorizer: Diagnostic?
    /// `apiKeyExpirationDays`: how long a key is valid that 'syncline keys' creates; nil where nothing says it.
    var apiKeyDays: Int?
    /// The identity pool whose identities are accepted; nil for all pools of the server.
    var identityPoolID: String?
}
