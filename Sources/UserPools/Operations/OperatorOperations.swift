public import JSON

/// Operations for operators that Cognito does not have.
enum OperatorOperations {
    static let all: [Operation] = [listOutbox, mintToken, listUsersWithGroups, importUsers, rotateKeys]

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
        guard let client else {
            throw call.input.string("ClientId").map { .clientDoesNotExist($0) } ?? .poolHasNoClient(pool.id)
        }
        guard user.isEnabled else { throw .userIsDisabled }
        guard user.status == .confirmed || user.status == .externalProvider else {
            throw .notAuthorized(
                "\(user.username) cannot sign in: the status is \(user.status.rawValue). "
                    + (user.status == .unconfirmed ? "Confirm the user first." : "Set a permanent password first."))
        }
        let result = try await call.pools.beginSession(of: user, UserPools.SignIn(pool: pool, client: client))
        return ["AuthenticationResult": .object(result)]
    }

    /// `ListUsers`, each user with the names of the `Groups`.
    private static let listUsersWithGroups = Operation(
        "ListUsersWithGroups", .signed, [.userPoolID, .limit, .string("PaginationToken")]
    ) { call throws(CognitoError) in
        let (users, token) = try await call.pools.listUsers(
            in: try call.pool(), try UserFilter(""), limit: Int(call.input.integer("Limit") ?? 60),
            after: call.input.string("PaginationToken"))
        var list: [JSONValue] = []
        for user in users {
            var object = user.json
            let groups = try await call.pools.groups(of: user)
            if !groups.isEmpty { object["Groups"] = .array(groups.map { .string($0.name) }) }
            list.append(.object(object))
        }
        var output: JSONObject = ["Users": .array(list)]
        if let token { output["PaginationToken"] = .string(token) }
        return output
    }

    /// Creates users exported from another pool, many per call, so that the store commits them together.
    private static let importUsers = Operation(
        "ImportUsers", .signed, [.userPoolID, .list("Users").required]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let users = (call.input.object["Users"]?.arrayValue ?? []).compactMap(\.objectValue)
        guard users.count <= UserPools.importedUsersMax else {
            throw .invalidParameter("At most \(UserPools.importedUsersMax) users are made by a call.")
        }
        let repeated = repeatedSubs(users)
        let failures = await withTaskGroup(of: JSONValue?.self) { group in
            for (index, user) in users.enumerated() {
                group.addTask {
                    do throws(CognitoError) {
                        if repeated.contains(index) {
                            throw .invalidParameter("A user before this one has the same sub.")
                        }
                        try await make(user, in: pool, call)
                        return nil
                    } catch {
                        return [
                            "Username": user["Username"] ?? .null, "Index": .number(String(index)),
                            "Message": .string(error.message ?? error.name),
                        ]
                    }
                }
            }
            return await group.reduce(into: [JSONValue]()) { if let failure = $1 { $0.append(failure) } }
        }
        return ["Made": .number(String(users.count - failures.count)), "Failed": .array(failures)]
    }

    /// The positions of users whose `sub` a user before them has.
    private static func repeatedSubs(_ users: [JSONObject]) -> Set<Int> {
        var seen: Set<String> = []
        return Set(
            users.indices.filter { index in
                guard let sub = users[index]["Sub"]?.stringValue else { return false }
                return !seen.insert(sub.lowercased()).inserted
            })
    }

    /// Makes a user with its `sub`, and without a password.
    private static func make(_ user: JSONObject, in pool: UserPool, _ call: OperationCall) async throws(CognitoError) {
        let input = try OperationInput(
            user,
            for: [.username, .string("Sub", 1...128), .list("UserAttributes"), .boolean("Enabled"), .list("Groups")])
        let attributes = try input.attributes("UserAttributes").filter {
            // Those of a provider's user are not written back.
            !$0.value.isEmpty && !["sub", "identities"].contains($0.name)
        }
        let groups = input.strings("Groups")
        for group in groups { try NamePattern.check(group, "groupName") }
        guard groups.count <= call.pools.limits.groupsPerUserMax else { throw .limitExceeded }
        let made = try await call.pools.makeUser(
            named: input.required("Username"), attributes, password: nil, status: .resetRequired, in: pool,
            sub: input.string("Sub"))
        guard let made else { throw CognitoError("UsernameExistsException", "User account already exists") }
        if input.bool("Enabled") == false { try await call.pools.setEnabled(false, made, in: pool) }
        for group in groups {
            try await call.pools.add(made, to: try await call.pools.makeGroup(group, in: pool))
        }
    }

    /// New signing keys; the old ones verify until the last tokens that they signed have ended.
    private static let rotateKeys = Operation("RotateKeys", .signed, [.userPoolID]) { call throws(CognitoError) in
        let pool = try call.pool()
        let seconds = call.pools.directory.clients(of: pool.id).map { max($0.accessTokenSeconds, $0.idTokenSeconds) }
            .max()
        try await call.pools.keys.rotate(
            poolID: pool.id, until: call.now + (seconds ?? 86_400) * 1_000, now: call.now)
        return ["UserPoolId": .string(pool.id), "Keys": try call.pools.keys.jsonWebKeySet(of: pool.id)["keys"] ?? []]
    }
}

extension UserPools {
    /// Users that one `ImportUsers` makes.
    public static let importedUsersMax = 200

    /// Carries out an operation for an operator of this server, without a signature: one of user pools, or one of
    /// `ListOutbox`, `MintToken`, `ListUsersWithGroups`, `ImportUsers` and `RotateKeys`.
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
