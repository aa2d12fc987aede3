import Encodings
import JSON
import Tables

extension UserPools {
    /// Creates a user with a temporary password, or resends the invitation.
    func createUser(
        _ invitation: Invitation, in pool: UserPool, from caller: Caller
    ) async throws(CognitoError) -> User {
        if invitation.messageAction == "RESEND" { return try await inviteAgain(invitation, in: pool, from: caller) }
        try Self.checkNew(username: invitation.username)
        // The server makes the sub. As an attribute it would be a claim of id tokens in its place.
        let attributes = Self.normalized(
            try Self.signInAttributes(invitation.username, invitation.attributes.filter { $0.name != "sub" }, pool))
        if let password = invitation.temporaryPassword {
            try pool.passwordPolicy.check(password, member: "temporaryPassword")
        }
        // Missing attributes are requested by NEW_PASSWORD_REQUIRED.
        try Self.check(attributes, in: pool, by: nil, isNew: false, username: nil)
        try await refuseTaken(invitation.username, in: pool, isAdministration: true)
        var user = newUser(invitation.username, attributes, status: .forceChangePassword, in: pool)
        _ = try await call(
            .preSignUp, "PreSignUp_AdminCreateUser", for: user, in: pool, client: nil,
            request: [
                "userAttributes": Self.triggerAttributes(user), "validationData": Self.json(invitation.validationData),
                "clientMetadata": Self.json(invitation.metadata),
            ],
            response: ["autoConfirmUser": false, "autoVerifyEmail": false, "autoVerifyPhone": false])
        let password = invitation.temporaryPassword ?? pool.passwordPolicy.makePassword(randomness)
        (user.password, user.passwordSetAt) = (seal(password: password, of: user, in: pool), now)
        do throws(CognitoError) {
            guard
                try await insert(
                    user, in: pool, takingOver: invitation.takesOver ? user.verifiedAddresses : [])
            else {
                throw CognitoError("UsernameExistsException", "User account already exists")
            }
        } catch {
            throw error.name == "AliasExistsException" && !pool.usernameAttributes.isEmpty
                ? CognitoError("UsernameExistsException", "User account already exists") : error
        }
        if invitation.messageAction != "SUPPRESS" {
            try await sendInvitation(to: user, password, invitation, in: pool)
        }
        return user
    }

    private func inviteAgain(
        _ invitation: Invitation, in pool: UserPool, from caller: Caller
    ) async throws(CognitoError) -> User {
        guard let user = try await findUser(invitation.username, in: pool) else { throw .userDoesNotExist }
        guard user.status == .forceChangePassword else {
            throw CognitoError(
                "UnsupportedUserStateException",
                "Resend not possible. \(user.username) status is not FORCE_CHANGE_PASSWORD")
        }
        let password = invitation.temporaryPassword ?? pool.passwordPolicy.makePassword(randomness)
        try pool.passwordPolicy.check(password, member: "temporaryPassword")
        try await setPassword(password, of: user, in: pool, status: .forceChangePassword)
        try await sendInvitation(to: user, password, invitation, in: pool)
        return user
    }

    private func sendInvitation(
        to user: User, _ password: String, _ invitation: Invitation, in pool: UserPool
    ) async throws(CognitoError) {
        let mediums = invitation.mediums.isEmpty ? ["SMS", "EMAIL"] : invitation.mediums
        for (medium, attribute) in [("SMS", "phone_number"), ("EMAIL", "email")] where mediums.contains(medium) {
            guard let address = user[attribute], !address.isEmpty else { continue }
            try await send(
                code: password, to: user, Delivery(attribute: attribute, address: address), in: pool, client: nil,
                trigger: "CustomMessage_AdminCreateUser", metadata: invitation.metadata)
            if invitation.mediums.isEmpty { return }
        }
    }

    /// Enables or disables a user. Disabling ends the user's sessions.
    func setEnabled(_ isEnabled: Bool, _ user: User, in pool: UserPool) async throws(CognitoError) {
        _ = try await update(user, in: pool) { user in
            user.isEnabled = isEnabled
            // In the same write: a user who is enabled again has none of the earlier sessions.
            if !isEnabled { user.generation += 1 }
        }
        if !isEnabled { services.endSessions(.user(user.sub)) }
    }

    /// Requires the user to set a new password with a code before the next sign-in.
    func requireReset(
        of user: User, in pool: UserPool, metadata: [String: String], from caller: Caller
    ) async throws(CognitoError) {
        guard user.isEnabled else { throw .userIsDisabled }
        guard user.status == .confirmed || user.status == .resetRequired else {
            throw .notAuthorized("User password cannot be reset in the current state.")
        }
        guard let delivery = recoveryDelivery(of: user) else {
            throw .invalidParameter(
                "Cannot reset password for the user as there is no registered/verified email or phone_number")
        }
        let changed = try await update(user, in: pool) { user in
            user.status = .resetRequired
            user.generation += 1
        }
        services.endSessions(.user(user.sub))
        try await sendCode(
            to: changed, delivery, for: .password, in: pool, client: nil, trigger: "CustomMessage_ForgotPassword",
            metadata: metadata, from: caller)
    }

