import JSON
import Synchronization
import Testing

@testable import UserPools

@Suite("Bounds of what is stored of users and guests")
struct UserBoundTests {
    private static func attributes(_ byteCount: Int) -> JSONValue {
        let names = ["name", "given_name", "family_name", "middle_name", "nickname"]
        let size = byteCount / names.count
        return .array(
            names.map { name in
                ["Name": .string(name), "Value": .string(String(repeating: "x", count: size - name.utf8.count - 2))]
            })
    }

    @Test("the attributes of a user are bounded together, so that a request can carry the id token")
    func attributes() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(["AutoVerifiedAttributes": ["email"]])
        let max = UserPoolLimits().attributeBytesPerUserMax
        await stage.expect(
            "InvalidParameterException", nil, "AdminCreateUser",
            ["UserPoolId": .string(pool), "Username": "jane", "UserAttributes": Self.attributes(max + 100)])
        await stage.expect(
            "InvalidParameterException", nil, "SignUp",
            [
                "ClientId": .string(client), "Username": "jane", "Password": "Passw0rd!",
                "UserAttributes": Self.attributes(max + 100),
            ])
        try await stage.makeUser("jane", in: pool, Self.attributes(max - 60))
        let tokens = try await stage.tokens("jane", client)
        // What remains of the 16 KiB of a request's head is for its other headers and a few groups.
        #expect(tokens.id.utf8.count < 13 << 10)
        await stage.expect(
            "InvalidParameterException",
            "The attributes of a user have at most \(max) bytes together, because an id token has all of them. "
                + "These have \((max - 60) / 5 * 5 + 7 + 102).", "UpdateUserAttributes",
            [
                "AccessToken": .string(tokens.access),
                "UserAttributes": [["Name": "profile", "Value": .string(String(repeating: "x", count: 100))]],
            ])
        // An address is verified whatever room there is.
        let user: JSONObject = ["UserPoolId": .string(pool), "Username": "jane"]
        var update = user
        update["UserAttributes"] = [
            ["Name": "email", "Value": .string("\(String(repeating: "e", count: 30))@example.com")],
            ["Name": "email_verified", "Value": "true"],
        ]
        try await stage.get("AdminUpdateUserAttributes", update)
    }

    @Test("names of attributes to remove cost no reads each, however often one is given")
    func removedAttributes() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        try await stage.makeUserWithoutPassword("jane", in: pool)
        let names = JSONValue.array((0..<1_000).map { .string($0 % 2 == 0 ? "name" : "email") })
        let before = stage.executor.count.load(ordering: .relaxed)
        try await stage.get(
            "AdminDeleteUserAttributes",
            ["UserPoolId": .string(pool), "Username": "jane", "UserAttributeNames": names])
        #expect(stage.executor.count.load(ordering: .relaxed) - before < 50)
    }

    @Test("a request to an identity pool has ten logins at most")
    func logins() async throws {
        let stage = try PoolStage()
        let pool = IdentityPool("us-east-1:x", SettingsReader(["IdentityPoolName": "x"]), isConfiguration: false)
        func error(_ count: Int) async -> CognitoError? {
            let texts = Dictionary(uniqueKeysWithValues: (0..<count).map { ("provider\($0)", "token") })
            do throws(CognitoError) {
                _ = try await stage.pools.logins(texts, in: pool)
                return nil
            } catch {
                return error
            }
        }
        #expect(await error(10)?.name == "NotAuthorizedException")
        #expect(await error(11)?.name == "InvalidParameterException")
    }

    @Test("a user of an earlier version with longer attributes can be changed, and get shorter ones")
    func earlierUser() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        let long = String(repeating: "x", count: 2_048)
        let stored = try await stage.pools.records.update(User.self, pool, "jane") { user in
            for name in ["name", "given_name", "family_name", "middle_name", "nickname"] { user[name] = long }
        }
        #expect(stored != nil)
        let access = JSONValue.string(try await stage.tokens("jane", client).access)
        let shorter = JSONValue.string(String(long.dropLast()))
        try await stage.get(
            "UpdateUserAttributes", ["AccessToken": access, "UserAttributes": [["Name": "name", "Value": shorter]]])
        try await stage.get("AdminDisableUser", ["UserPoolId": .string(pool), "Username": "jane"])
    }

    @Test("guests are not removed unless the configuration says after how many days")
    func keptGuests() async throws {
        let stage = try PoolStage()
        let identity = Identity(id: "us-east-1:1", poolID: "us-east-1:p", created: stage.pools.now)
        #expect(try await stage.pools.records.insert(identity))
        stage.time.advance(seconds: 4_000 * 86_400)
        try await stage.pools.removeEnded()
        #expect(try await stage.pools.records.all(Identity.self, "byPool", of: "us-east-1:p").count == 1)
    }

    @Test("guests who got no credentials for as many days as configured are removed, and no one else")
    func guests() async throws {
        var limits = UserPoolLimits()
        limits.unusedGuestDays = 365
        let stage = try PoolStage(limits: limits)
        func call(_ operation: String, _ body: JSONObject) async throws -> JSONObject {
            try await stage.pools.perform(
                "AWSCognitoIdentityService.\(operation)", body,
                from: Caller(
                    address: "10.0.0.1", accessKeyID: "AKIA", requestID: "r", baseURL: "http://127.0.0.1:20002")
            ).get()
        }
        let made = try await call(
            "CreateIdentityPool", ["IdentityPoolName": "guests", "AllowUnauthenticatedIdentities": true])
        let pool = try #require(made["IdentityPoolId"]?.stringValue)
        for number in 0..<1_200 {
            var identity = Identity(id: "us-east-1:\(number)", poolID: pool, created: stage.pools.now)
            // Some signed in once.
            if number % 400 == 7 { identity.logins = ["us-east-1_x:\(number)"] }
            #expect(try await stage.pools.records.insert(identity))
        }
        stage.time.advance(seconds: 300 * 86_400)
        _ = try await call("GetCredentialsForIdentity", ["IdentityId": "us-east-1:100"])
        _ = try await call("GetCredentialsForIdentity", ["IdentityId": "us-east-1:100"])
        for _ in 0..<4 { try await stage.pools.removeEnded() }
        #expect(try await stage.pools.records.all(Identity.self, "byPool", of: pool).count == 1_200)
        stage.time.advance(seconds: 66 * 86_400)
        for _ in 0..<4 { try await stage.pools.removeEnded() }
        let left = try await stage.pools.records.all(Identity.self, "byPool", of: pool).map(\.id)
        #expect(left.sorted() == ["us-east-1:100", "us-east-1:407", "us-east-1:7", "us-east-1:807"])
        _ = try await call("GetCredentialsForIdentity", ["IdentityId": "us-east-1:100"])
        await #expect(throws: CognitoError.self) {
            _ = try await call("GetCredentialsForIdentity", ["IdentityId": "us-east-1:1"])
        }
    }

    @Test("the days of a guest of an earlier version begin with the first cleaning, and a token counts as use")
    func earlierGuests() async throws {
        var limits = UserPoolLimits()
        limits.unusedGuestDays = 7
        let stage = try PoolStage(limits: limits)
        func call(_ operation: String, _ body: JSONObject) async throws -> JSONObject {
            try await stage.pools.perform(
                "AWSCognitoIdentityService.\(operation)", body,
                from: Caller(
                    address: "10.0.0.1", accessKeyID: "AKIA", requestID: "r", baseURL: "http://127.0.0.1:20002")
            ).get()
        }
        let made = try await call(
            "CreateIdentityPool", ["IdentityPoolName": "guests", "AllowUnauthenticatedIdentities": true])
        let pool = try #require(made["IdentityPoolId"]?.stringValue)
        for name in ["idle", "token"] {
            var identity = Identity(
                id: "us-east-1:\(name)", poolID: pool, created: stage.pools.now - 10 * 86_400_000)
            identity.used = nil
            #expect(try await stage.pools.records.insert(identity))
        }
        func left() async throws -> [String] {
            try await stage.pools.removeEnded()
            return try await stage.pools.records.all(Identity.self, "byPool", of: pool).map(\.id).sorted()
        }
        #expect(try await left() == ["us-east-1:idle", "us-east-1:token"])
        stage.time.advance(seconds: 6 * 86_400)
        _ = try await call("GetOpenIdToken", ["IdentityId": "us-east-1:token"])
        #expect(try await left() == ["us-east-1:idle", "us-east-1:token"])
        stage.time.advance(seconds: 2 * 86_400)
        #expect(try await left() == ["us-east-1:token"])
    }
}
