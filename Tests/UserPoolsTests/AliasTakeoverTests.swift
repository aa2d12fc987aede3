import Dispatch
import JSON
import Synchronization
import Testing

@testable import UserPools

/// `ForceAliasCreation`, which gives the alias of an address to the user who was proven to have the address.
@Suite("Aliases that are taken over")
struct AliasTakeoverTests {
    private static func attributes(_ email: String, preferred: String? = nil) -> JSONValue {
        var list: [JSONValue] = [
            ["Name": "email", "Value": .string(email)], ["Name": "email_verified", "Value": "true"],
        ]
        if let preferred { list.append(["Name": "preferred_username", "Value": .string(preferred)]) }
        return .array(list)
    }

    private func name(_ alias: String, in pool: String, _ stage: PoolStage) async throws -> String? {
        try await stage.get("AdminGetUser", ["UserPoolId": .string(pool), "Username": .string(alias)])["Username"]?
            .stringValue
    }

    /// What each later change of a user needs: it is not refused for an alias that the user has lost.
    private func change(_ name: String, in pool: String, _ stage: PoolStage) async throws {
        let user: JSONObject = ["UserPoolId": .string(pool), "Username": .string(name)]
        for operation in ["AdminDisableUser", "AdminEnableUser"] { try await stage.get(operation, user) }
        var body = user
        (body["Password"], body["Permanent"]) = ("NewPassw0rd!", true)
        try await stage.get("AdminSetUserPassword", body)
    }

    @Test("a sign-up takes over the alias of its own address, and never a preferred user name")
    func signUp() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([
            "AliasAttributes": ["email", "preferred_username"], "AutoVerifiedAttributes": ["email"],
        ])
        try await stage.makeUser("victim", in: pool, Self.attributes("v@example.com", preferred: "boss"))
        func signUp(_ name: String, _ email: String, preferred: String? = nil) async throws -> CognitoError? {
            var attributes: [JSONValue] = [["Name": "email", "Value": .string(email)]]
            if let preferred { attributes.append(["Name": "preferred_username", "Value": .string(preferred)]) }
            try await stage.get(
                "SignUp",
                [
                    "ClientId": .string(client), "Username": .string(name), "Password": "Passw0rd!",
                    "UserAttributes": .array(attributes),
                ])
            return await stage.call(
                "ConfirmSignUp",
                [
                    "ClientId": .string(client), "Username": .string(name), "ForceAliasCreation": true,
                    "ConfirmationCode": .string(stage.messages.lastCode),
                ]
            ).failureError
        }
        #expect(try await signUp("mallory", "m@example.com", preferred: "boss")?.name == "AliasExistsException")
        #expect(try await name("boss", in: pool, stage) == "victim")
        try await change("victim", in: pool, stage)
        #expect(try await signUp("owner", "v@example.com") == nil)
        #expect(try await name("v@example.com", in: pool, stage) == "owner")
        #expect(try await name("boss", in: pool, stage) == "victim")
        try await change("victim", in: pool, stage)
    }

    @Test("a user whose alias an administrator gives to a new user has the address unverified, and can be changed")
    func administration() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(["AliasAttributes": ["email", "preferred_username"]])
        try await stage.makeUser("first", in: pool, Self.attributes("a@example.com", preferred: "boss"))
        func create(_ attributes: JSONValue) async -> CognitoError? {
            await stage.call(
                "AdminCreateUser",
                [
                    "UserPoolId": .string(pool), "Username": "second", "MessageAction": "SUPPRESS",
                    "UserAttributes": attributes, "ForceAliasCreation": true,
                ]
            ).failureError
        }
        #expect(await create(Self.attributes("b@example.com", preferred: "boss"))?.name == "AliasExistsException")
        #expect(await create(Self.attributes("a@example.com")) == nil)
        #expect(try await name("a@example.com", in: pool, stage) == "second")
        let first = try await stage.get("AdminGetUser", ["UserPoolId": .string(pool), "Username": "first"])
        #expect(
            first["UserAttributes"]?.arrayValue?.contains(["Name": "email_verified", "Value": "false"]) == true)
        try await change("first", in: pool, stage)
        let tokens = try await stage.tokens("first", client, password: "NewPassw0rd!")
        try await stage.get(
            "ChangePassword",
            [
                "AccessToken": .string(tokens.access), "PreviousPassword": "NewPassw0rd!",
                "ProposedPassword": "Passw0rd!",
            ])
    }

    @Test("a user whose alias an earlier version gave away can be changed")
    func frozen() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool(["AliasAttributes": ["preferred_username"]])
        try await stage.makeUser("victim", in: pool, [["Name": "preferred_username", "Value": "boss"]])
        try await stage.makeUser("mallory", in: pool)
        var alias = try #require(try await stage.pools.records.get(Alias.self, pool, "preferred_username:boss"))
        alias.target = "mallory"
        #expect(try await stage.pools.records.replace(alias))
        try await change("victim", in: pool, stage)
    }

    @Test("a name that becomes a preferred user name during a sign-up is taken")
    func race() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([
            "AliasAttributes": ["preferred_username"], "LambdaConfig": ["PreSignUp": "slow"],
        ])
        let isEntered = Mutex(false)
        let released = DispatchSemaphore(value: 0)
        stage.functions.respond("slow") { event in
            guard event["userName"] == "chief" else { return [:] }
            isEntered.withLock { $0 = true }
            _ = released.wait(timeout: .now() + 30)
            return [:]
        }
        try await stage.makeUser("jane", in: pool)
        let access = JSONValue.string(try await stage.tokens("jane", client).access)
        async let signedUp = stage.call(
            "SignUp", ["ClientId": .string(client), "Username": "chief", "Password": "Passw0rd!"])
        let deadline = ContinuousClock.now + .seconds(20)
        while !isEntered.withLock({ $0 }), ContinuousClock.now < deadline { await Task.yield() }
        let changed = await stage.call(
            "UpdateUserAttributes",
            ["AccessToken": access, "UserAttributes": [["Name": "preferred_username", "Value": "chief"]]])
        released.signal()
        #expect(await signedUp.failureError?.name == "UsernameExistsException")
        #expect(changed.failureError == nil)
    }
}
