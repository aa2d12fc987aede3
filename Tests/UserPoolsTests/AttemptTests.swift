import JSON
import Testing

@testable import UserPools

/// Each factor has attempts of its own: what somebody can do with one of them gives no further attempts with another.
@Suite("Attempts with factors")
struct AttemptTests {
    private static let exceeded = "Password attempts exceeded"

    @Test("failures with many names do not end the lock of another user")
    func manyNames() {
        let attempts = PasswordAttempts()
        // The sixth failure locks for two seconds.
        for _ in 0..<6 { attempts.fail("jane", now: 0) }
        for number in 0...PasswordAttempts.usersMax { attempts.fail("\(number)", now: 1) }
        #expect(throws: CognitoError.self) { try attempts.check("jane", now: 1_999) }
        #expect(throws: Never.self) { try attempts.check("jane", now: 2_000) }
    }

    @Test("challenges of many devices do not end the later ones of others")
    func manyDevices() {
        let challenges = DeviceChallenges()
        func add(_ user: String, expires: Int64) {
            challenges.add(
                Device(user: user, deviceKey: "d", groupKey: "g", created: 0),
                for: ChallengeState(
                    challenge: "DEVICE_SRP_AUTH", poolID: "p", clientID: "c", usernameKey: user, id: user,
                    expires: expires,
                    channel: .api), now: 0)
        }
        for number in 0..<DeviceChallenges.countMax - 1 { add("\(number)", expires: Int64(number + 1)) }
        add("jane", expires: .max)
        add("mike", expires: .max)
        #expect(challenges.take(user: "0", deviceKey: "d", now: 0) == nil)
        for user in ["jane", "mike"] { #expect(challenges.take(user: user, deviceKey: "d", now: 0)?.id == user) }
    }

    @Test("wrong answers in CUSTOM_AUTH lock the user, and right ones reset the count when tokens are issued")
    func custom() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([
            "LambdaConfig": [
                "DefineAuthChallenge": "define", "CreateAuthChallenge": "create",
                "VerifyAuthChallengeResponse": "verify",
            ]
        ])
        try await stage.makeUser("jane", in: pool)
        stage.functions.respond("define") { event in
            let results = event["request"]?["session"]?.arrayValue ?? []
            // Two right answers are needed.
            let isDone = results.count { $0["challengeResult"] == true } == 2
            return isDone ? ["issueTokens": true] : ["challengeName": "CUSTOM_CHALLENGE"]
        }
        stage.functions.respond("create") { _ in ["privateChallengeParameters": ["answer": "7391"]] }
        stage.functions.respond("verify") { event in
            ["answerCorrect": .bool(event["request"]?["challengeAnswer"] == "7391")]
        }
        func answers(_ texts: [String], secondsBetween seconds: Int64 = 0) async throws -> CognitoError? {
            var output = try await stage.get(
                "InitiateAuth",
                ["AuthFlow": "CUSTOM_AUTH", "ClientId": .string(client), "AuthParameters": ["USERNAME": "jane"]])
            for text in texts {
                stage.time.advance(seconds: seconds)
                let answer = await stage.call(
                    "RespondToAuthChallenge",
                    [
                        "ChallengeName": "CUSTOM_CHALLENGE", "ClientId": .string(client),
                        "Session": output["Session"] ?? .null,
                        "ChallengeResponses": ["USERNAME": "jane", "ANSWER": .string(text)],
                    ])
                switch answer {
                case .success(let next): output = next
                case .failure(let error): return error
                }
            }
            return nil
        }
        for _ in 0..<4 { #expect(try await answers(["7391", "7391"]) == nil) }
        #expect(try await answers(["1", "2", "3"]) == nil)
        // A right answer alone resets nothing.
        #expect(try await answers(["7391", "4", "5"]) == nil)
        #expect(try await answers(["6"])?.message == Self.exceeded)
        #expect(try await answers(["7391", "7391"], secondsBetween: 2) == nil)
        #expect(try await answers(["1", "2", "3", "4"]) == nil)
        // Wrong answers of others lock the user for a time, after which the right ones need no pause between them.
        for _ in 0..<5 {
            stage.time.advance(seconds: 300)
            _ = try await answers(["0"])
        }
        stage.time.advance(seconds: 300)
        #expect(try await answers(["7391", "7391"]) == nil)
    }

    @Test("users who are migrated use up no failures of their address, and a wrong password is one failure")
    func migration() async throws {
        var limits = UserPoolLimits()
        limits.failuresPerAddressPerHour = 2
        let stage = try PoolStage(limits: limits)
        let (_, client) = try await stage.makePool(["LambdaConfig": ["UserMigration": "migrate"]])
        stage.functions.respond("migrate") { event in
            event["request"]?["password"] == "Passw0rd!" ? ["userAttributes": [:]] : [:]
        }
        for name in ["jane", "john", "judy"] { _ = try await stage.tokens(name, client) }
        // Nor does a function that fails.
        stage.functions.set("broken") { _ in .unreachable }
        let (_, brokenClient) = try await stage.makePool(["LambdaConfig": ["UserMigration": "broken"]])
        for name in ["a", "b", "c"] {
            #expect(await stage.signIn(name, brokenClient).failureError?.name == "UnexpectedLambdaException")
        }
        for name in ["x", "y"] {
            #expect(await stage.signIn(name, client, password: "wrong").failureError?.name == "UserNotFoundException")
        }
        #expect(await stage.signIn("jane", client).failureError?.message == Self.exceeded)
    }

    @Test("answers in CUSTOM_AUTH at one time are bounded like sequential ones")
    func customBurst() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([
            "LambdaConfig": [
                "DefineAuthChallenge": "define", "CreateAuthChallenge": "create",
                "VerifyAuthChallengeResponse": "verify",
            ]
        ])
        try await stage.makeUser("jane", in: pool)
        stage.functions.respond("define") { _ in ["challengeName": "CUSTOM_CHALLENGE"] }
        stage.functions.respond("create") { _ in [:] }
        let judged = PoolStage.TestTime()
        let before = judged.seconds
        stage.functions.respond("verify") { _ in
            judged.advance(seconds: 1)
            return ["answerCorrect": false]
        }
        var sessions: [JSONValue] = []
        for _ in 0..<40 {
            let begun = try await stage.get(
                "InitiateAuth",
                ["AuthFlow": "CUSTOM_AUTH", "ClientId": .string(client), "AuthParameters": ["USERNAME": "jane"]])
            sessions.append(begun["Session"] ?? .null)
        }
        await withTaskGroup(of: Void.self) { group in
            for session in sessions {
                group.addTask {
                    _ = await stage.call(
                        "RespondToAuthChallenge",
                        [
                            "ChallengeName": "CUSTOM_CHALLENGE", "ClientId": .string(client), "Session": session,
                            "ChallengeResponses": ["USERNAME": "jane", "ANSWER": "1"],
                        ])
                }
            }
        }
        // Besides the five, one for each of a few threads.
        #expect(judged.seconds - before <= 16)
    }

