import JSON
import Tables

/// Federated users.
extension UserPools {
    /// The user whom a provider's token stands for: the one who came with it before, the one with the same verified address
    /// where the settings link them, or a new one. Attributes of a user who has come by the provider are those of the
    /// token, at each sign-in.
    func user(
        _ token: IDToken, of provider: OIDCProvider, in pool: UserPool, by client: UserPoolClient
    ) async throws(CognitoError) -> User {
        let attributes = Self.attributes(token.claims, provider, pool)
        if let known = try await knownUser(token.subject, provider, pool) {
            guard known.isEnabled else { throw .userIsDisabled }
            guard known.status == .externalProvider else { return known }
            return try await refresh(known, attributes, in: pool)
        }
        if provider.linksByVerifiedEmail, token.isEmailVerified, let email = token.claims["email"]?.stringValue,
            let user = try await userToLink(email, in: pool)
        {
            return try await link(user, to: provider, token.subject, in: pool)
        }
        return try await makeUser(token.subject, attributes, provider, pool, client)
    }

    /// The alias that finds the user of a subject. Subjects differ by case, user names may not.
    private static func identityAlias(_ provider: String, _ subject: String) -> String {
        "identity:\(provider):\(subject)"
    }

    /// The aliases of a user's identities.
    func identityAliases(of user: User, _ pool: UserPool) -> [Alias] {
        user.identities.compactMap { identity in
            guard let provider = identity["providerName"]?.stringValue, let subject = identity["userId"]?.stringValue
            else { return nil }
            return Alias(
                poolID: pool.id, alias: Self.identityAlias(provider, subject), target: user.usernameKey)
        }
    }

    private func knownUser(
        _ subject: String, _ provider: OIDCProvider, _ pool: UserPool
    ) async throws(CognitoError) -> User? {
        guard let alias = try await records.get(Alias.self, pool.id, Self.identityAlias(provider.name, subject)) else {
            return nil
        }
        return try await records.get(User.self, pool.id, alias.target)
    }

    /// The one user of the pool's own with this verified address.
    private func userToLink(_ email: String, in pool: UserPool) async throws(CognitoError) -> User? {
        let users = try await records.query(User.self, "by_email", of: pool.id, equalTo: email, limit: 100).records
            .filter { $0.status != .externalProvider && $0.status != .unconfirmed && $0.isVerified("email") }
        return users.count == 1 && users[0].isEnabled ? users[0] : nil
    }

    private func link(
        _ user: User, to provider: OIDCProvider, _ subject: String, in pool: UserPool
    ) async throws(CognitoError) -> User {
        var linked = user
        linked.identities.append(identity(provider, subject, isPrimary: false))
        linked.modified = now
        let alias = Alias(
            poolID: pool.id, alias: Self.identityAlias(provider.name, subject), target: user.usernameKey)
        guard try await records.write([.replace(linked), .insert(alias)]) else { throw .tooManyRequests }
        linked.revision += 1
        return linked
    }

    private func refresh(
        _ user: User, _ attributes: [Attribute], in pool: UserPool
    ) async throws(CognitoError) -> User {
        var attributes = attributes
        // A changed address is unverified unless the provider says otherwise.
        if let email = attributes.first(where: { $0.name == "email" }), user["email"]?.isExactly(email.value) != true,
            !attributes.contains(where: { $0.name == "email_verified" }), user.isVerified("email")
        {
            attributes.append(Attribute(name: "email_verified", value: "false"))
        }
        let changed = attributes.filter { user[$0.name]?.isExactly($0.value) != true }
        guard !changed.isEmpty else { return user }
        try Self.check(changed, in: pool, by: nil, isNew: false)
        return try await update(user, in: pool) { user in
            for attribute in changed { user[attribute.name] = attribute.value }
        }
    }

    private func makeUser(
        _ subject: String, _ attributes: [Attribute], _ provider: OIDCProvider, _ pool: UserPool,
        _ client: UserPoolClient
    ) async throws(CognitoError) -> User {
        let name = provider.username(subject)
        guard name.utf8.count <= 128 else { throw .invalidParameter("The provider's subject is too long.") }
        guard !NamePattern.hasHidden(name), !NamePattern.hasSeparator(name) else {
            throw .invalidParameter("The provider's subject has characters that a user name cannot have.")
        }
        try Self.check(attributes, in: pool, by: nil, isNew: true)
        try checkRoom(in: pool)
        var user = User(
            poolID: pool.id, usernameKey: pool.usernameKey(name), username: name, sub: randomness.uuid(),
            status: .externalProvider, created: now)
        (user.attributes, user.identities) = (attributes, [identity(provider, subject, isPrimary: true)])
        _ = try await call(
            .preSignUp, "PreSignUp_ExternalProvider", for: user, in: pool, client: client,
            request: ["userAttributes": Self.triggerAttributes(user), "validationData": [:], "clientMetadata": [:]],
            response: ["autoConfirmUser": false, "autoVerifyEmail": false, "autoVerifyPhone": false])
        // Cognito puts the users of each provider into a group.
        let group = try await makeGroup("\(pool.id)_\(provider.name)", in: pool)
        let writes: [RecordWrite] =
            [.insert(user), .insert(Membership(user, group))]
            + identityAliases(of: user, pool).map { .insert($0) }
        guard try await self.user(named: name, in: pool) == nil, try await !isSub(name, in: pool),
            try await records.write(writes)
        else {
            throw CognitoError("UsernameExistsException", "A user of the name \(name) exists already.")
        }
        userCounts.note(1, in: pool.id)
        try await callPostConfirmation(user, in: pool, client, [:])
        return user
    }

    /// An element of the claim `identities`.
    private func identity(_ provider: OIDCProvider, _ subject: String, isPrimary: Bool) -> JSONValue {
        [
            "userId": .string(subject), "providerName": .string(provider.name),
            "providerType": .string(provider.type.rawValue), "issuer": nil,
            "primary": isPrimary ? "true" : "false", "dateCreated": .string(String(now)),
        ]
    }

    /// The attributes that a provider's claims are mapped to.
    private static func attributes(
        _ claims: JSONObject, _ provider: OIDCProvider, _ pool: UserPool
    ) -> [Attribute] {
        let mapped: [Attribute] = provider.attributeMapping.sorted { $0.key < $1.key }.compactMap { attribute, claim in
            guard let value = claims[claim], !value.isNull, pool.attribute(attribute) != nil else { return nil }
            return Attribute(name: attribute, value: value.stringValue ?? value.description)
        }
        return normalized(mapped)
    }
}

extension IDToken {
    /// Whether the provider has verified the address; Apple says so by a text.
    var isEmailVerified: Bool {
        claims["email_verified"]?.boolValue ?? (claims["email_verified"]?.stringValue == "true")
    }
}
