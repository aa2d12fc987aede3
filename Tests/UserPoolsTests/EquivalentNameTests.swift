import Foundation
import JSON
import Testing

@testable import UserPools

/// User names and aliases that differ by their bytes and are canonically equivalent, so that Swift's `String` holds them for
/// equal.
@Suite("Names that are canonically equivalent")
struct EquivalentNameTests {
    private static let composed = "zo\u{EB}"
    private static let decomposed = "zoe\u{308}"

    /// A confirmed user as versions stored it that kept names as they were given.
    private func makeStoredUser(_ name: String, _ password: String, in poolID: String, _ stage: PoolStage) async throws
    {
        let pool = try #require(stage.pools.directory.pool(poolID))
        var user = User(
            poolID: poolID, usernameKey: name.lowercased(), username: name, sub: stage.pools.randomness.uuid(),
            status: .confirmed, created: stage.pools.now)
        user.password = stage.pools.seal(password: password, of: user, in: pool)
        #expect(try await stage.pools.records.insert(user))
    }

    @Test(
        "a name that is canonically equivalent to a taken one is taken",
        arguments: [(composed, decomposed, false), (decomposed, composed, false), ("Kim", "\u{212A}im", true)])
    func taken(_ name: String, _ twin: String, _ isCaseSensitive: Bool) async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([
            "UsernameConfiguration": ["CaseSensitive": .bool(isCaseSensitive)]
        ])
        try await stage.makeUser(name, in: pool)
        await stage.expect(
            "UsernameExistsException", nil, "SignUp",
            ["ClientId": .string(client), "Username": .string(twin), "Password": "Passw0rd!"])
        await stage.expect(
            "UsernameExistsException", nil, "AdminCreateUser",
            ["UserPoolId": .string(pool), "Username": .string(twin)])
        #expect(try await stage.importUsers([["Username": .string(twin)]], into: pool)["Made"] == 0)
        let found = try await stage.get("AdminGetUser", ["UserPoolId": .string(pool), "Username": .string(twin)])
        #expect(found["Username"]?.stringValue?.isExactly(name) == true)
        let tokens = try await stage.tokens(twin, client)
        try await stage.get("GetUser", ["AccessToken": .string(tokens.access)])
        let listed = try await stage.get(
            "ListUsers", ["UserPoolId": .string(pool), "Filter": .string("username = \"\(twin)\"")])
        #expect(listed["Users"]?.arrayValue?.count == 1)
    }

    @Test("a stored name that is not composed is found by either form, and is taken")
    func stored() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await makeStoredUser(Self.decomposed, "Passw0rd!", in: pool, stage)
        let srp = try SRPClient()
        for name in [Self.composed, Self.decomposed] {
            let bySRP = try await srp.signIn(stage, name, "Passw0rd!", pool: pool, client: client).get()
            #expect(bySRP["AuthenticationResult"] != nil)
            let tokens = try await stage.tokens(name, client)
            try await stage.get("GetUser", ["AccessToken": .string(tokens.access)])
            try await stage.get(
                "InitiateAuth",
                [
                    "AuthFlow": "REFRESH_TOKEN_AUTH", "ClientId": .string(client),
                    "AuthParameters": ["REFRESH_TOKEN": .string(tokens.refresh)],
                ])
            await stage.expect(
                "UsernameExistsException", nil, "SignUp",
                ["ClientId": .string(client), "Username": .string(name), "Password": "Passw0rd!"])
        }
    }

    @Test(
        "each way of signing in by a password takes each form of a name, as SRP does",
        arguments: [
            (composed, false), (decomposed, false), (decomposed, true), ("\u{65E5}\u{672C}", false), ("Я", false),
        ])
    func passwords(_ name: String, isOfEarlierVersion: Bool) async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        if isOfEarlierVersion {
            try await makeStoredUser(name, "Passw0rd!", in: pool, stage)
        } else {
            try await stage.makeUser(name, in: pool)
        }
        let forms = CanonicalForm.distinct([
            name.precomposedStringWithCanonicalMapping, name.decomposedStringWithCanonicalMapping,
        ])
        func begin(_ flow: JSONValue, _ name: String, _ more: JSONObject) async throws -> JSONObject {
            var parameters = more
            parameters["USERNAME"] = .string(name)
            let isAdministration = flow == "ADMIN_USER_PASSWORD_AUTH"
            var body: JSONObject = [
                "AuthFlow": flow, "ClientId": .string(client), "AuthParameters": .object(parameters),
            ]
            if isAdministration { body["UserPoolId"] = .string(pool) }
            return try await stage.get(isAdministration ? "AdminInitiateAuth" : "InitiateAuth", body)
        }
        func respond(
            _ challenge: JSONValue, _ begun: JSONObject, _ name: String, _ more: JSONObject
        ) async throws -> JSONObject {
            var responses = more
            responses["USERNAME"] = .string(name)
            return try await stage.get(
                "RespondToAuthChallenge",
                [
                    "ChallengeName": challenge, "ClientId": .string(client), "Session": begun["Session"] ?? .null,
                    "ChallengeResponses": .object(responses),
                ])
        }
        let password: JSONObject = ["PASSWORD": "Passw0rd!"]
        for name in forms {
            var answers = [
                try await begin("USER_PASSWORD_AUTH", name, password),
                try await begin("ADMIN_USER_PASSWORD_AUTH", name, password),
                try await begin("USER_AUTH", name, ["PREFERRED_CHALLENGE": "PASSWORD", "PASSWORD": "Passw0rd!"]),
            ]
            for other in forms {
                let preferred = try await begin("USER_AUTH", name, ["PREFERRED_CHALLENGE": "PASSWORD"])
                answers.append(try await respond("PASSWORD", preferred, other, password))
                let choice = try await begin("USER_AUTH", name, [:])
                answers.append(
                    try await respond(
                        "SELECT_CHALLENGE", choice, other, ["ANSWER": "PASSWORD", "PASSWORD": "Passw0rd!"]))
                let selected = try await begin("USER_AUTH", name, [:])
                let asked = try await respond("SELECT_CHALLENGE", selected, other, ["ANSWER": "PASSWORD"])
                answers.append(try await respond("PASSWORD", asked, other, password))
            }
            #expect(answers.allSatisfy { $0["AuthenticationResult"] != nil }, "\(answers)")
        }
    }

    @Test("two users whom an earlier version stored under equivalent names share neither sign-ins nor failed attempts")
    func storedTwins() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await makeStoredUser(Self.composed, "Passw0rd!", in: pool, stage)
        try await makeStoredUser(Self.decomposed, "Attack3r!", in: pool, stage)
        func message(_ name: String, _ password: String) async -> String? {
            await stage.signIn(name, client, password: password).failureError?.message
        }
        #expect(await message(Self.decomposed, "Passw0rd!") == CognitoError.wrongCredentials.message)
        #expect(await message(Self.composed, "Attack3r!") == CognitoError.wrongCredentials.message)
        for _ in 0..<2 {
            for _ in 0..<2 { _ = await message(Self.composed, "wrong") }
            #expect(await message(Self.decomposed, "Attack3r!") == nil)
        }
        #expect(await message(Self.composed, "Passw0rd!") == "Password attempts exceeded")
        #expect(await message(Self.decomposed, "Attack3r!") == nil)
    }

    /// "éloë", of which one mark is a code point of its own and the other one is not, and its two normal forms.
    private static let mixed = "e\u{301}lo\u{EB}"
    private static let forms = [mixed, "\u{E9}lo\u{EB}", "e\u{301}loe\u{308}"]

    @Test("a name that an earlier version stored in no normal form is stored anew, with all that refers to it")
    func mixedName() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([
            "AliasAttributes": ["preferred_username"], "DeviceConfiguration": ["ChallengeRequiredOnNewDevice": true],
        ])
        let (records, pools) = (stage.pools.records, stage.pools)
        let settings = try #require(pools.directory.pool(pool))
        try await makeStoredUser(Self.mixed, "Passw0rd!", in: pool, stage)
        var stored = try #require(try await records.get(User.self, pool, Self.mixed))
        stored["preferred_username"] = "pre\u{301}f\u{EB}"
        stored.mfa.totpSecret = pools.makeTOTPSecret(of: stored).sealed
        let secret = try #require(pools.totpSecret(stored.mfa.totpSecret, of: stored))
        #expect(try await records.replace(stored))
        #expect(
            try await records.insert(
                Alias(poolID: pool, alias: "preferred_username:pre\u{301}f\u{EB}", target: Self.mixed)))
        let staff = Group(poolID: pool, name: "staff", created: 0)
        #expect(try await records.insert(staff))
        #expect(try await records.insert(Membership(stored, staff)))
        var device = Device(user: stored.reference, deviceKey: "us-east-1_d", groupKey: "-g", created: 0)
        device.verifier = pools.sealer.seal([1, 2, 3], context: device.context)
        #expect(try await records.insert(device))
        let before = try await stage.tokens(Self.mixed, client)

        try await pools.composeNames(in: settings)
        for name in Self.forms {
            let found = try #require(try await pools.findUser(name, in: settings))
            #expect(found.username.isExactly(Self.mixed))
            let tokens = try await stage.tokens(name, client)
            try await stage.get("GetUser", ["AccessToken": .string(tokens.access)])
            await stage.expect(
                "UsernameExistsException", nil, "SignUp",
                ["ClientId": .string(client), "Username": .string(name), "Password": "Passw0rd!"])
            for filter in ["username ^= \"\(name)\"", "username = \"\(name)\"", "username ^= \"\(name.dropLast())\""] {
                let listed = try await stage.get(
                    "ListUsers", ["UserPoolId": .string(pool), "Filter": .string(filter)])
                #expect(listed["Users"]?.arrayValue?.count == 1, "\(filter)")
            }
        }
        for name in ["pre\u{301}f\u{EB}", "pr\u{E9}f\u{EB}", "pre\u{301}fe\u{308}"] {
            #expect(try await pools.findUser(name, in: settings)?.sub == stored.sub)
        }
        // What was issued before goes on.
        try await stage.get("GetUser", ["AccessToken": .string(before.access)])
        try await stage.get(
            "GetTokensFromRefreshToken", ["RefreshToken": .string(before.refresh), "ClientId": .string(client)])
        let user = try #require(try await pools.findUser(Self.mixed, in: settings))
        #expect(pools.totpSecret(user.mfa.totpSecret, of: user) == secret)
        let moved = try #require(try await records.get(Device.self, user.reference, "us-east-1_d"))
        #expect(pools.sealer.open(try #require(moved.verifier), context: moved.context) == [1, 2, 3])
        let group = try await stage.get("ListUsersInGroup", ["UserPoolId": .string(pool), "GroupName": "staff"])
        #expect(group["Users"]?.arrayValue?.count == 1)
        try await stage.get("AdminDeleteUser", ["UserPoolId": .string(pool), "Username": .string(Self.forms[1])])
        for name in Self.forms { #expect(try await pools.findUser(name, in: settings) == nil) }
        #expect(try await records.all(Alias.self, of: pool).isEmpty)
    }

    @Test("names are stored anew once, page by page, and those of two equivalent users stay")
    func composing() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        let settings = try #require(stage.pools.directory.pool(pool))
        func insert(_ name: String) async throws {
            let user = User(
                poolID: pool, usernameKey: name, username: name, sub: stage.pools.randomness.uuid(), status: .confirmed,
                created: 0)
            #expect(try await stage.pools.records.insert(user))
        }
        for number in 0..<1_100 { try await insert("e\u{301}\(number)\u{EB}") }
        try await insert(Self.composed)
        try await insert(Self.decomposed)
        try await stage.pools.composeNames(in: settings)
        let keys = try await stage.pools.records.all(User.self, of: pool).map(\.usernameKey)
        #expect(keys.count == 1_102)
        #expect(keys.count { $0.isExactly(CanonicalForm.composed($0)) } == 1_101)
        #expect(keys.contains { $0.isExactly(Self.decomposed) })
        // Nothing is looked for again.
        try await insert("u\u{308}\u{EB}")
        try await stage.pools.composeNames(in: settings)
        #expect(try await stage.pools.records.get(User.self, pool, "u\u{308}\u{EB}") != nil)
    }

    @Test("a user of an equivalent name takes no alias")
    func aliases() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(["AliasAttributes": ["preferred_username"]])
        try await makeStoredUser(Self.composed, "Passw0rd!", in: pool, stage)
        try await makeStoredUser(Self.decomposed, "Attack3r!", in: pool, stage)
        func prefer(_ preferred: String, _ name: String, _ password: String) async throws -> CognitoError? {
            let tokens = try await stage.tokens(name, client, password: password)
            return await stage.call(
                "UpdateUserAttributes",
                [
                    "AccessToken": .string(tokens.access),
                    "UserAttributes": [["Name": "preferred_username", "Value": .string(preferred)]],
                ]
            ).failureError
        }
        #expect(try await prefer("chi\u{E9}f", Self.composed, "Passw0rd!") == nil)
        for taken in ["chi\u{E9}f", "chie\u{301}f"] {
            #expect(try await prefer(taken, Self.decomposed, "Attack3r!")?.name == "AliasExistsException")
        }
        #expect(try await prefer("other", Self.decomposed, "Attack3r!") == nil)
        for name in ["chi\u{E9}f", "chie\u{301}f"] {
            let found = try await stage.get("AdminGetUser", ["UserPoolId": .string(pool), "Username": .string(name)])
            #expect(found["Username"]?.stringValue?.isExactly(Self.composed) == true)
        }
    }

    @Test("an address that is changed to an equivalent one is not verified")
    func addresses() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(["AutoVerifiedAttributes": ["email"]])
        try await stage.makeUser(
            "jane", in: pool,
            [["Name": "email", "Value": "zo\u{EB}@example.com"], ["Name": "email_verified", "Value": "true"]])
        let access = JSONValue.string(try await stage.tokens("jane", client).access)
        try await stage.get(
            "UpdateUserAttributes",
            ["AccessToken": access, "UserAttributes": [["Name": "email", "Value": "zoe\u{308}@example.com"]]])
        let user = try await stage.get("GetUser", ["AccessToken": access])
        #expect(
            user["UserAttributes"]?.arrayValue?.contains(["Name": "email_verified", "Value": "false"]) == true)
    }
}