    /// A user with a verified address and an authenticator app, and the secret of the app.
    private func makeUserWithApp(_ name: String, _ stage: PoolStage, _ pool: String, _ client: String) async throws
        -> [UInt8]
    {
        try await stage.makeUser(
            name, in: pool,
            [["Name": "email", "Value": .string("\(name)@example.com")], ["Name": "email_verified", "Value": "true"]])
        let access = JSONValue.string(try await stage.tokens(name, client).access)
        let made = try await stage.get("AssociateSoftwareToken", ["AccessToken": access])
        let secret = FactorTests.bytes(try #require(made["SecretCode"]?.stringValue))
        try await stage.get(
            "VerifySoftwareToken", ["AccessToken": access, "UserCode": .string(code(secret, stage))])
        try await stage.get(
            "SetUserMFAPreference",
            ["AccessToken": access, "SoftwareTokenMfaSettings": ["Enabled": true, "PreferredMfa": true]])
        return secret
    }

    private func code(_ secret: [UInt8], _ stage: PoolStage) -> String {
        TOTP.code(secret: secret, step: stage.time.seconds / 30)
    }

    @Test("a right code by mail as a first factor does not reset wrong second factors")
    func secondFactor() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([
            "Policies": ["SignInPolicy": ["AllowedFirstAuthFactors": ["PASSWORD", "EMAIL_OTP"]]]
        ])
        try await stage.get(
            "SetUserPoolMfaConfig",
            [
                "UserPoolId": .string(pool), "MfaConfiguration": "OPTIONAL",
                "SoftwareTokenMfaConfiguration": ["Enabled": true],
            ])
        _ = try await makeUserWithApp("jane", stage, pool, client)
        func respond(_ challenge: JSONValue, _ session: JSONValue, _ responses: JSONObject) async -> Result<
            JSONObject, CognitoError
        > {
            var responses = responses
            responses["USERNAME"] = "jane"
            return await stage.call(
                "RespondToAuthChallenge",
                [
                    "ChallengeName": challenge, "ClientId": .string(client), "Session": session,
                    "ChallengeResponses": .object(responses),
                ])
        }
        var messages: [String?] = []
        for _ in 0..<2 {
            let begun = try await stage.get(
                "InitiateAuth",
                [
                    "AuthFlow": "USER_AUTH", "ClientId": .string(client),
                    "AuthParameters": ["USERNAME": "jane", "PREFERRED_CHALLENGE": "EMAIL_OTP"],
                ])
            let code = JSONValue.string(stage.messages.lastCode)
            let second = try await respond("EMAIL_OTP", begun["Session"] ?? .null, ["EMAIL_OTP_CODE": code]).get()
            #expect(second["ChallengeName"] == "SOFTWARE_TOKEN_MFA")
            for _ in 0..<3 {
                let answer = await respond(
                    "SOFTWARE_TOKEN_MFA", second["Session"] ?? .null, ["SOFTWARE_TOKEN_MFA_CODE": "00000x"])
                messages.append(answer.failureError?.message)
            }
        }
        #expect(messages.last == Self.exceeded)
        #expect(!messages.dropLast().contains(Self.exceeded))
    }

