public import JSON

/// Operations that Cognito has not, for operators alone.
enum OperatorOperations {
    static let all: [Operation] = [listOutbox, mintToken, importUser, rotateKeys]

    /// The messages of the outbox, the oldest first.
    private static let listOutbox = Operation(
        "ListOutbox", .signed, [.string("After"), .integer("Limit", 1...500)]
    ) { call throws(CognitoError) in
        let messages = try await call.pools.outboxMessages(
            after: call.input.string("After"), limit: Int(call.input.integer("Limit") ?? 500))
        return ["Messages": .array(messages.map(JSONValue.object))]
    }

    /// Tokens of a user, without a password: a session begins as by a sign-in.
    private static let mintToken = Operation(
        "MintToken", .signed, [.userPoolID, .username, .string("ClientId", 1...128)]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let user = try await call.namedUser(pool)
        let clients = call.pools.directory.clients(of: pool.id)
        let client = call.input.string("ClientId").map { id in clients.first { $0.id == id } } ?? clients.first
        guard let client else { throw .clientDoesNotExist(call.input.string("ClientId") ?? "") }
        guard user.isEnabled else { throw .userIsDisabled }
        let result = try await call.pools.beginSession(of: user, UserPools.SignIn(pool: pool, client: client))
        return ["AuthenticationResult": .object(result)]
    }

    /// Makes a user as another pool had it: with its `sub`, and without a password.
    private static let importUser = Operation(
        "ImportUser", .signed,
        [
            .userPoolID, .username, .string("Sub", 1...128), .list("UserAttributes"), .boolean("Enabled"),
            .list("Groups"),
        ]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let attributes = try call.input.attributes("UserAttributes").filter { !$0.value.isEmpty && $0.name != "sub" }
        let user = try await call.pools.makeUser(
            named: call.input.required("Username"), attributes, password: nil, status: .resetRequired, in: pool,
            sub: call.input.string("Sub"))
        guard let user else { throw CognitoError("UsernameExistsException", "User account already exists") }
        if call.input.bool("Enabled") == false { try await call.pools.setEnabled(false, user, in: pool) }
        for group in call.input.strings("Groups") {
            _ = try await call.records.insert(Group(poolID: pool.id, name: group, created: call.now))
            _ = try await call.records.insert(Membership(user, group: group))
        }
        return ["User": .object(user.json)]
    }

    /// New signing keys; the old ones verify until the last tokens that they signed have ended.
    private static let rotateKeys = Operation("RotateKeys", .signed, [.userPoolID]) { call throws(CognitoError) in
        let pool = try call.pool()
        let seconds = call.pools.directory.clients(of: pool.id).map { max($0.accessTokenSeconds, $0.idTokenSeconds) }
            .max()
        try call.pools.keys.rotate(
            poolID: pool.id, until: call.now + (seconds ?? 86_400) * 1_000, now: call.now)
        return [:]
    }
}

extension UserPools {
    /// Carries out an operation for an operator of this server, without a signature: one of user pools, or one of
    /// `ListOutbox`, `MintToken`, `ImportUser` and `RotateKeys`.
    public func performForOperator(
        _ name: String, _ body: JSONObject, from caller: Caller
    ) async -> Result<JSONObject, CognitoError> {
        do throws(CognitoError) {
            guard let operation = (OperatorOperations.all + OperationTable.userPools).first(where: { $0.name == name })
            else { throw CognitoError("UnknownOperationException", "There is no operation \(name).") }
            let input = try OperationInput(body, for: operation.members)
            return .success(try await operation.run(OperationCall(pools: self, input: input, caller: caller)))
        } catch {
            return .failure(error)
        }
    }
}
