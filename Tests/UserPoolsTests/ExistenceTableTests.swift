import JSON
import Synchronization
import Tables
import Testing

@testable import UserPools

/// What somebody who knows no password finds out in a client with `PreventUserExistenceErrors`: the answers to all open
/// operations, for users in every state and for a name that no user has.
@Suite("Answers for users in every state")
struct ExistenceTableTests {
    /// How the users of a pool are named.
    enum Naming: String, CaseIterable { case names, addresses }

    private static let requestsMax = 14
    private static let states = [
        "unconfirmed", "confirmed", "disabled", "invited", "reset", "unverified", "addressless", "imported",
    ]

    private static func name(_ state: String, _ naming: Naming) -> String {
        naming == .names ? state : "\(state)@example.com"
    }

    /// Of mail addresses, those that differ in what is answered.
    private static func states(_ naming: Naming) -> [String] {
        naming == .names ? states : ["unconfirmed", "confirmed", "disabled", "invited", "unverified"]
    }

    /// Random bytes whose secrets for SRP have 32 bits, so that half of the powers take a fraction of the time.
    private static let shortSecrets = Randomness { count in
        let bytes = Randomness.system.bytes(count)
        return count == 32 ? [UInt8](repeating: 0, count: 28) + bytes.suffix(4) : bytes
    }

    /// A pool with one user in each of these states.
    private static func makeStage(
        _ naming: Naming, _ states: [String]
    ) async throws -> (stage: PoolStage, client: String) {
        var limits = UserPoolLimits()
        limits.messagesPerRecipientPerHour = requestsMax
        let stage = try PoolStage(limits: limits, randomness: shortSecrets)
        var settings: JSONObject = [
            "AutoVerifiedAttributes": ["email"],
            "Policies": ["SignInPolicy": ["AllowedFirstAuthFactors": ["PASSWORD", "EMAIL_OTP"]]],
            "LambdaConfig": [
                "DefineAuthChallenge": "define", "CreateAuthChallenge": "create",
                "VerifyAuthChallengeResponse": "verify",
            ],
        ]
        if naming == .addresses { settings["UsernameAttributes"] = ["email"] }
        let (pool, client) = try await stage.makePool(settings, client: ["PreventUserExistenceErrors": "ENABLED"])
        stage.functions.respond("define") { _ in
            ["challengeName": "CUSTOM_CHALLENGE", "issueTokens": false, "failAuthentication": false]
        }
        stage.functions.respond("create") { _ in
            ["publicChallengeParameters": ["question": "7 * 6"], "privateChallengeParameters": ["answer": "42"]]
        }
        stage.functions.respond("verify") { _ in ["answerCorrect": false] }
        // The first message of a server counts those of its outbox.
        stage.pools.outboxCount.withLock { $0 = 0 }
        for state in states {
            let name = name(state, naming)
            let user: JSONObject = ["UserPoolId": .string(pool), "Username": .string(name)]
            let email: JSONValue = ["Name": "email", "Value": .string("\(state)@example.com")]
            let verified: JSONValue = [email, ["Name": "email_verified", "Value": "true"]]
            switch state {
            case "unconfirmed":
                try await stage.get(
                    "SignUp",
                    [
                        "ClientId": .string(client), "Username": .string(name), "Password": "Passw0rd!",
                        "UserAttributes": [email],
                    ])
            case "invited":
                var user = user
                (user["UserAttributes"], user["MessageAction"]) = (verified, "SUPPRESS")
                try await stage.get("AdminCreateUser", user)
            case "imported":
                let made = try await stage.importUsers(
                    [["Username": .string(name), "UserAttributes": verified]], into: pool)
                try #require(made["Made"] == 1, "\(made)")
            case "unverified": try await stage.makeUser(name, in: pool, [email])
            case "addressless": try await stage.makeUser(name, in: pool)
            default: try await stage.makeUser(name, in: pool, verified)
            }
            if state == "disabled" { try await stage.get("AdminDisableUser", user) }
            if state == "reset" { try await stage.get("AdminResetUserPassword", user) }
        }
        return (stage, client)
    }

    /// Somebody who tries everything with one name, and notes the answers.
    private final class Attacker {
        let stage: PoolStage
        let client: String
        let name: String
        /// The operation, the form of its answer or its error, the writes of the store, and the reads with the answers to writes.
        var notes: [String] = []

        init(_ stage: PoolStage, _ client: String, _ name: String) {
            (self.stage, self.client, self.name) = (stage, client, name)
        }