    @Test("an authenticator app that is set up resets neither wrong passwords nor wrong codes")
    func setup() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.get(
            "SetUserPoolMfaConfig",
            [
                "UserPoolId": .string(pool), "MfaConfiguration": "OPTIONAL",
                "SoftwareTokenMfaConfiguration": ["Enabled": true],
            ])
        try await stage.makeUser("jane", in: pool)
        let access = JSONValue.string(try await stage.tokens("jane", client).access)
        func guess() async -> String? {
            await stage.call(
                "ChangePassword",
                ["AccessToken": access, "PreviousPassword": "wrong", "ProposedPassword": "N3w-Passw0rd"]
            ).failureError?.name
        }
        for _ in 0..<4 { #expect(await guess() == "NotAuthorizedException") }
        let made = try await stage.get("AssociateSoftwareToken", ["AccessToken": access])
        let secret = FactorTests.bytes(try #require(made["SecretCode"]?.stringValue))
        try await stage.get(
            "VerifySoftwareToken", ["AccessToken": access, "UserCode": .string(code(secret, stage))])
        #expect(await guess() == "NotAuthorizedException")
        #expect(await guess() == "LimitExceededException")
    }

    @Test(
        "an answer to PASSWORD_VERIFIER without a parameter is no attempt: it does not lock a user again",
        arguments: ["PASSWORD_CLAIM_SECRET_BLOCK", "PASSWORD_CLAIM_SIGNATURE", "TIMESTAMP", "USERNAME"])
    func missingParameter(name: String) async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        for _ in 0..<PasswordAttempts.freeCount { _ = await stage.signIn("jane", client, password: "wrong") }
        stage.time.advance(seconds: 60)
        let begun = try await stage.get(
            "InitiateAuth",
            [
                "AuthFlow": "USER_SRP_AUTH", "ClientId": .string(client),
                "AuthParameters": ["USERNAME": "jane", "SRP_A": "abcdef"],
            ])
        var responses: JSONObject = [
            "PASSWORD_CLAIM_SECRET_BLOCK": begun["ChallengeParameters"]?["SECRET_BLOCK"] ?? .null,
            "PASSWORD_CLAIM_SIGNATURE": "AAAA", "TIMESTAMP": .string(SRPTimestamp.text(stage.time.seconds)),
            "USERNAME": "jane",
        ]
        responses[name] = nil
        let refused = await stage.call(
            "RespondToAuthChallenge",
            [
                "ChallengeName": "PASSWORD_VERIFIER", "ClientId": .string(client),
                "ChallengeResponses": .object(responses),
            ])
        #expect(refused.failureError?.message == "Missing required parameter \(name)")
        #expect(await stage.signIn("jane", client).failureError == nil, "the user is not locked")
    }

