import UserPools

/// What `dev` prints about the served user pools.
public struct SignInSummary: Sendable {
    /// The pools' ids, each with the ids of its clients.
    public let pools: [(id: String, clients: [String])]
    /// The identity pools' ids.
    public let identityPools: [String]
    /// The access key that this folder was given, and its secret; nil where keys are configured.
    public let developerKey: (id: String, secret: String)?

    init(_ settings: UserPoolConfiguration, hasDeveloperKey: Bool) {
        pools = settings.pools.map { pool in
            (pool.id, settings.clients.filter { $0.poolID == pool.id }.map(\.id))
        }
        identityPools = settings.identityPools.map(\.id)
        developerKey = hasDeveloperKey ? settings.accessKeys.first.map { ($0.id, $0.secret) } : nil
    }
}
