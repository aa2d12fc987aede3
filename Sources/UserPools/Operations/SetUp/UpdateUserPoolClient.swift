import JSON

extension Operation {
    /// UpdateUserPoolClient: sets a client's settings anew; those that are not given are the defaults (reference: auth, "User-pool operations").
    static let updateUserPoolClient = Operation(
        "UpdateUserPoolClient", .signed, [.userPoolID, .clientID]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        try call.refuseConfigured(pool)
        let old = try call.client(of: pool)
        let reader = SettingsReader(call.input.object)
        var client = UserPoolClient(id: old.id, poolID: pool.id, name: old.name)
        client.update(reader, isConfiguration: false)
        client.name = reader.string("ClientName") ?? old.name
        (client.secret, client.created, client.modified) = (old.secret, old.created, call.now)
        client.check(in: pool, reader, isConfiguration: false)
        try reader.throwFirst()
        try await call.records.put(client.record(by: call.pools.sealer), client.id)
        call.pools.directory.set(client)
        return ["UserPoolClient": .object(client.json)]
    }
}
