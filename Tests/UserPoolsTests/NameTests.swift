import JSON
import Synchronization
import Testing

@testable import UserPools

@Suite("Names of users, and what is made once")
struct NameTests {
    private static let hidden = ["a\u{85}b", "a\u{9B}31mb", "a\u{202E}b", "a\u{200B}b", "a\u{2028}b", "a b", "a\u{7}b"]

    @Test("names have no control characters, and none that change the direction of text", arguments: hidden)
    func names(_ name: String) async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        let bad = JSONValue.string(name)
        for (operation, body) in [
            ("SignUp", ["ClientId": .string(client), "Username": bad, "Password": "Passw0rd!"]),
            ("AdminCreateUser", ["UserPoolId": .string(pool), "Username": bad]),
            ("CreateGroup", ["UserPoolId": .string(pool), "GroupName": bad]),
        ] as [(String, JSONObject)] {
            await stage.expect("InvalidParameterException", nil, operation, body)
        }
        let imported = try await stage.importUsers(
            [["Username": bad], ["Username": "ok", "Groups": [bad]]], into: pool)
        #expect(imported["Made"] == 0)
        if name != "a b" {
            await stage.expect(
                "InvalidParameterException", nil, "SignUp",
                [
                    "ClientId": .string(client), "Username": "jane", "Password": "Passw0rd!",
                    "UserAttributes": [["Name": "preferred_username", "Value": bad]],
                ])
        }
        #expect(PageWriter.escape("a\u{202E}b\u{9B}c\u{7}d") == "abcd")
        #expect(PageWriter.escape("می\u{200C}خواهم") == "می\u{200C}خواهم")
    }

    @Test("a sub is that of one user, and no other user's name")
    func subs() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        let jane = try await stage.get("AdminGetUser", ["UserPoolId": .string(pool), "Username": "jane"])
        let attributes = try #require(jane["UserAttributes"]?.arrayValue)
        let sub = try #require(attributes.first { $0["Name"] == "sub" }?["Value"]?.stringValue)
        let answer = try await stage.importUsers(
            [
                ["Username": "one", "Sub": "same"], ["Username": "two", "Sub": "same"],
                ["Username": "three", "Sub": .string(sub)], ["Username": "four", "Sub": "jane"],
                ["Username": "five", "Sub": .string(sub.uppercased())], ["Username": .string(sub), "Sub": "six"],
            ], into: pool)
        #expect(answer["Made"] == 1)
        let failed = Dictionary(
            uniqueKeysWithValues: (answer["Failed"]?.arrayValue ?? []).map {
                ($0["Username"]?.stringValue ?? "", $0["Message"]?.stringValue ?? "")
            })
        #expect(failed["two"] == "A user before this one has the same sub.")
        #expect(failed["three"] == "Another user of the pool has the sub or name \(sub).")
        #expect(failed["four"] == "Another user of the pool has the sub or name jane.")
        #expect(failed[sub] == "User account already exists")
        #expect(try await stage.importUsers([["Username": "seven", "Sub": "same"]], into: pool)["Made"] == 0)
        // In another letter case it would find the other user as well.
        await stage.expect(
            "UsernameExistsException", nil, "SignUp",
            ["ClientId": .string(client), "Username": .string(sub.uppercased()), "Password": "Passw0rd!"])
    }

    @Test("an administrator does not choose the sub that id tokens have")
    func givenSub() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool, [["Name": "sub", "Value": "chosen"]])
        let tokens = try await stage.tokens("jane", client)
        #expect(try Tokens.claims(tokens.id)["sub"] == Tokens.claims(tokens.access)["sub"])
    }

    @Test("users do not write the claim that says by which providers they sign in")
    func identities() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        let tokens = try await stage.tokens("jane", client)
        await stage.expect(
            "InvalidParameterException", "user.identities: Attribute cannot be updated.\n", "UpdateUserAttributes",
            ["AccessToken": .string(tokens.access), "UserAttributes": [["Name": "identities", "Value": "[]"]]])
    }

    @Test("the users of the configuration do not come back after they were removed")
    func seeds() async throws {
        let stage = try PoolStage()
        let reader = SettingsReader(["name": "x", "users": [["username": "ada"], ["username": "ben"]]])
        var configuration = UserPoolConfiguration(servedURL: "http://127.0.0.1:20002")
        configuration.pools = [UserPool("us-east-1_seeds", reader, isConfiguration: true)]
        func names() async throws -> [JSONValue?] {
            let listed = try await stage.get("ListUsers", ["UserPoolId": "us-east-1_seeds"])
            return listed["Users"]?.arrayValue?.map { $0["Username"] } ?? []
        }
        try await stage.pools.serve(configuration)
        #expect(try await names() == ["ada", "ben"])
        for name in ["ada", "ben"] {
            try await stage.get("AdminDeleteUser", ["UserPoolId": "us-east-1_seeds", "Username": .string(name)])
        }
        try await stage.pools.serve(configuration)
        #expect(try await names() == [])
    }

    @Test("a start that was interrupted between two users of the configuration is completed")
    func interruptedSeeds() async throws {
        let stage = try PoolStage()
        let reader = SettingsReader(["name": "x", "users": [["username": "ada"], ["username": "ben"]]])
        var configuration = UserPoolConfiguration(servedURL: "http://127.0.0.1:20002")
        configuration.pools = [UserPool("us-east-1_seeds", reader, isConfiguration: true)]
        try await stage.pools.serve(configuration)
        try await stage.get("AdminDeleteUser", ["UserPoolId": "us-east-1_seeds", "Username": "ben"])
        _ = try await stage.pools.records.update(StoredPool.self, "us-east-1_seeds") { $0.seeding = .begun }
        try await stage.pools.serve(configuration)
        try await stage.get("AdminGetUser", ["UserPoolId": "us-east-1_seeds", "Username": "ben"])
    }

    @Test("nothing is signed by keys that could not be stored")
    func unstoredKeys() async throws {
        let files = MemoryKeys()
        files.fails.withLock { $0 = true }
        let keys = SigningKeys(files.storage, .system)
        for _ in 0..<2 {
            await #expect(throws: CognitoError.self) { try await keys.current(.access, of: "us-east-1_x") }
        }
        files.fails.withLock { $0 = false }
        let key = try await keys.current(.access, of: "us-east-1_x")
        #expect(files.files.withLock { $0.count } == 1)
        files.fails.withLock { $0 = true }
        await #expect(throws: CognitoError.self) { try await keys.rotate(poolID: "us-east-1_x", until: 9, now: 1) }
        #expect(try await keys.current(.access, of: "us-east-1_x").kid == key.kid)
    }

    @Test("a confirmed device keeps its password")
    func confirmedDevice() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([
            "DeviceConfiguration": ["ChallengeRequiredOnNewDevice": false, "DeviceOnlyRememberedOnUserPrompt": false]
        ])
        try await stage.makeUser("jane", in: pool)
        let signedIn = try await stage.signIn("jane", client).get()
        let result = try #require(signedIn["AuthenticationResult"])
        let body: JSONObject = [
            "AccessToken": result["AccessToken"] ?? .null,
            "DeviceKey": result["NewDeviceMetadata"]?["DeviceKey"] ?? .null,
            "DeviceSecretVerifierConfig": ["PasswordVerifier": "AQI=", "Salt": "AQI="],
        ]
        try await stage.get("ConfirmDevice", body)
        await stage.expect("DeviceKeyExistsException", nil, "ConfirmDevice", body)
    }

    @Test("a client of other providers takes passwords at no page, and by the API only in flows that it lists")
    func otherProviders() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        for (flows, isAllowed) in [(nil, false), (["ALLOW_USER_SRP_AUTH"], true)] as [(JSONValue?, Bool)] {
            var settings: JSONObject = [
                "UserPoolId": .string(pool), "ClientName": "x",
            ]
            if let flows { settings["ExplicitAuthFlows"] = flows }
            let made = try await stage.get("CreateUserPoolClient", settings)
            let id = made["UserPoolClient"]?["ClientId"]?.stringValue ?? ""
            // Providers are configured, and not made by calls.
            var client = try #require(stage.pools.directory.client(id))
            client.identityProviders = ["Google"]
            stage.pools.directory.set(client)
            let begun = await stage.call(
                "InitiateAuth",
                [
                    "AuthFlow": "USER_SRP_AUTH", "ClientId": made["UserPoolClient"]?["ClientId"] ?? .null,
                    "AuthParameters": ["USERNAME": "jane", "SRP_A": "abcdef"],
                ])
            #expect((begun.failureError == nil) == isAllowed)
        }
    }
}

extension PoolStage {
    /// Imports users as an operator.
    func importUsers(_ users: [JSONValue], into pool: String) async throws -> JSONObject {
        try await pools.performForOperator(
            "ImportUsers", ["UserPoolId": .string(pool), "Users": .array(users)],
            from: Caller(address: "127.0.0.1", accessKeyID: nil, requestID: "r", baseURL: "http://127.0.0.1:20002")
        ).get()
    }
}
