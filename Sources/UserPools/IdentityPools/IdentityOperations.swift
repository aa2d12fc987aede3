import JSON

/// The operations of identity pools (reference: auth, "Identity pools").
enum IdentityOperations {
    static let all: [Operation] = [
        getID, getCredentialsForIdentity, getOpenIDToken, createIdentityPool, describeIdentityPool, listIdentityPools,
        updateIdentityPool, deleteIdentityPool, setIdentityPoolRoles, getIdentityPoolRoles, listIdentities,
        describeIdentity,
    ]

    private static let poolID = Member.string("IdentityPoolId", 1...55).required
    private static let identityID = Member.string("IdentityId", 1...55).required

    private static let getID = Operation("GetId", .open, [poolID, .object("Logins"), .string("AccountId", 1...15)]) {
        call throws(CognitoError) in
        let pool = try call.pools.identityPool(call.input.required("IdentityPoolId"))
        let logins = try await call.pools.logins(try call.input.texts("Logins"), in: pool)
        return ["IdentityId": .string(try await call.pools.identity(of: logins, in: pool, from: call.caller).id)]
    }

    /// The identity that a call names, and its pool.
    private static func named(
        _ call: OperationCall
    ) async throws(CognitoError) -> (identity: Identity, pool: IdentityPool, logins: [UserPools.Login]) {
        let id = call.input.required("IdentityId")
        guard let stored = try await call.records.get(Identity.self, id),
            let pool = call.pools.directory.identityPool(stored.poolID)
        else { throw .resourceNotFound("Identity '\(id)' not found.") }
        let logins = try await call.pools.logins(try call.input.texts("Logins"), in: pool)
        return (try await call.pools.identity(id, logins, in: pool), pool, logins)
    }

    private static let getCredentialsForIdentity = Operation(
        "GetCredentialsForIdentity", .open, [identityID, .object("Logins"), .string("CustomRoleArn", 20...2_048)]
    ) { call throws(CognitoError) in
        let (identity, pool, logins) = try await named(call)
        let credentials = try await call.pools.credentials(
            of: identity, logins, in: pool, customRole: call.input.string("CustomRoleArn"))
        return [
            "IdentityId": .string(identity.id),
            "Credentials": [
                "AccessKeyId": .string(credentials.accessKeyID), "SecretKey": .string(credentials.secretKey),
                "SessionToken": .string(credentials.sessionToken),
                "Expiration": Timestamp.json(credentials.identity.expires),
            ],
        ]
    }

    private static let getOpenIDToken = Operation("GetOpenIdToken", .open, [identityID, .object("Logins")]) {
        call throws(CognitoError) in
        let (identity, pool, logins) = try await named(call)
        return [
            "IdentityId": .string(identity.id),
            "Token": .string(try await call.pools.openIDToken(of: identity, logins, in: pool)),
        ]
    }

    private static let createIdentityPool = Operation(
        "CreateIdentityPool", .signed,
        [.string("IdentityPoolName", 1...128).required, .boolean("AllowUnauthenticatedIdentities").required]
    ) { call throws(CognitoError) in
        guard call.pools.directory.identityPools.count < call.pools.limits.poolsMax else { throw .limitExceeded }
        let reader = SettingsReader(call.input.object)
        let pool = IdentityPool("\(call.region):\(call.pools.randomness.uuid())", reader, isConfiguration: false)
        try reader.throwFirst()
        guard try await call.records.insert(pool.record) else { throw .internalError }
        call.pools.directory.set(pool)
        return pool.json
    }

    private static let describeIdentityPool = Operation("DescribeIdentityPool", .signed, [poolID]) {
        call throws(CognitoError) in
        try call.pools.identityPool(call.input.required("IdentityPoolId")).json
    }

