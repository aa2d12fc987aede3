import JSON

extension Operation {
    /// DeleteUserPoolClient: removes a client, which ends its sessions (reference: auth, "User-pool operations").
    static let deleteUserPoolClient = Operation(
        "DeleteUserPoolClient", .signed, [.userPoolID, .clientID]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        try call.refuseConfigured(pool)
        let client = try call.client(of: pool)
        if let record = try await call.records.get(StoredClient.self, client.id) {
            _ = try await call.records.delete(record)
        }
        call.pools.directory.removeClient(client.id)
        call.pools.services.endSessions(.client(client.id))
        return [:]
    }
}