        @discardableResult
        func call(_ label: String, _ operation: String, _ body: JSONObject) async -> JSONObject {
            var body = body
            body["ClientId"] = .string(client)
            let before = (stage.store.statistics.writes, stage.executor.count.load(ordering: .relaxed))
            let answer = await stage.call(operation, body)
            let work =
                "\(stage.store.statistics.writes - before.0) writes, "
                + "\(stage.executor.count.load(ordering: .relaxed) - before.1) reads and answers to writes"
            switch answer {
            case .success(let output):
                notes.append("\(label): \(form(.object(output))), \(work)")
                return output
            case .failure(let error):
                notes.append("\(label): \(CognitoErrorBox(error).description), \(work)")
                return [:]
            }
        }

        func named(_ operation: String, _ more: JSONObject = [:]) async {
            var body = more
            body["Username"] = .string(name)
            await call(operation, operation, body)
        }

        func begin(_ flow: String, _ more: JSONObject = [:]) async -> JSONObject {
            var parameters = more
            parameters["USERNAME"] = .string(name)
            return await call(
                "\(flow) \(more["PREFERRED_CHALLENGE"]?.stringValue ?? "")", "InitiateAuth",
                ["AuthFlow": .string(flow), "AuthParameters": .object(parameters)])
        }

        func answer(_ challenge: String, _ begun: JSONObject, _ more: JSONObject) async -> JSONObject {
            var responses = more
            responses["USERNAME"] = begun["ChallengeParameters"]?["USERNAME"] ?? .string(name)
            var body: JSONObject = [
                "ChallengeName": .string(challenge), "ChallengeResponses": .object(responses),
            ]
            body["Session"] = begun["Session"]
            return await call("answer to \(challenge)", "RespondToAuthChallenge", body)
        }

        func prove(_ begun: JSONObject) async {
            _ = await answer(
                "PASSWORD_VERIFIER", begun,
                [
                    "PASSWORD_CLAIM_SECRET_BLOCK": begun["ChallengeParameters"]?["SECRET_BLOCK"] ?? "",
                    "PASSWORD_CLAIM_SIGNATURE": "AAAA",
                    "TIMESTAMP": .string(SRPTimestamp.text(stage.time.seconds)),
                ])
        }

        /// An answer without what is random or belongs to the name.
        private func form(_ value: JSONValue, _ member: String = "") -> String {
            switch value {
            case .object(let members):
                let texts = members.map { "\($0.key): \(form($0.value, $0.key))" }.sorted()
                return "{\(texts.joined(separator: ", "))}"
            case .string(let text):
                if ["SALT", "SRP_B", "SECRET_BLOCK", "Session"].contains(member) { return "…" }
                if ["Destination", "CODE_DELIVERY_DESTINATION"].contains(member) {
                    return String(text.map { $0.isLetter ? "x" : $0 })
                }
                if text == name { return "the name" }
                let letters = Array(text)
                return letters.count == 36 && letters[14] == "4" && "89ab".contains(letters[19]) ? "a UUID" : text
            default: return value.description
            }
        }
    }

