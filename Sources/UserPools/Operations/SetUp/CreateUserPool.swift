import JSON

extension Operation {
    /// CreateUserPool: makes a pool, for tests that set themselves up (reference: auth, "User-pool operations").
    static let createUserPool = Operation(
        "CreateUserPool", .signed, [.string("PoolName", 1...128).required]
    ) { call throws(CognitoError) in
        guard call.pools.directory.pools.count < call.pools.limits.poolsMax else { throw .limitExceeded }
        let id = "\(call.region)_\(call.pools.randomness.text(9, of: Randomness.alphanumeric))"
        let reader = SettingsReader(call.input.object)
        var pool = UserPool(id, reader, isConfiguration: false)
        try reader.throwFirst()
        (pool.created, pool.modified) = (call.now, call.now)
        var record = StoredPool(id: id, settings: pool.storedJSON, created: pool.created)
        record.issuers = call.pools.newIssuers
        // Before the pool can be used, so that no request waits for the keys.
        try await call.pools.keys.keys(of: id)
        guard try await call.records.insert(record) else { throw .internalError }
        call.pools.directory.set(pool)
        call.pools.directory.set(issuers: record.issuers, of: id)
        return ["UserPool": .object(pool.json)]
    }
}