    /// Creates a user from a migration, an import or a seed.
    /// - Returns: The user; nil if the name is taken.
    func makeUser(
        named username: String, _ attributes: [Attribute], password: String?, status: User.Status, in pool: UserPool,
        sub: String? = nil, takesOver: Bool = false
    ) async throws(CognitoError) -> User? {
        for name in [username, sub].compactMap(\.self) { try Self.checkNew(username: name) }
        var all = attributes
        if !pool.usernameAttributes.isEmpty, sub == nil {
            all = try Self.signInAttributes(username, attributes, pool)
        } else {
            try NamePattern.check(username, "username")
        }
        if let sub { try NamePattern.check(sub, "sub") }
        if pool.usernameAttributes.isEmpty, try await isTaken(username, in: pool) { return nil }
        try Self.check(all, in: pool, by: nil, isNew: false)
        var user = newUser(username, Self.normalized(all), status: status, in: pool)
        if let sub {
            let name = pool.usernameAttributes.isEmpty ? username : sub
            let attributes = user.attributes
            user = User(
                poolID: pool.id, usernameKey: pool.usernameKey(name), username: name, sub: sub, status: status,
                created: now)
            user.attributes = attributes
        }
        if let password {
            (user.password, user.passwordSetAt) = (seal(password: password, of: user, in: pool), now)
        }
        let proven = takesOver ? user.verifiedAddresses : []
        guard try await insert(user, in: pool, takingOver: proven, isSubGiven: sub != nil) else { return nil }
        user.revision += 1
        return user
    }

    /// Makes a user of the configuration's list.
    func makeSeed(_ seed: JSONObject, in pool: UserPool) async throws(CognitoError) {
        guard let username = seed["username"]?.stringValue else {
            throw .invalidParameter("A user in 'userPool.users' needs a 'username'.")
        }
        let attributes = (seed["attributes"]?.objectValue ?? [:]).compactMap { name, value in
            value.stringValue.map { Attribute(name: name, value: $0) }
        }
        let password = seed["password"]?.stringValue
        if let password { try pool.passwordPolicy.check(password) }
        let user = try await makeUser(
            named: username, attributes, password: password,
            status: password == nil ? .resetRequired : .confirmed, in: pool)
        guard let user else { return }
        for group in seed["groups"]?.arrayValue?.compactMap(\.stringValue) ?? [] {
            try NamePattern.check(group, "groupName")
            try await add(user, to: try await makeGroup(group, in: pool))
        }
    }

    // MARK: Lists

    /// A page of users.
    func listUsers(
        in pool: UserPool, _ filter: UserFilter, limit: Int, after token: String?
    ) async throws(CognitoError) -> (users: [User], next: String?) {
        let position = try token.map { token throws(CognitoError) in try open(position: token, of: filter) }
        if limit == 0 { return ([], nil) }
        let page: (records: [User], next: Position?)
        switch filter.condition(in: pool) {
        case .all: page = try await records.query(User.self, of: pool.id, after: position, limit: limit)
        case .none: return ([], nil)
        case .username(let name): return ([try await user(named: name, in: pool)].compactMap(\.self), nil)
        case .usernamePrefix(let prefix):
            page = try await records.query(
                User.self, of: pool.id, beginningWith: prefix, after: position, limit: limit)
        case .index(let index, let text, let isPrefix):
            page = try await records.query(
                User.self, index, of: pool.id, beginningWith: isPrefix ? text : nil, equalTo: isPrefix ? nil : text,
                after: position, limit: limit)
        }
        return (page.records, page.next.map { seal(position: $0, of: filter) })
    }

    func seal(position: Position, of filter: UserFilter) -> String {
        let sort = position.sort?.text.map(JSONValue.string) ?? .null
        let text = JSONValue.array([sort, .number(String(position.rowID))]).description
        return sealer.seal(Array(text.utf8), context: "page:\(filter.text)")
    }

    func open(position token: String, of filter: UserFilter) throws(CognitoError) -> Position {
        guard let bytes = sealer.open(token, context: "page:\(filter.text)"),
            let parts = (try? JSONReader.read(bytes))?.arrayValue, parts.count == 2, let row = parts[1].intValue
        else { throw .invalidParameter("Invalid pagination token") }
        return Position(sort: parts[0].stringValue.map(Value.text), rowID: row)
    }
}