    /// Everything that needs no password, each flow begun and answered wrongly.
    private static func notes(_ stage: PoolStage, _ client: String, _ name: String) async -> [String] {
        let attacker = Attacker(stage, client, name)
        // Longer than a lock lasts.
        func wait() { stage.time.advance(seconds: 901) }
        _ = await attacker.begin("USER_PASSWORD_AUTH", ["PASSWORD": "wrong"])
        await attacker.prove(await attacker.begin("USER_SRP_AUTH", ["SRP_A": "abcdef"]))
        let choice = await attacker.begin("USER_AUTH")
        _ = await attacker.answer("SELECT_CHALLENGE", choice, ["ANSWER": "WEB_AUTHN"])
        _ = await attacker.answer("SELECT_CHALLENGE", choice, ["ANSWER": "SMS_OTP"])
        let mail = await attacker.answer("SELECT_CHALLENGE", choice, ["ANSWER": "EMAIL_OTP"])
        for _ in 0..<6 { _ = await attacker.answer("EMAIL_OTP", mail, ["EMAIL_OTP_CODE": "00000x"]) }
        wait()
        for challenge in ["PASSWORD", "PASSWORD_SRP", "EMAIL_OTP", "SMS_OTP", "WEB_AUTHN"] {
            let begun = await attacker.begin(
                "USER_AUTH", ["PREFERRED_CHALLENGE": .string(challenge), "SRP_A": "abcdef"])
            if challenge == "PASSWORD" { _ = await attacker.answer("PASSWORD", begun, ["PASSWORD": "wrong"]) }
        }
        wait()
        _ = await attacker.begin("USER_AUTH", ["PREFERRED_CHALLENGE": "PASSWORD", "PASSWORD": "wrong"])
        // Its own lock was left by the codes: it is shorter than a session.
        let custom = await attacker.begin("CUSTOM_AUTH")
        let round = await attacker.answer("CUSTOM_CHALLENGE", custom, ["ANSWER": "41"])
        stage.time.advance(seconds: 60)
        _ = await attacker.answer("CUSTOM_CHALLENGE", round, ["ANSWER": "42"])
        stage.time.advance(seconds: 120)
        await attacker.prove(await attacker.begin("CUSTOM_AUTH", ["CHALLENGE_NAME": "SRP_A", "SRP_A": "abcdef"]))
        let fresh = await attacker.begin("USER_AUTH")
        for challenge in ["DEVICE_SRP_AUTH", "NEW_PASSWORD_REQUIRED", "SOFTWARE_TOKEN_MFA", "MFA_SETUP"] {
            _ = await attacker.answer(challenge, fresh, ["DEVICE_KEY": "key", "SRP_A": "abcdef"])
        }
        wait()
        let reset: JSONObject = ["ConfirmationCode": "00000x", "Password": "N3w-Passw0rd"]
        await attacker.named("ForgotPassword")
        await attacker.named("ConfirmForgotPassword", ["ConfirmationCode": "00000x", "Password": "weak"])
        for _ in 0..<6 { await attacker.named("ConfirmForgotPassword", reset) }
        await attacker.named("ForgotPassword")
        await attacker.named("ConfirmForgotPassword", reset)
        await attacker.named("ResendConfirmationCode")
        for _ in 0..<6 { await attacker.named("ConfirmSignUp", ["ConfirmationCode": "00000x"]) }
        await attacker.named("ConfirmSignUp", ["ConfirmationCode": "00000x", "ForceAliasCreation": true])
        wait()
        // Twenty wrong codes for each purpose in an hour.
        for _ in 0..<4 {
            await attacker.named("ForgotPassword")
            await attacker.named("ResendConfirmationCode")
            for _ in 0..<5 {
                await attacker.named("ConfirmForgotPassword", reset)
                await attacker.named("ConfirmSignUp", ["ConfirmationCode": "00000x"])
            }
        }
        stage.time.advance(seconds: 3_700)
        await attacker.named("ConfirmForgotPassword", reset)
        await attacker.named("ConfirmSignUp", ["ConfirmationCode": "00000x"])
        stage.time.advance(seconds: 86_400)
        await attacker.named("ConfirmSignUp", ["ConfirmationCode": "00000x"])
        // Until the limit of requests.
        for _ in 0...requestsMax { await attacker.named("ForgotPassword") }
        await attacker.named("ResendConfirmationCode")
        _ = await attacker.begin("USER_AUTH", ["PREFERRED_CHALLENGE": "EMAIL_OTP"])
        return attacker.notes
    }

    @Test(
        "operations of somebody without the password are answered as for a name that no user has",
        arguments: Naming.allCases)
    func answers(_ naming: Naming) async throws {
        let (stage, client) = try await Self.makeStage(naming, [])
        let expected = await Self.notes(stage, client, Self.name("nobody", naming))
        #expect(expected.count > 80)
        for state in Self.states(naming) {
            let (stage, client) = try await Self.makeStage(naming, [state])
            let notes = await Self.notes(stage, client, Self.name(state, naming))
            let differences = zip(expected, notes).enumerated().filter { $0.element.0 != $0.element.1 }.map {
                "\($0.offset): \($0.element.1), expected \($0.element.0)"
            }
            #expect(notes.count == expected.count && differences == [], "\(state)")
        }
    }

    @Test(
        "codes that were not requested are answered as for a name that no user has, unless one was sent before",
        arguments: Naming.allCases)
    func codes(_ naming: Naming) async throws {
        let (stage, client) = try await Self.makeStage(naming, Self.states(naming))
        for state in ["nobody"] + Self.states(naming) {
            let named: JSONObject = ["ClientId": .string(client), "Username": .string(Self.name(state, naming))]
            for (operation, sent) in [("ConfirmForgotPassword", "reset"), ("ConfirmSignUp", "unconfirmed")] {
                var body = named
                body["ConfirmationCode"] = "00000x"
                if operation == "ConfirmForgotPassword" { body["Password"] = "N3w-Passw0rd" }
                await stage.expect(
                    state == sent ? "CodeMismatchException" : "ExpiredCodeException", nil, operation, body)
            }
        }
    }
}
