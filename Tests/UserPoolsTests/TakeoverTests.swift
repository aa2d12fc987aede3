import Dispatch
import JSON
import Synchronization
import Testing

@testable import UserPools

/// What two requests at one time, or one that comes late, could take over of another user's account.
@Suite("Accounts that nobody takes over", .serialized)
struct TakeoverTests {
    private static func email(_ address: String, isVerified: Bool = true) -> JSONValue {
        [
            ["Name": "email", "Value": .string(address)],
            ["Name": "email_verified", "Value": .string(isVerified ? "true" : "false")],
        ]
    }

    private static func attributes(_ stage: PoolStage, _ pool: String, _ name: String) async throws -> [String: String]
    {
        let user = try await stage.get("AdminGetUser", ["UserPoolId": .string(pool), "Username": .string(name)])
        let pairs = (user["UserAttributes"]?.arrayValue ?? []).map {
            ($0["Name"]?.stringValue ?? "", $0["Value"]?.stringValue ?? "")
        }
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }

    @Test("a code that signs in verifies only the address that it was sent to")
    func firstFactorCode() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([
            "AliasAttributes": ["email"], "AutoVerifiedAttributes": ["email"],
            "Policies": ["SignInPolicy": ["AllowedFirstAuthFactors": ["PASSWORD", "EMAIL_OTP"]]],
        ])
        try await stage.makeUser("mallory", in: pool, Self.email("mal@evil.example"))
        let tokens = try await stage.tokens("mallory", client)
        let challenge = try await stage.get(
            "InitiateAuth",
            [
                "AuthFlow": "USER_AUTH", "ClientId": .string(client),
                "AuthParameters": ["USERNAME": "mallory", "PREFERRED_CHALLENGE": "EMAIL_OTP"],
            ])
        #expect(challenge["ChallengeName"] == "EMAIL_OTP")
        let code = stage.messages.lastCode
        try await stage.get(
            "UpdateUserAttributes",
            [
                "AccessToken": .string(tokens.access),
                "UserAttributes": [["Name": "email", "Value": "ceo@corp.example"]],
            ])
        await stage.expect(
            "ExpiredCodeException", nil, "RespondToAuthChallenge",
            [
                "ChallengeName": "EMAIL_OTP", "ClientId": .string(client), "Session": challenge["Session"] ?? .null,
                "ChallengeResponses": ["USERNAME": "mallory", "EMAIL_OTP_CODE": .string(code)],
            ])
        #expect(try await Self.attributes(stage, pool, "mallory")["email_verified"] == "false")
    }

    @Test("an address that changes while its code is verified stays unverified")
    func attributeCode() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(["AutoVerifiedAttributes": ["email"]])
        try await stage.makeUser("mallory", in: pool, Self.email("mal@evil.example"))
        let access = JSONValue.string(try await stage.tokens("mallory", client).access)
        for round in 0..<20 {
            try await stage.get(
                "UpdateUserAttributes",
                [
                    "AccessToken": access,
                    "UserAttributes": [["Name": "email", "Value": .string("\(round)@evil.example")]],
                ])
            let code = stage.messages.lastCode
            async let verified = stage.call(
                "VerifyUserAttribute", ["AccessToken": access, "AttributeName": "email", "Code": .string(code)])
            async let changed = stage.call(
                "UpdateUserAttributes",
                [
                    "AccessToken": access, "UserAttributes": [["Name": "email", "Value": "ceo@corp.example"]],
                ])
            _ = await (verified, changed)
            let attributes = try await Self.attributes(stage, pool, "mallory")
            #expect(attributes["email"] != "ceo@corp.example" || attributes["email_verified"] != "true")
        }
    }

    @Test("a password that its owner resets is not overwritten by a change that is under way")
    func passwordReset() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        for round in 0..<6 {
            let name = "victim\(round)"
            try await stage.makeUser(name, in: pool, Self.email("v@example.com"))
            let tokens = try await stage.tokens(name, client)
            try await stage.get("ForgotPassword", ["ClientId": .string(client), "Username": .string(name)])
            let code = stage.messages.lastCode
            async let changed = stage.call(
                "ChangePassword",
                [
                    "AccessToken": .string(tokens.access), "PreviousPassword": "Passw0rd!",
                    "ProposedPassword": "Attack3r-Passw0rd",
                ])
            async let reset = stage.call(
                "ConfirmForgotPassword",
                [
                    "ClientId": .string(client), "Username": .string(name), "Password": "Vict1m-Passw0rd",
                    "ConfirmationCode": .string(code),
                ])
            let results = await (changed, reset)
            if let error = results.1.failureError {
                // The change came first, and ended the code. The owner requests another one.
                #expect(error.name == "ExpiredCodeException")
                try await stage.get("ForgotPassword", ["ClientId": .string(client), "Username": .string(name)])
                try await stage.get(
                    "ConfirmForgotPassword",
                    [
                        "ClientId": .string(client), "Username": .string(name), "Password": "Vict1m-Passw0rd",
                        "ConfirmationCode": .string(stage.messages.lastCode),
                    ])
            }
            #expect((await stage.signIn(name, client, password: "Vict1m-Passw0rd")).failureError == nil)
            #expect((await stage.signIn(name, client, password: "Attack3r-Passw0rd")).failureError != nil)
        }
    }

    enum Ending: CaseIterable { case administrator, change, signOut }

    @Test(
        "a code for a new password ends with another new password, and with a global sign-out",
        arguments: Ending.allCases)
    func endedCode(_ ending: Ending) async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool, Self.email("jane@example.com"))
        let tokens = try await stage.tokens("jane", client)
        try await stage.get("ForgotPassword", ["ClientId": .string(client), "Username": "jane"])
        let code = stage.messages.lastCode
        switch ending {
        case .administrator:
            try await stage.get(
                "AdminSetUserPassword",
                ["UserPoolId": .string(pool), "Username": "jane", "Password": "N3w-Passw0rd", "Permanent": true])
        case .change:
            try await stage.get(
                "ChangePassword",
                [
                    "AccessToken": .string(tokens.access), "PreviousPassword": "Passw0rd!",
                    "ProposedPassword": "N3w-Passw0rd",
                ])
        case .signOut: try await stage.get("GlobalSignOut", ["AccessToken": .string(tokens.access)])
        }
        func reset(_ code: String) async -> CognitoError? {
            await stage.call(
                "ConfirmForgotPassword",
                [
                    "ClientId": .string(client), "Username": "jane", "Password": "Attack3r-Passw0rd",
                    "ConfirmationCode": .string(code),
                ]
            ).failureError
        }
        #expect(await reset(code)?.name == "ExpiredCodeException")
        try await stage.get("ForgotPassword", ["ClientId": .string(client), "Username": "jane"])
        #expect(await reset(stage.messages.lastCode) == nil)
    }

    @Test("guesses by a function that migrates users are bounded like others")
    func migration() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool(["LambdaConfig": ["UserMigration": "old"]])
        let calls = PoolStage.TestTime()
        let before = calls.seconds
        for answer in [UserPoolServices.FunctionAnswer.failed("wrong"), .value([:])] {
            stage.functions.set("old") { _ in
                calls.advance(seconds: 1)
                return answer
            }
            for _ in 0..<20 { _ = await stage.signIn("nobody", client) }
            #expect((await stage.signIn("nobody", client)).failureError?.message == "Password attempts exceeded")
            #expect(calls.seconds - before <= 6)
        }
        stage.functions.respond("old") { _ in
            ["userAttributes": ["email": "ada@example.com"], "finalUserStatus": "CONFIRMED"]
        }
        #expect((await stage.signIn("ada", client)).failureError == nil)
        #expect((await stage.signIn("nobody", client)).failureError?.message == "Password attempts exceeded")
    }

    @Test("an old session that sets up an app takes nobody's second factor, however far it had come")
    func setup() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.get(
            "SetUserPoolMfaConfig",
            [
                "UserPoolId": .string(pool), "MfaConfiguration": "ON",
                "SoftwareTokenMfaConfiguration": ["Enabled": true],
            ])
        try await stage.makeUser("jane", in: pool)
        func associate() async throws -> (session: JSONValue, secret: [UInt8]) {
            let setup = try await stage.signIn("jane", client).get()
            let made = try await stage.get("AssociateSoftwareToken", ["Session": setup["Session"] ?? .null])
            return (made["Session"] ?? .null, FactorTests.bytes(try #require(made["SecretCode"]?.stringValue)))
        }
        let fresh = try await stage.signIn("jane", client).get()["Session"] ?? .null
        let (old, own) = (try await associate(), try await associate())
        func code(_ secret: [UInt8]) -> JSONValue { .string(TOTP.code(secret: secret, step: stage.time.seconds / 30)) }
        try await stage.get("VerifySoftwareToken", ["Session": own.session, "UserCode": code(own.secret)])
        stage.time.advance(seconds: 30)
        await stage.expect(
            "NotAuthorizedException", nil, "VerifySoftwareToken",
            ["Session": old.session, "UserCode": code(old.secret)])
        await stage.expect("NotAuthorizedException", nil, "AssociateSoftwareToken", ["Session": fresh])
        let challenge = try await stage.signIn("jane", client).get()
        try await stage.get(
            "RespondToAuthChallenge",
            [
                "ChallengeName": "SOFTWARE_TOKEN_MFA", "ClientId": .string(client),
                "Session": challenge["Session"] ?? .null,
                "ChallengeResponses": ["USERNAME": "jane", "SOFTWARE_TOKEN_MFA_CODE": code(own.secret)],
            ])
    }

    @Test("a preferred user name is no sub and no address by which another user is found")
    func preferredUsername() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(["AliasAttributes": ["preferred_username", "email"]])
        try await stage.makeUser("victim", in: pool, Self.email("victim@example.com"))
        try await stage.makeUser("mallory", in: pool)
        let sub = try #require(try await Self.attributes(stage, pool, "victim")["sub"])
        let access = JSONValue.string(try await stage.tokens("mallory", client).access)
        for (value, error) in [
            (sub, "AliasExistsException"), (sub.uppercased(), "AliasExistsException"),
            ("victim@example.com", "InvalidParameterException"), ("victim", "AliasExistsException"),
        ] {
            await stage.expect(
                error, nil, "UpdateUserAttributes",
                [
                    "AccessToken": access,
                    "UserAttributes": [["Name": "preferred_username", "Value": .string(value)]],
                ])
        }
        try await stage.get(
            "UpdateUserAttributes",
            ["AccessToken": access, "UserAttributes": [["Name": "preferred_username", "Value": "mal"]]])
    }

    @Test("proofs of SRP at one time are bounded by the threads, and the user is locked")
    func burst() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        var blocks: [JSONValue] = []
        for _ in 0..<40 {
            let begun = try await stage.get(
                "InitiateAuth",
                [
                    "AuthFlow": "USER_SRP_AUTH", "ClientId": .string(client),
                    "AuthParameters": ["USERNAME": "jane", "SRP_A": "abcdef"],
                ])
            blocks.append(begun["ChallengeParameters"]?["SECRET_BLOCK"] ?? .null)
        }
        let timestamp = stage.timestamp
        let messages = await withTaskGroup(of: String?.self) { group in
            for block in blocks {
                group.addTask {
                    await stage.call(
                        "RespondToAuthChallenge",
                        [
                            "ChallengeName": "PASSWORD_VERIFIER", "ClientId": .string(client),
                            "ChallengeResponses": [
                                "USERNAME": "jane", "PASSWORD_CLAIM_SECRET_BLOCK": block,
                                "PASSWORD_CLAIM_SIGNATURE": "AAAA", "TIMESTAMP": .string(timestamp),
                            ],
                        ]
                    ).failureError?.message
                }
            }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        // Besides the five, one for each of a few threads.
        #expect(messages.count { $0 == "Incorrect username or password." } <= 16)
        #expect(messages.contains("Password attempts exceeded"))
    }

    @Test("a user is not stored where the code could not be sent")
    func signUpLimit() async throws {
        var limits = UserPoolLimits()
        limits.messagesPerRecipientPerHour = 1
        let stage = try PoolStage(limits: limits)
        let (_, client) = try await stage.makePool(["AutoVerifiedAttributes": ["email"]])
        func signUp(_ name: String) async -> Result<JSONObject, CognitoError> {
            await stage.call(
                "SignUp",
                [
                    "ClientId": .string(client), "Username": .string(name), "Password": "Passw0rd!",
                    "UserAttributes": [["Name": "email", "Value": "j@example.com"]],
                ])
        }
        #expect(await signUp("one").failureError == nil)
        for _ in 0..<2 { #expect(await signUp("two").failureError?.name == "LimitExceededException") }
        stage.time.advance(seconds: 7_201)
        #expect(await signUp("two").failureError == nil)
    }

    @Test("limits of names that are near them are not forgotten under many other names")
    func rateLimiter() {
        let rates = RateLimiter()
        for _ in 0..<5 { #expect(rates.take("network", max: 5, now: 0)) }
        for number in 0..<(2 * RateLimiter.namesMax) { _ = rates.take("name \(number)", max: 5, now: 0) }
        #expect(!rates.allows("network", max: 5, now: 0))
    }

    @Test("a code that is used again while its first exchange is under way gives no session")
    func replay() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(
            ["LambdaConfig": ["PreTokenGeneration": "slow"]],
            client: [
                "AllowedOAuthFlows": ["code"], "AllowedOAuthScopes": ["openid"],
                "AllowedOAuthFlowsUserPoolClient": true,
                "CallbackURLs": ["myapp://callback/"],
            ])
        try await stage.makeUser("jane", in: pool)
        let browser = TestBrowser(stage.pools)
        try await browser.open(
            "/oauth2/authorize?client_id=\(client)&response_type=code&scope=openid&redirect_uri=myapp%3A%2F%2Fcallback%2F"
        )
        try await browser.submit(["username": "jane", "password": "Passw0rd!"])
        let left = try #require(browser.left)
        let code = try #require(TestBrowser.parameters(String(left.split(separator: "?").last ?? ""))["code"])
        let isEntered = Mutex(false)
        let released = DispatchSemaphore(value: 0)
        stage.functions.respond("slow") { _ in
            isEntered.withLock { $0 = true }
            _ = released.wait(timeout: .now() + 30)
            return [:]
        }
        @Sendable func exchange() async throws -> Int {
            let app = TestBrowser(stage.pools)
            try await app.send(
                "POST", "/oauth2/token",
                [
                    "grant_type": "authorization_code", "client_id": client, "code": code,
                    "redirect_uri": "myapp://callback/",
                ])
            return app.status
        }
        async let first = exchange()
        let deadline = ContinuousClock.now + .seconds(20)
        while !isEntered.withLock({ $0 }), ContinuousClock.now < deadline { await Task.yield() }
        #expect(try await exchange() == 400)
        released.signal()
        #expect(try await first == 400)
    }

    @Test("a change or a deletion that comes after the user was deleted does nothing to the next user of the name")
    func nextUserOfName() async throws {
        let stage = try PoolStage()
        let id = try await stage.makePool().pool
        let pool = try #require(stage.pools.directory.pool(id))
        let named: JSONObject = ["UserPoolId": .string(id), "Username": "jane"]
        try await stage.makeUser("jane", in: id)
        let gone = try #require(try await stage.pools.user(named: "jane", in: pool))
        try await stage.get("AdminDeleteUser", named)
        // As many changes as the user before had.
        try await stage.makeUser("jane", in: id)
        let next = try #require(try await stage.pools.user(named: "jane", in: pool))
        #expect(next.sub != gone.sub)
        await #expect(throws: CognitoError.userDoesNotExist) {
            _ = try await stage.pools.update(gone, in: pool) { $0["name"] = "Gone" }
        }
        try await stage.pools.remove(gone, in: pool)
        #expect(try await Self.attributes(stage, id, "jane") == ["sub": next.sub])
        // After another change of the next user, too.
        try await stage.get("AdminDisableUser", named)
        await #expect(throws: CognitoError.userDoesNotExist) {
            _ = try await stage.pools.update(gone, in: pool) { $0["name"] = "Gone" }
        }
        try await stage.pools.remove(gone, in: pool)
        #expect(try await Self.attributes(stage, id, "jane") == ["sub": next.sub])
    }

    @Test("a user who confirms the sign-up while unconfirmed users are removed stays")
    func confirmedMeanwhile() async throws {
        let stage = try PoolStage()
        let (id, client) = try await stage.makePool()
        let pool = try #require(stage.pools.directory.pool(id))
        try await stage.get(
            "SignUp", ["ClientId": .string(client), "Username": "jane", "Password": "Passw0rd!"])
        let unconfirmed = try #require(try await stage.pools.user(named: "jane", in: pool))
        try await stage.get("AdminConfirmSignUp", ["UserPoolId": .string(id), "Username": "jane"])
        try await stage.pools.remove(unconfirmed, in: pool) { $0.status == .unconfirmed }
        #expect(try await stage.pools.user(named: "jane", in: pool)?.status == .confirmed)
    }

    @Test("a pool made by calls takes no host of another pool")
    func domains() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        var other = UserPool(id: "us-east-1_Other", name: "other")
        other.hosts = ["auth.example.com"]
        stage.pools.directory.set(other)
        await stage.expect(
            "InvalidParameterException", "Domain already exists.", "CreateUserPoolDomain",
            ["UserPoolId": .string(pool), "Domain": "auth.example.com"])
    }
}
