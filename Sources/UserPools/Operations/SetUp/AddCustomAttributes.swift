import JSON

extension Operation {
    /// AddCustomAttributes: adds attributes to a pool.
    static let addCustomAttributes = Operation(
        "AddCustomAttributes", .signed, [.userPoolID, .list("CustomAttributes").required]
    ) { call throws(CognitoError) in
        _ = try await call.changePool { pool, reader in pool.update(reader, isConfiguration: false) }
        return [:]
    }
}
