extension UserPools {
    /// Stores with each pool the name of the key that seals now, and gives new secrets to the clients whose secrets do not
    /// open, after a restore without their keys.
    func noteSealingKey() async throws(CognitoError) {
        let name = sealer.currentKey
        for pool in directory.pools where try await records.get(StoredPool.self, pool.id)?.sealingKey != name {
            _ = try await records.update(StoredPool.self, pool.id) { $0.sealingKey = name }
        }
        for record in try await records.scan(StoredClient.self)
        where record.sealedSecret != nil && record.secret(by: sealer) == nil {
            guard let client = directory.client(record.id) else { continue }
            try await records.put(client.record(by: sealer), client.id)
        }
    }
}
