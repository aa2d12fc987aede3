import JSON
import Testing

@testable import UserPools

@Suite("Names that are too long, or have the separator of owner claims")
struct LongNameTests {
    private static let long = String(repeating: "n", count: 129)

    @Test("sign-ins and the hosted pages take no longer user names than the operations do")
    func signIn() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(
            [:],
            client: [
                "AllowedOAuthFlows": ["code"], "AllowedOAuthScopes": ["openid"],
                "AllowedOAuthFlowsUserPoolClient": true, "CallbackURLs": ["myapp://callback/"],
            ])
        for flow in ["USER_PASSWORD_AUTH", "USER_SRP_AUTH", "USER_AUTH", "CUSTOM_AUTH"] {
            await stage.expect(
                "InvalidParameterException",
                "1 validation error detected: Value at 'username' failed to satisfy constraint: "
                    + "Member must have length less than or equal to 128", "InitiateAuth",
                [
                    "AuthFlow": .string(flow), "ClientId": .string(client),
                    "AuthParameters": ["USERNAME": .string(Self.long), "PASSWORD": "x", "SRP_A": "abcdef"],
                ])
        }
        await stage.expect(
            "InvalidParameterException", nil, "RespondToAuthChallenge",
            [
                "ChallengeName": "PASSWORD", "ClientId": .string(client),
                "ChallengeResponses": ["USERNAME": .string(Self.long)],
            ])
        let query = "client_id=\(client)&response_type=code&scope=openid&redirect_uri=myapp%3A%2F%2Fcallback%2F"
        for path in ["login", "signup", "forgotPassword"] {
            let browser = TestBrowser(stage.pools)
            try await browser.open("/\(path)?\(query)")
            try await browser.submit(["username": Self.long, "password": "Passw0rd!"])
            #expect(browser.html.contains("length less than or equal to 128"), "\(path)")
        }
        let listed = try await stage.get("ListUsers", ["UserPoolId": .string(pool)])
        #expect(listed["Users"]?.arrayValue == [])
    }

    @Test("no way of making a user takes a name that is too long or has ::", arguments: [long, "a::b", "a::\u{308}b"])
    func newUsers(_ name: String) async throws {
        let stage = try PoolStage()
        let (poolID, clientID) = try await stage.makePool(["LambdaConfig": ["UserMigration": "old"]])
        let pool = try #require(stage.pools.directory.pool(poolID))
        let client = try #require(stage.pools.directory.client(clientID))
        let caller = Caller(address: "127.0.0.1", accessKeyID: nil, requestID: "r", baseURL: "http://127.0.0.1:20002")
        await #expect(throws: CognitoError.self) {
            _ = try await stage.pools.signUp(
                Registration(username: name, password: "Passw0rd!", attributes: [], validationData: [:], metadata: [:]),
                in: pool, by: client, from: caller)
        }
        await stage.expect(
            "InvalidParameterException", nil, "AdminCreateUser",
            ["UserPoolId": .string(poolID), "Username": .string(name), "MessageAction": "SUPPRESS"])
        for user in [["Username": .string(name)], ["Username": "ok", "Sub": .string(name)]] as [JSONObject] {
            #expect(try await stage.importUsers([.object(user)], into: poolID)["Made"] == 0)
        }
        stage.functions.respond("old") { _ in
            ["userAttributes": ["username": .string(name)], "finalUserStatus": "CONFIRMED"]
        }
        #expect(await stage.signIn("somebody", clientID).failureError != nil)
        let listed = try await stage.get("ListUsers", ["UserPoolId": .string(poolID)])
        #expect(listed["Users"]?.arrayValue == [])
    }

    @Test("tables in memory keep long names as hashes, and codes that were never sent as long as others")
    func bounds() {
        #expect(BoundedName.key(String(repeating: "x", count: 250_000)).text.utf8.count <= BoundedName.bytesMax)
        #expect(BoundedName.key("jane").text == "jane")
        let decoys = DecoyCodes()
        decoys.request("jane", for: .password, now: 0)
        #expect(decoys.attempt("jane", for: .password, now: 1) == .codeMismatch)
        decoys.removeExpired(now: 3_599_999)
        #expect(decoys.count == 1)
        #expect(decoys.attempt("jane", for: .password, now: 3_600_000) == .expiredCode)
        #expect(decoys.count == 0)
        // Those of sign-ups are valid for a day.
        decoys.request("jane", for: .signUp, now: 0)
        #expect(decoys.attempt("jane", for: .password, now: 1) == .expiredCode)
        #expect(decoys.attempt("jane", for: .signUp, now: 86_399_999) == .codeMismatch)
        #expect(decoys.attempt("jane", for: .signUp, now: 86_400_000) == .expiredCode)
    }
}
