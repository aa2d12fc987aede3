import Encodings
import JSON
import Tables

extension OperationCall {
    /// A client of a pool that the call names.
    func client(of pool: UserPool) throws(CognitoError) -> UserPoolClient {
        let id = input.required("ClientId")
        guard let client = pools.directory.client(id), client.poolID == pool.id else { throw .clientDoesNotExist(id) }
        return client
    }

    /// Checks a secret that is sent itself.
    func checkSecret(_ secret: String?, _ client: UserPoolClient) throws(CognitoError) {
        guard let expected = client.secret else { return }
        guard let secret, ConstantTime.isEqual(secret, expected) else {
            throw .notAuthorized("Client secret does not match for the client: \(client.id)")
        }
    }

    /// The group that the call names.
    func group(_ pool: UserPool) async throws(CognitoError) -> Group {
        guard let group = try await records.get(Group.self, pool.id, input.required("GroupName")) else {
            throw .groupNotFound
        }
        return group
    }

    /// How many entries a page has.
    var pageSize: Int { min(60, max(1, Int(input.integer("Limit") ?? 60))) }

    /// Where the page before ended.
    func position(_ member: String) throws(CognitoError) -> Position? {
        guard let token = input.string(member) else { return nil }
        return try pools.open(position: token, of: try UserFilter(""))
    }

    func add(_ next: Position?, to output: inout JSONObject, as member: String) {
        guard let next, let filter = try? UserFilter("") else { return }
        output[member] = .string(pools.seal(position: next, of: filter))
    }

    /// The region of pools that calls make.
    var region: String { pools.region }

    /// Throws if the pool is defined in the configuration, which calls cannot change.
    func refuseConfigured(_ pool: UserPool) throws(CognitoError) {
        guard !pool.isConfigured else {
            throw .invalidParameter(
                "User pool \(pool.id) stands in the configuration of the server; change it there.")
        }
    }

    /// Updates the settings of a pool that was created by a call.
    func changePool(
        _ change: (inout UserPool, SettingsReader) throws(CognitoError) -> Void
    ) async throws(CognitoError) -> UserPool {
        var pool = try pool()
        try refuseConfigured(pool)
        let reader = SettingsReader(input.object)
        try change(&pool, reader)
        try reader.throwFirst()
        pool.modified = now
        let settings = pool.storedJSON
        let now = now
        _ = try await records.update(StoredPool.self, pool.id) { record in
            (record.settings, record.modified) = (settings, now)
        }
        pools.directory.set(pool)
        return pool
    }
}

extension SettingsReader {
    /// Throws the first of the problems.
    func throwFirst() throws(CognitoError) {
        if let problem = problems.first { throw CognitoError(problem.error, problem.message) }
    }
}
