public import JSON
public import Tables

extension UserPools {
    /// Whether a text can be a user pool's id.
    public static func isUserPoolID(_ id: String) -> Bool { UserPool.isID(id) }

    /// Reads a client of the configuration; problems stay with the reader.
    ///
    /// - Parameters:
    ///   - object: The client, its secret read.
    ///   - pool: The pool whose settings the client's must not contradict; nil to check the client alone.
    public static func client(
        _ object: JSONObject, id: String, poolID: String, in pool: UserPool? = nil, _ reader: SettingsReader
    ) -> UserPoolClient {
        var client = UserPoolClient(id: id, poolID: poolID, reader, isConfiguration: true)
        client.secret = (object["secret"] ?? object["clientSecret"])?.stringValue
        if let pool { client.check(in: pool, reader, isConfiguration: true) }
        return client
    }

    /// The functions that a pool calls, each with the members of the pool's settings that name it.
    public static func functions(of pool: UserPool) -> [(path: [String], function: String)] {
        pool.lambdaConfig.places.map { (["lambdaConfig"] + $0.path, $0.function) }
    }

    /// The user pools, and their clients, whose tokens an identity pool takes; nil for all clients of a pool.
    public static func providers(of pool: IdentityPool) -> [(poolID: String, clientID: String?)] {
        pool.providers.map { ($0.poolID, $0.clientID) }
    }

    /// Whether a text can be an identity pool's id.
    public static func isIdentityPoolID(_ id: String) -> Bool { IdentityPool.isID(id) }

    /// The pool whose domain, or one of whose hosts, a `Host` header names.
    public func poolID(host: String) -> String? {
        let name = host.prefix { $0 != ":" }.lowercased()
        return directory.pool(host: name)?.id
    }

    /// Whether a pool that no call has made was served from a store before.
    public static func hasServed(
        _ poolID: String, in store: any Store, tables: [StoredTable], executor: any Executor
    ) async -> Bool {
        guard let records = try? RecordStore(store, tables: tables, executor: executor) else { return false }
        let stored = try? await records.get(StoredPool.self, poolID)
        return stored.map { $0.settings == nil } ?? false
    }

    /// Whether a user pool is one of the configuration, and was not made by a call.
    public func isConfigured(_ poolID: String) -> Bool { directory.pool(poolID)?.isConfigured ?? false }

    /// Whether a client may be used at a host: the host of a pool is that of its own clients only.
    func serves(_ client: UserPoolClient, at host: String) -> Bool {
        poolID(host: host).map { $0 == client.poolID } ?? true
    }

    /// The present time, in seconds since 1970.
    public var nowSeconds: Int64 { now / 1_000 }
}
