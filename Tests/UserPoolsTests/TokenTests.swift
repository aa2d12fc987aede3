import Encodings
import JSON
import Testing

@testable import UserPools

@Suite("Tokens")
struct TokenTests {
    @Test("tokens have Cognito's claims, and share origin_jti")
    func claims() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser(
            "jane", in: pool,
            [["Name": "email", "Value": "j@example.com"], ["Name": "email_verified", "Value": "true"]])
        for (name, precedence) in [("second", 2), ("first", 1)] {
            try await stage.get(
                "CreateGroup",
                [
                    "UserPoolId": .string(pool), "GroupName": .string(name),
                    "Precedence": .number(String(precedence)),
                    "RoleArn": .string("arn:aws:iam::000000000000:role/\(name)"),
                ])
            let member: JSONObject = ["UserPoolId": .string(pool), "Username": "jane", "GroupName": .string(name)]
            try await stage.get("AdminAddUserToGroup", member)
            try await stage.get("AdminAddUserToGroup", member)
        }
        let tokens = try await stage.tokens("jane", client)
        let (access, id) = (try Tokens.claims(tokens.access), try Tokens.claims(tokens.id))
        #expect(
            Set(access.keys) == [
                "sub", "cognito:groups", "iss", "client_id", "origin_jti", "event_id", "token_use", "scope",
                "auth_time",
                "exp", "iat", "jti", "username",
            ])
        #expect(
            Set(id.keys) == [
                "sub", "cognito:groups", "cognito:roles", "cognito:preferred_role", "iss", "aud", "cognito:username",
                "origin_jti", "event_id", "token_use", "auth_time", "exp", "iat", "jti", "email", "email_verified",
            ])
        #expect(id["cognito:groups"] == ["first", "second"])
        #expect(id["cognito:preferred_role"] == "arn:aws:iam::000000000000:role/first")
        #expect(access["origin_jti"] == id["origin_jti"])
        #expect(access["iss"] == .string("http://127.0.0.1:20002/\(pool)"))
        #expect(JSONWebToken(tokens.access)?.header.keys == ["kid", "alg"])
        #expect(access["scope"] == "aws.cognito.signin.user.admin")
        let set = try #require(await stage.pools.jsonWebKeySet(of: pool)?["keys"]?.arrayValue)
        #expect(set.count == 2)
        #expect(set.contains { $0["kid"] == JSONWebToken(tokens.id)?.header["kid"] })
    }

    @Test("an access token whose client belongs to another pool by now is refused by the operations of its user")
    func movedClient() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        let (other, _) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        let token = JSONValue.string(try await stage.tokens("jane", client).access)
        try await stage.get("GetUser", ["AccessToken": token])
        stage.pools.directory.set(UserPools.client([:], id: client, poolID: other, SettingsReader([:])))
        await stage.expect("NotAuthorizedException", "Invalid Access Token", "GetUser", ["AccessToken": token])
        await stage.expect("NotAuthorizedException", "Invalid Access Token", "DeleteUser", ["AccessToken": token])
    }

    @Test("refresh gives new tokens, no new refresh token, and keeps auth_time")
    func refresh() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        let tokens = try await stage.tokens("jane", client)
        stage.time.advance(seconds: 3_601)
        await stage.expect(
            "NotAuthorizedException", "Access Token has expired", "GetUser", ["AccessToken": .string(tokens.access)])
        let refreshed = try await stage.get(
            "GetTokensFromRefreshToken", ["RefreshToken": .string(tokens.refresh), "ClientId": .string(client)])
        let result = try #require(refreshed["AuthenticationResult"]?.objectValue)
        #expect(result["RefreshToken"] == nil)
        let claims = try Tokens.claims(try #require(result["AccessToken"]?.stringValue))
        let before = try Tokens.claims(tokens.access)
        #expect(claims["auth_time"] == before["auth_time"])
        #expect(claims["origin_jti"] == before["origin_jti"])
        #expect(claims["jti"] != before["jti"])
        stage.time.advance(seconds: 31 * 86_400)
        await stage.expect(
            "NotAuthorizedException", "Refresh Token has expired", "GetTokensFromRefreshToken",
            ["RefreshToken": .string(tokens.refresh), "ClientId": .string(client)])
        await stage.expect(
            "NotAuthorizedException", "Invalid Refresh Token", "GetTokensFromRefreshToken",
            ["RefreshToken": "none", "ClientId": .string(client)])
    }

    @Test("a revoked session ends at once; the others of the user go on until they sign out everywhere")
    func revocation() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        let (one, two) = (try await stage.tokens("jane", client), try await stage.tokens("jane", client))
        for tokens in [one, two] { _ = try await stage.pools.authenticate(tokens.access) }
        try await stage.get("RevokeToken", ["Token": .string(one.refresh), "ClientId": .string(client)])
        _ = try await stage.pools.authenticate(two.access)
        for token in [one.access, one.id] {
            await #expect(throws: TokenRefusal.revoked) { try await stage.pools.authenticate(token) }
        }
        await stage.expect(
            "NotAuthorizedException", "Access Token has been revoked", "GetUser", ["AccessToken": .string(one.access)])
        await stage.expect(
            "NotAuthorizedException", "Refresh Token has been revoked", "GetTokensFromRefreshToken",
            ["RefreshToken": .string(one.refresh), "ClientId": .string(client)])
        try await stage.get("RevokeToken", ["Token": .string(one.refresh), "ClientId": .string(client)])
        try await stage.get("RevokeToken", ["Token": "unknown", "ClientId": .string(client)])
        await stage.expect(
            "UnsupportedTokenTypeException", "Unsupported token type", "RevokeToken",
            ["Token": .string(two.access), "ClientId": .string(client)])
        try await stage.get("GlobalSignOut", ["AccessToken": .string(two.access)])
        await #expect(throws: TokenRefusal.revoked) { try await stage.pools.authenticate(two.access) }
        let three = try await stage.tokens("jane", client)
        _ = try await stage.pools.authenticate(three.id)
        try await stage.get("AdminDisableUser", ["UserPoolId": .string(pool), "Username": "jane"])
        await #expect(throws: TokenRefusal.self) { try await stage.pools.authenticate(three.id) }
        try await stage.get("AdminDeleteUser", ["UserPoolId": .string(pool), "Username": "jane"])
        await stage.expect(
            "UserNotFoundException", "User does not exist.", "GetUser", ["AccessToken": .string(three.access)])
        // A user of the same name is another one.
        try await stage.makeUser("jane", in: pool)
        await #expect(throws: TokenRefusal.noUser) { try await stage.pools.authenticate(three.access) }
    }

    @Test("no token is taken that another key, no key or another algorithm has signed, or that is for something else")
    func forgeries() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        let tokens = try await stage.tokens("jane", client)
        let parts = tokens.access.split(separator: ".").map(String.init)
        func encode(_ value: JSONValue) -> String { Base64.encodeURL(Array(value.description.utf8)) }
        let claims = try Tokens.claims(tokens.access)
        var raised = claims
        raised["exp"] = 9_999_999_999
        var foreign = claims
        foreign["iss"] = .string("http://elsewhere/\(pool)")
        let kid = JSONWebToken(tokens.access)?.header["kid"] ?? .null
        let stranger = try SigningKey(.access, .system)
        let strange = try await stranger.sign(claims)
        let forged = [
            "", "a.b.c", parts[0] + "." + parts[1] + ".", parts[0] + "." + encode(.object(raised)) + "." + parts[2],
            encode(["alg": "none"]) + "." + parts[1] + ".", encode(["alg": "none", "kid": kid]) + "." + parts[1] + ".",
            encode(["alg": "HS256", "kid": kid]) + "." + parts[1] + "." + parts[2],
            encode(["alg": "RS512", "kid": kid]) + "." + parts[1] + "." + parts[2],
            parts[0] + "." + encode(.object(foreign)) + "." + parts[2], strange,
            String(tokens.access.dropLast(4)) + "AAAA", tokens.id + "x", tokens.refresh,
            String(repeating: "a", count: 20_000),
        ]
        for token in forged {
            await #expect(throws: TokenRefusal.self, "\(token.prefix(40))") {
                try await stage.pools.authenticate(token)
            }
            let isRefused = await stage.call("GetUser", ["AccessToken": .string(token)]).failureError
            #expect(isRefused != nil)
        }
        await stage.expect(
            "NotAuthorizedException", "Invalid Access Token", "GetUser", ["AccessToken": .string(tokens.id)])
        await stage.expect(
            "NotAuthorizedException", "Could not verify signature for Access Token", "GetUser",
            ["AccessToken": .string(strange)])
    }

    @Test("rotated refresh tokens: the old one is accepted for a while, and then ends the session")
    func rotation() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(
            [:], client: ["RefreshTokenRotation": ["Feature": "ENABLED", "RetryGracePeriodSeconds": 10]])
        try await stage.makeUser("jane", in: pool)
        let tokens = try await stage.tokens("jane", client)
        func refresh(_ token: String) -> JSONObject {
            ["RefreshToken": .string(token), "ClientId": .string(client)]
        }
        let result = try await stage.get("GetTokensFromRefreshToken", refresh(tokens.refresh))
        let new = try #require(result["AuthenticationResult"]?["RefreshToken"]?.stringValue)
        try await stage.get("GetTokensFromRefreshToken", refresh(tokens.refresh))
        stage.time.advance(seconds: 11)
        await stage.expect("RefreshTokenReuseException", nil, "GetTokensFromRefreshToken", refresh(tokens.refresh))
        await stage.expect("NotAuthorizedException", nil, "GetTokensFromRefreshToken", refresh(new))
    }

    @Test("a refresh token that was replaced twice ends the session, and one of an earlier version still works")
    func reuse() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(
            [:], client: ["RefreshTokenRotation": ["Feature": "ENABLED", "RetryGracePeriodSeconds": 0]])
        try await stage.makeUser("jane", in: pool)
        func refresh(_ token: String) async throws -> String {
            let result = try await stage.get(
                "GetTokensFromRefreshToken", ["RefreshToken": .string(token), "ClientId": .string(client)])
            return try #require(result["AuthenticationResult"]?["RefreshToken"]?.stringValue)
        }
        func refuse(_ token: String, _ error: String) async {
            await stage.expect(
                error, nil, "GetTokensFromRefreshToken", ["RefreshToken": .string(token), "ClientId": .string(client)])
        }
        let first = try await stage.tokens("jane", client).refresh
        var bytes = try #require(Base64.decodeURL(first))
        let last = try await refresh(try await refresh(first))
        // A thief knows the session of a token, but only the server makes the code of an older one.
        bytes[20] ^= 1
        await refuse(Base64.encodeURL(bytes), "NotAuthorizedException")
        let next = try await refresh(last)
        await refuse(first, "RefreshTokenReuseException")
        await refuse(next, "NotAuthorizedException")

        // 48 bytes, of which the hash alone is known.
        let tokens = try await stage.tokens("jane", client)
        let id = try #require(Tokens.claims(tokens.access)["origin_jti"]?.stringValue)
        let plain = Base64.encodeURL(try #require(Base64.decodeURL(tokens.refresh)).prefix(48) + [])
        _ = try await stage.pools.records.update(Session.self, id) { $0.refreshHash = UserPools.hash(plain) }
        _ = try await refresh(try await refresh(plain))
        await refuse(plain, "RefreshTokenReuseException")
    }

    @Test("sessions of a user are bounded: the oldest ends")
    func sessions() async throws {
        var limits = UserPoolLimits()
        limits.sessionsPerUserMax = 2
        let stage = try PoolStage(limits: limits)
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        var tokens: [Tokens] = []
        for _ in 0..<3 {
            tokens.append(try await stage.tokens("jane", client))
            stage.time.advance(seconds: 1)
        }
        await stage.expect(
            "NotAuthorizedException", nil, "GetTokensFromRefreshToken",
            ["RefreshToken": .string(tokens[0].refresh), "ClientId": .string(client)])
        for token in tokens.dropFirst() { try await stage.get("GetUser", ["AccessToken": .string(token.access)]) }
    }

    @Test("PreTokenGeneration changes claims, but none that says who somebody is")
    func overrides() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(["LambdaConfig": ["PreTokenGeneration": "claims"]])
        stage.functions.respond("claims") { _ in
            [
                "claimsOverrideDetails": [
                    "claimsToAddOrOverride": ["plan": "gold", "sub": "nobody", "aud": "none"],
                    "claimsToSuppress": ["email"],
                    "groupOverrideDetails": ["groupsToOverride": ["staff"]],
                ]
            ]
        }
        try await stage.makeUser("jane", in: pool, [["Name": "email", "Value": "j@example.com"]])
        let tokens = try await stage.tokens("jane", client)
        let (id, access) = (try Tokens.claims(tokens.id), try Tokens.claims(tokens.access))
        #expect(id["plan"] == "gold")
        #expect(id["sub"] == access["sub"])
        #expect(id["aud"] == .string(client))
        #expect(id["email"] == nil)
        #expect(id["cognito:groups"] == ["staff"])
        #expect(access["plan"] == nil)
        stage.functions.set("claims") { _ in .failed("no") }
        #expect(
            await stage.signIn("jane", client).mapError(CognitoErrorBox.init).failure
                == "UserLambdaValidationException: PreTokenGeneration failed with error no.")
        stage.functions.set("claims") { _ in .value("text") }
        #expect(
            await stage.signIn("jane", client).mapError(CognitoErrorBox.init).failure
                == "InvalidLambdaResponseException: Unrecognizable lambda output")
    }
}
