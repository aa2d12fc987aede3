import JSON

extension Operation {
    /// UpdateUserPool: changes a pool that calls have made (reference: auth, "User-pool operations").
    static let updateUserPool = Operation(
        "UpdateUserPool", .signed, [.userPoolID]
    ) { call throws(CognitoError) in
        _ = try await call.changePool { pool, reader in pool.update(reader, isConfiguration: false) }
        return [:]
    }
}
