import Synchronization

/// All pools and clients, in memory: those of the configuration and those that calls have made.
final class PoolDirectory: Sendable {
    private struct Contents {
        var pools: [String: UserPool] = [:]
        var clients: [String: UserPoolClient] = [:]
        var identityPools: [String: IdentityPool] = [:]
        /// The issuers of each pool's tokens, the first one first.
        var issuers: [String: [String]] = [:]
    }

    private let contents = Mutex(Contents())

    func pool(_ id: String) -> UserPool? { contents.withLock { $0.pools[id] } }
    func client(_ id: String) -> UserPoolClient? { contents.withLock { $0.clients[id] } }
    func identityPool(_ id: String) -> IdentityPool? { contents.withLock { $0.identityPools[id] } }
    func issuers(of poolID: String) -> [String] { contents.withLock { $0.issuers[poolID] ?? [] } }

    /// All pools, in the order of their ids.
    var pools: [UserPool] { contents.withLock { $0.pools.values.sorted { $0.id < $1.id } } }

    /// The ids of all pools and of all clients.
    var ids: (pools: Set<String>, clients: Set<String>) {
        contents.withLock { (Set($0.pools.keys), Set($0.clients.keys)) }
    }

    /// All identity pools, in the order of their ids.
    var identityPools: [IdentityPool] { contents.withLock { $0.identityPools.values.sorted { $0.id < $1.id } } }

    /// The clients of a pool, in the order of their ids.
    func clients(of poolID: String) -> [UserPoolClient] {
        contents.withLock { contents in
            contents.clients.values.filter { $0.poolID == poolID }.sorted { $0.id < $1.id }
        }
    }

    /// The pool that is served at a host name.
    func pool(host: String) -> UserPool? {
        contents.withLock { contents in
            let pools = contents.pools.values.filter { pool in
                pool.hosts.contains(host)
                    || pool.domain.map { host == $0 || host.hasPrefix("\($0).auth.") } ?? false
            }
            // A pool of the configuration goes before those that calls have made.
            return pools.first(where: \.isConfigured) ?? pools.first
        }
    }

    /// Whether a pool has this host name in full: the rest of one that begins with a pool's domain is the caller's choice.
    func isConfigured(host: String) -> Bool {
        contents.withLock { contents in
            contents.pools.values.contains { pool in
                pool.isConfigured && (pool.hosts.contains(host) || pool.domain == host)
            }
        }
    }

    func set(_ pool: UserPool) { contents.withLock { $0.pools[pool.id] = pool } }
    func set(_ client: UserPoolClient) { contents.withLock { $0.clients[client.id] = client } }
    func set(_ pool: IdentityPool) { contents.withLock { $0.identityPools[pool.id] = pool } }
    func set(issuers: [String], of poolID: String) { contents.withLock { $0.issuers[poolID] = issuers } }

    func removePool(_ id: String) {
        contents.withLock { contents in
            contents.pools[id] = nil
            contents.issuers[id] = nil
            contents.clients = contents.clients.filter { $0.value.poolID != id }
        }
    }

    func removeClient(_ id: String) { contents.withLock { $0.clients[id] = nil } }
    func removeIdentityPool(_ id: String) { contents.withLock { $0.identityPools[id] = nil } }

    /// Puts pools and clients of a new configuration in the place of those of the one before.
    func replaceConfigured(_ pools: [UserPool], _ clients: [UserPoolClient], _ identityPools: [IdentityPool]) {
        contents.withLock { contents in
            let gone = Set(contents.pools.values.filter(\.isConfigured).map(\.id)).union(pools.map(\.id))
            contents.pools = contents.pools.filter { !gone.contains($0.key) }
            contents.clients = contents.clients.filter { !gone.contains($0.value.poolID) }
            contents.identityPools = contents.identityPools.filter { !$0.value.isConfigured }
            for pool in pools { contents.pools[pool.id] = pool }
            for client in clients { contents.clients[client.id] = client }
            for pool in identityPools { contents.identityPools[pool.id] = pool }
        }
    }
}