    @Test("an attempt that is withdrawn leaves the lock as it was, whatever was refused meanwhile")
    func withdrawal() throws {
        let attempts = PasswordAttempts()
        for _ in 0..<5 { attempts.fail("jane", now: 0) }
        try attempts.begin("jane", now: 1_000)
        attempts.fail("jane", now: 1_000)
        // The sixth failure locks for two seconds, in which another attempt comes.
        #expect(throws: CognitoError.notAuthorized(Self.exceeded)) { try attempts.begin("jane", now: 1_500) }
        attempts.withdraw("jane")
        try attempts.begin("jane", now: 1_600)
        // Of the attempts that are admitted before the lock, too, the last one is withdrawn.
        for (name, refusedAt) in [("ada", Int64(200)), ("ben", nil)] {
            for time in [Int64(0), 100] {
                try attempts.begin(name, now: time)
                attempts.fail(name, now: time)
            }
            if let refusedAt { try attempts.check(name, now: refusedAt) }
            attempts.withdraw(name)
            for time in [Int64(300), 300, 300, 300] { attempts.fail(name, now: time) }
            #expect(throws: CognitoError.notAuthorized(Self.exceeded)) { try attempts.begin(name, now: 1_299) }
            try attempts.begin(name, now: 1_300)
        }
    }

    @Test("wrong passwords and codes for a name without a user do not lock the user who has it later")
    func takenName() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(
            ["Policies": ["SignInPolicy": ["AllowedFirstAuthFactors": ["PASSWORD", "EMAIL_OTP"]]]],
            client: ["PreventUserExistenceErrors": "ENABLED"])
        func begin(_ flow: String, _ parameters: JSONObject) async -> Result<JSONObject, CognitoError> {
            var parameters = parameters
            parameters["USERNAME"] = "jane"
            return await stage.call(
                "InitiateAuth",
                ["AuthFlow": .string(flow), "ClientId": .string(client), "AuthParameters": .object(parameters)])
        }
        func answer(_ challenge: String, _ begun: JSONObject, _ responses: JSONObject) async -> Result<
            JSONObject, CognitoError
        > {
            var responses = responses
            responses["USERNAME"] = "jane"
            return await stage.call(
                "RespondToAuthChallenge",
                [
                    "ChallengeName": .string(challenge), "ClientId": .string(client),
                    "Session": begun["Session"] ?? .null, "ChallengeResponses": .object(responses),
                ])
        }
        func beginMail() async throws -> JSONObject {
            try await begin("USER_AUTH", ["PREFERRED_CHALLENGE": "EMAIL_OTP"]).get()
        }
        // By proofs and by passwords, which are counted together.
        for _ in 0..<3 {
            let begun = try await begin("USER_SRP_AUTH", ["SRP_A": "abcdef"]).get()
            let proof = await answer(
                "PASSWORD_VERIFIER", [:],
                [
                    "PASSWORD_CLAIM_SECRET_BLOCK": begun["ChallengeParameters"]?["SECRET_BLOCK"] ?? .null,
                    "PASSWORD_CLAIM_SIGNATURE": "AAAA", "TIMESTAMP": .string(SRPTimestamp.text(stage.time.seconds)),
                ])
            #expect(proof.failureError?.message == "Incorrect username or password.")
        }
        for _ in 0..<2 { _ = await stage.signIn("jane", client, password: "wrong") }
        #expect(await stage.signIn("jane", client, password: "wrong").failureError?.message == Self.exceeded)
        #expect(await begin("USER_SRP_AUTH", ["SRP_A": "abcdef"]).failureError?.message == Self.exceeded)
        // A session of its own each time, as a user has.
        var messages: [String?] = []
        for _ in 0..<6 {
            let wrong = await answer("EMAIL_OTP", try await beginMail(), ["EMAIL_OTP_CODE": "00000x"])
            messages.append(wrong.failureError?.message)
        }
        #expect(messages.last == Self.exceeded && !messages.dropLast().contains(Self.exceeded), "\(messages)")

        try await stage.makeUser(
            "jane", in: pool,
            [["Name": "email", "Value": "jane@example.com"], ["Name": "email_verified", "Value": "true"]]
        )
        _ = try await begin("USER_SRP_AUTH", ["SRP_A": "abcdef"]).get()
        _ = try await stage.tokens("jane", client)
        let mail = try await beginMail()
        let signedIn = await answer("EMAIL_OTP", mail, ["EMAIL_OTP_CODE": .string(stage.messages.lastCode)])
        #expect(try signedIn.get()["AuthenticationResult"] != nil)
    }

    @Test("a user whose name ends like a count of another user resets nothing of that one")
    func names() {
        let names = Set(
            ["jane", "jane#code", "jane#mfa"].flatMap { name in
                let counted = User.countedName(
                    sub: "5b1f", User.reference(poolID: "us-east-1_x", usernameKey: name))
                return [counted]
                    + [true, false].map { ChallengeState.attemptsName(of: counted, isFirstFactor: $0) }
            })
        #expect(names.count == 9)
    }
}
