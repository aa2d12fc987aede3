import JSON

extension UserPools {
    /// The tokens of a session, without the refresh token (reference: auth, "Tokens").
    func tokens(of session: Session, _ user: User, _ signIn: SignIn) async throws(CognitoError) -> JSONObject {
        let (pool, client) = (signIn.pool, signIn.client)
        let issued = now / 1_000
        let groups = try await groups(of: user)
        var both: JSONObject = ["sub": .string(user.sub)]
        if !groups.isEmpty { both["cognito:groups"] = .array(groups.map { .string($0.name) }) }
        both["iss"] = .string(issuer(of: pool.id))
        both["origin_jti"] = .string(session.id)
        both["event_id"] = .string(randomness.uuid())
        both["auth_time"] = .number(String(session.authenticated / 1_000))
        both["iat"] = .number(String(issued))

        var access = both
        if let deviceKey = session.deviceKey { access["device_key"] = .string(deviceKey) }
        access["client_id"] = .string(client.id)
        access["token_use"] = "access"
        access["scope"] = .string(session.scopes.joined(separator: " "))
        access["username"] = .string(user.username)
        access["exp"] = .number(String(issued + client.accessTokenSeconds))
        access["jti"] = .string(randomness.uuid())
        if session.isOAuth { access["version"] = 2 }

        var id = both
        id["aud"] = .string(client.id)
        id["token_use"] = "id"
        id["cognito:username"] = .string(user.username)
        addRoles(of: groups, to: &id)
        for attribute in user.attributes where client.mayRead(attribute.name) && Self.isClaim(attribute, of: session) {
            id[attribute.name] = Self.claim(attribute)
        }
        if !user.identities.isEmpty { id["identities"] = .array(user.identities) }
        if let nonce = session.nonce { id["nonce"] = .string(nonce) }
        id["exp"] = .number(String(issued + client.idTokenSeconds))
        id["jti"] = .string(randomness.uuid())

        if pool.lambdaConfig[.preTokenGeneration] != nil {
            let sizes = [id, access].map { JSONValue.object($0).description.utf8.count }
            try await override(&id, &access, groups, user, signIn)
            // What a function adds must not make tokens that no request can bring.
            for (claims, size) in zip([id, access], sizes)
            where JSONValue.object(claims).description.utf8.count - size > TriggerResponse.addedClaimBytesMax {
                throw TriggerResponse.invalid("The claims are too long for a token.")
            }
        }
        let accessToken = try await keys.current(.access, of: pool.id).sign(access)
        if session.isOAuth { id["at_hash"] = .string(Self.leftHalfOfHash(accessToken)) }
        var result: JSONObject = [
            "AccessToken": .string(accessToken), "ExpiresIn": .number(String(client.accessTokenSeconds)),
        ]
        if !session.isOAuth || session.scopes.contains("openid") {
            result["IdToken"] = .string(try await keys.current(.id, of: pool.id).sign(id))
        }
        result["TokenType"] = "Bearer"
        return result
    }

    /// Adds the roles of the groups, and the preferred one: that of the group with the lowest precedence, unless two groups
    /// with this precedence have different roles.
    private func addRoles(of groups: [Group], to claims: inout JSONObject) {
        let withRole = groups.filter { $0.roleARN != nil }
        guard let first = withRole.first else { return }
        claims["cognito:roles"] = .array(withRole.compactMap { $0.roleARN.map(JSONValue.string) })
        let best = Set(withRole.filter { $0.precedence == first.precedence }.compactMap(\.roleARN))
        if best.count == 1 { claims["cognito:preferred_role"] = first.roleARN.map(JSONValue.string) }
    }

    /// Whether an attribute is a claim of the id token: all are, unless the scopes name some of OpenID Connect's sets.
    private static func isClaim(_ attribute: Attribute, of session: Session) -> Bool {
        guard session.isOAuth else { return true }
        let sets = session.scopes.filter { ["email", "phone", "profile"].contains($0) }
        if sets.isEmpty { return true }
        switch attribute.name {
        case "email", "email_verified": return sets.contains("email")
        case "phone_number", "phone_number_verified": return sets.contains("phone")
        default: return sets.contains("profile")
        }
    }

    /// An attribute as a claim.
    static func claim(_ attribute: Attribute) -> JSONValue {
        switch attribute.name {
        case "email_verified", "phone_number_verified": .bool(attribute.value == "true")
        case "updated_at": Int64(attribute.value).map { .number(String($0)) } ?? .string(attribute.value)
        case "address": ["formatted": .string(attribute.value)]
        default: .string(attribute.value)
        }
    }
}
