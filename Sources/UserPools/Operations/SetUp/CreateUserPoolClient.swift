import JSON

extension Operation {
    /// CreateUserPoolClient: makes a client (reference: auth, "User-pool operations").
    static let createUserPoolClient = Operation(
        "CreateUserPoolClient", .signed,
        [.userPoolID, .string("ClientName", 1...128).required, .boolean("GenerateSecret")]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        try call.refuseConfigured(pool)
        guard call.pools.directory.clients(of: pool.id).count < call.pools.limits.clientsPerPoolMax else {
            throw .limitExceeded
        }
        let reader = SettingsReader(call.input.object)
        let id = call.pools.randomness.text(26, of: Randomness.lowercase)
        var client = UserPoolClient(id: id, poolID: pool.id, reader, isConfiguration: false)
        if call.input.bool("GenerateSecret") == true {
            client.secret = call.pools.randomness.text(51, of: Randomness.lowercase)
        }
        client.check(in: pool, reader, isConfiguration: false)
        try reader.throwFirst()
        (client.created, client.modified) = (call.now, call.now)
        guard try await call.records.insert(client.record(by: call.pools.sealer)) else { throw .internalError }
        call.pools.directory.set(client)
        return ["UserPoolClient": .object(client.json)]
    }
}