    private static let listIdentityPools = Operation(
        "ListIdentityPools", .signed, [.integer("MaxResults", 1...60).required, .string("NextToken")]
    ) { call throws(CognitoError) in
        let last = call.input.string("NextToken") ?? ""
        let pools = call.pools.directory.identityPools.filter { $0.id > last }
        let page = pools.prefix(Int(call.input.integer("MaxResults") ?? 60))
        var output: JSONObject = [
            "IdentityPools": .array(
                page.map { ["IdentityPoolId": .string($0.id), "IdentityPoolName": .string($0.name)] })
        ]
        if let end = page.last, page.count < pools.count { output["NextToken"] = .string(end.id) }
        return output
    }

    private static let updateIdentityPool = Operation("UpdateIdentityPool", .signed, [poolID]) {
        call throws(CognitoError) in try await change(call).json
    }

    private static let setIdentityPoolRoles = Operation(
        "SetIdentityPoolRoles", .signed, [poolID, .object("Roles").required, .object("RoleMappings")]
    ) { call throws(CognitoError) in
        _ = try await change(call)
        return [:]
    }

    private static let getIdentityPoolRoles = Operation("GetIdentityPoolRoles", .signed, [poolID]) {
        call throws(CognitoError) in
        let pool = try call.pools.identityPool(call.input.required("IdentityPoolId"))
        return ["IdentityPoolId": .string(pool.id), "Roles": pool.rolesJSON]
    }

    private static func change(_ call: OperationCall) async throws(CognitoError) -> IdentityPool {
        var pool = try call.pools.identityPool(call.input.required("IdentityPoolId"))
        guard !pool.isConfigured else {
            throw .invalidParameter(
                "Identity pool \(pool.id) stands in the configuration of the server; change it there.")
        }
        let reader = SettingsReader(call.input.object)
        pool.update(reader, isConfiguration: false)
        try reader.throwFirst()
        try await call.records.put(pool.record, pool.id)
        call.pools.directory.set(pool)
        return pool
    }

    private static let deleteIdentityPool = Operation("DeleteIdentityPool", .signed, [poolID]) {
        call throws(CognitoError) in
        let pool = try call.pools.identityPool(call.input.required("IdentityPoolId"))
        guard !pool.isConfigured else {
            throw .invalidParameter(
                "Identity pool \(pool.id) stands in the configuration of the server; change it there.")
        }
        if let record = try await call.records.get(StoredIdentityPool.self, pool.id) {
            _ = try await call.records.delete(record)
        }
        call.pools.directory.removeIdentityPool(pool.id)
        for identity in try await call.records.all(Identity.self, "byPool", of: pool.id) {
            _ = try await call.records.delete(identity)
        }
        for alias in try await call.records.all(Alias.self, of: pool.id) { _ = try await call.records.delete(alias) }
        return [:]
    }

    private static let listIdentities = Operation(
        "ListIdentities", .signed, [poolID, .integer("MaxResults", 1...60).required, .string("NextToken")]
    ) { call throws(CognitoError) in
        let pool = try call.pools.identityPool(call.input.required("IdentityPoolId"))
        let page = try await call.records.query(
            Identity.self, "byPool", of: pool.id, after: try call.position("NextToken"),
            limit: Int(call.input.integer("MaxResults") ?? 60))
        var output: JSONObject = [
            "IdentityPoolId": .string(pool.id), "Identities": .array(page.records.map { .object($0.json) }),
        ]
        call.add(page.next, to: &output, as: "NextToken")
        return output
    }

    private static let describeIdentity = Operation("DescribeIdentity", .signed, [identityID]) {
        call throws(CognitoError) in
        let id = call.input.required("IdentityId")
        guard let identity = try await call.records.get(Identity.self, id) else {
            throw .resourceNotFound("Identity '\(id)' not found.")
        }
        return identity.json
    }
}

extension Identity {
    /// The identity as `IdentityDescription`.
    var json: JSONObject {
        [
            "IdentityId": .string(id),
            "Logins": .array(
                logins.compactMap { login in
                    let pool = login.prefix { $0 != ":" }
                    return .string("cognito-idp.\(pool.prefix { $0 != "_" }).amazonaws.com/\(pool)")
                }), "CreationDate": Timestamp.json(created), "LastModifiedDate": Timestamp.json(modified),
        ]
    }
}
