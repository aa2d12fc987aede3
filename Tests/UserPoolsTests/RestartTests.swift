import JSON
import Synchronization
import Tables
import Testing

@testable import UserPools

@Suite("What ends with the server or with a user's sessions")
struct RestartTests {
    @Test("a key set is made once, and anew when the keys change")
    func keySets() async throws {
        let keys = SigningKeys(MemoryKeys().storage, .system)
        #expect(keys.readyKeySet(of: "us-east-1_x") == nil)
        // An empty set is not kept.
        #expect(try keys.keySetBytes(of: "us-east-1_x") == Array(#"{"keys":[]}"#.utf8))
        #expect(keys.readyKeySet(of: "us-east-1_x") == nil)
        try await keys.keys(of: "us-east-1_x")
        let first = try keys.keySetBytes(of: "us-east-1_x")
        #expect(keys.readyKeySet(of: "us-east-1_x") == first)
        #expect(try JSONReader.read(first) == keys.jsonWebKeySet(of: "us-east-1_x"))
        try await keys.rotate(poolID: "us-east-1_x", until: 9, now: 1)
        #expect(keys.readyKeySet(of: "us-east-1_x") == nil)
        #expect(try keys.keySetBytes(of: "us-east-1_x") != first)
    }

    @Test(
        "temporary credentials end with the sessions of their user", arguments: ["AdminDisableUser", "AdminDeleteUser"])
    func credentials(_ operation: String) async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        func make(_ name: String) async throws -> TemporaryCredentials {
            try await stage.makeUser(name, in: pool)
            // Setting the password has ended the sessions of before.
            stage.time.advance(seconds: 1)
            let user = try #require(try await stage.pools.records.get(User.self, pool, name))
            let identity = TemporaryIdentity(
                poolID: "us-east-1:x", identityID: "us-east-1:y", isAuthenticated: true, role: "role", userPoolID: pool,
                sub: user.sub, expires: stage.pools.now + TemporaryCredentials.lifetime)
            return TemporaryCredentials(identity, by: stage.pools.sealer, stage.pools.randomness)
        }
        func isValid(_ credentials: TemporaryCredentials) -> Bool {
            stage.pools.issuedCredentials(
                accessKeyID: credentials.accessKeyID, sessionToken: credentials.sessionToken
            ).map { !stage.pools.hasEnded($0) } ?? false
        }
        let (jane, ada) = (try await make("jane"), try await make("ada"))
        #expect(isValid(jane))
        stage.time.advance(seconds: 1)
        try await stage.get(operation, ["UserPoolId": .string(pool), "Username": "jane"])
        #expect(!isValid(jane))
        #expect(isValid(ada))
    }

    @Test(
        "temporary credentials end with sessions that ended after the login was checked, also in its millisecond",
        arguments: [0, 2])
    func credentialsAcrossSignOut(_ seconds: Int64) async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        // Setting the password has ended the sessions of before.
        stage.time.advance(seconds: 1)
        let texts = ["cognito-idp.us-east-1.amazonaws.com/\(pool)": try await stage.tokens("jane", client).id]
        let identityPool = IdentityPool(
            "us-east-1:x", SettingsReader(["IdentityPoolName": "x"]), isConfiguration: false)
        let caller = Caller(address: "127.0.0.1", accessKeyID: nil, requestID: "r", baseURL: TestBrowser.base)
        let pools = stage.pools
        func credentials(_ logins: [UserPools.Login]) async throws -> TemporaryCredentials? {
            let identity = try await pools.identity(of: logins, in: identityPool, from: caller)
            let made = try await pools.credentials(of: identity, logins, in: identityPool, customRole: nil)
            return pools.issuedCredentials(accessKeyID: made.accessKeyID, sessionToken: made.sessionToken)
                .flatMap { pools.hasEnded($0) ? nil : $0 }
        }
        let logins = try await pools.logins(texts, in: identityPool)
        #expect(try await credentials(logins) != nil)
        stage.time.advance(seconds: seconds)
        try await stage.get("AdminUserGlobalSignOut", ["UserPoolId": .string(pool), "Username": "jane"])
        stage.time.advance(seconds: seconds)
        #expect(try await credentials(logins) == nil)
        // After another sign-in there are new ones.
        stage.time.advance(seconds: 1)
        let again = ["cognito-idp.us-east-1.amazonaws.com/\(pool)": try await stage.tokens("jane", client).id]
        #expect(try await credentials(try await pools.logins(again, in: identityPool)) != nil)
    }

    @Test("a proof of SRP that was used before a restart gives no tokens after it")
    func srp() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        let srp = try SRPClient()
        let begun = try srp.ask(["op": "begin"])
        let challenge = try await stage.get(
            "InitiateAuth",
            [
                "AuthFlow": "USER_SRP_AUTH", "ClientId": .string(client),
                "AuthParameters": ["USERNAME": "jane", "SRP_A": begun["A"] ?? .null],
            ])
        var sent: JSONObject = [:]
        let first = try await srp.answer(
            challenge, stage, "Passw0rd!", a: begun["a"] ?? .null, pool: pool, client: client
        ) { sent = $0 }
        #expect(try first.get()["AuthenticationResult"] != nil)
        let answer = try await stage.restarted().call(
            "RespondToAuthChallenge",
            ["ChallengeName": "PASSWORD_VERIFIER", "ClientId": .string(client), "ChallengeResponses": .object(sent)])
        #expect(answer.failureError == .wrongCredentials)
    }

    @Test("a challenge by a sent code ends with the server, and one by a password continues after a restart")
    func challenges() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([
            "Policies": ["SignInPolicy": ["AllowedFirstAuthFactors": ["PASSWORD", "EMAIL_OTP"]]]
        ])
        try await stage.makeUser(
            "jane", in: pool,
            [["Name": "email", "Value": "jane@example.com"], ["Name": "email_verified", "Value": "true"]])
        func begin(_ factor: String) async throws -> JSONObject {
            try await stage.get(
                "InitiateAuth",
                [
                    "AuthFlow": "USER_AUTH", "ClientId": .string(client),
                    "AuthParameters": ["USERNAME": "jane", "PREFERRED_CHALLENGE": .string(factor)],
                ])
        }
        let byMail = try await begin("EMAIL_OTP")
        let code = JSONValue.string(stage.messages.lastCode)
        let byPassword = try await begin("PASSWORD")
        let restarted = try await stage.restarted()
        func respond(_ challenge: JSONObject, _ responses: JSONObject) async -> CognitoError? {
            var responses = responses
            responses["USERNAME"] = "jane"
            return await restarted.call(
                "RespondToAuthChallenge",
                [
                    "ChallengeName": challenge["ChallengeName"] ?? .null, "ClientId": .string(client),
                    "Session": challenge["Session"] ?? .null, "ChallengeResponses": .object(responses),
                ]
            ).failureError
        }
        #expect(await respond(byMail, ["EMAIL_OTP_CODE": code]) == .sessionExpired)
        #expect(await respond(byPassword, ["PASSWORD": "Passw0rd!"]) == nil)
    }
}

extension PoolStage {
    /// The pools as the server serves them after a restart.
    func restarted() async throws -> UserPools {
        let time = time
        let pools = try UserPools(
            store: store, tables: tables, executor: QueueExecutor(), keyStorage: TestKeys.storage,
            services: pools.services, clock: WallClock { time.milliseconds.withLock { $0 } })
        try await pools.serve(UserPoolConfiguration(servedURL: "http://127.0.0.1:20002"))
        return pools
    }
}

extension UserPools {
    fileprivate func call(_ operation: String, _ body: JSONObject) async -> Result<JSONObject, CognitoError> {
        await perform(
            "AWSCognitoIdentityProviderService.\(operation)", body,
            from: Caller(address: "127.0.0.1", accessKeyID: nil, requestID: "r", baseURL: "http://127.0.0.1:20002"))
    }
}
