/// What an operator has configured of user pools and identity pools.
public struct UserPoolConfiguration: Sendable {
    /// The pools.
    public var pools: [UserPool]
    /// The clients of these pools.
    public var clients: [UserPoolClient]
    /// The identity pools.
    public var identityPools: [IdentityPool]
    /// The keys that sign the operations of the administration.
    public var accessKeys: [AccessKey]
    /// The base of the server's addresses as clients have it, if it was configured, without a slash at its end.
    public var publicURL: String?
    /// The base of the address that is served.
    public var servedURL: String
    /// Whether `servedURL` is served; false of a command that opens the data folder while no server runs, which keeps the
    /// issuers as they are.
    public var isServing = true

    /// A configuration of its parts.
    public init(
        pools: [UserPool] = [], clients: [UserPoolClient] = [], identityPools: [IdentityPool] = [],
        accessKeys: [AccessKey] = [], publicURL: String? = nil, servedURL: String
    ) {
        (self.pools, self.clients, self.identityPools) = (pools, clients, identityPools)
        (self.accessKeys, self.publicURL, self.servedURL) = (accessKeys, publicURL, servedURL)
    }
}
