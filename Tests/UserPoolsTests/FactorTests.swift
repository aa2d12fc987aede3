import JSON
import Testing

@testable import UserPools

@Suite("Second factors")
struct FactorTests {
    @Test("the name of an authenticator app, which is stored with its user, has 256 characters at most")
    func appName() async throws {
        let stage = try PoolStage()
        for (count, constraint) in [(256, "AccessToken or Session"), (257, "less than or equal to 256")] {
            let result = await stage.call(
                "VerifySoftwareToken",
                ["UserCode": "123456", "FriendlyDeviceName": .string(String(repeating: "\u{E9}", count: count))])
            #expect(result.failureError?.name == "InvalidParameterException")
            #expect(result.failureError?.message?.contains(constraint) == true)
        }
    }

    /// The bytes of a secret as apps read it.
    static func bytes(_ base32: String) -> [UInt8] {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (bytes, bits, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for character in base32.utf8 {
            bits = bits << 5 | UInt32(digits.firstIndex(of: character) ?? 0)
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
    }

    @Test("codes are those of RFC 6238, appendix B")
    func vectors() {
        let secret = Array("12345678901234567890".utf8)
        for (seconds, code) in [(Int64(59), "287082"), (1_111_111_109, "081804"), (2_000_000_000, "279037")] {
            #expect(TOTP.code(secret: secret, step: seconds / 30) == code)
        }
    }

    private func respond(
        _ stage: PoolStage, _ challenge: JSONObject, _ client: String, _ responses: JSONObject
    ) async -> Result<JSONObject, CognitoError> {
        var responses = responses
        responses["USERNAME"] = "jane"
        return await stage.call(
            "RespondToAuthChallenge",
            [
                "ChallengeName": challenge["ChallengeName"] ?? .null, "ClientId": .string(client),
                "Session": challenge["Session"] ?? .null, "ChallengeResponses": .object(responses),
            ])
    }

    @Test("an app is set up where a second factor is required, and each of its codes is taken once")
    func softwareToken() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.get(
            "SetUserPoolMfaConfig",
            [
                "UserPoolId": .string(pool), "MfaConfiguration": "ON",
                "SoftwareTokenMfaConfiguration": ["Enabled": true],
            ])
        try await stage.makeUser("jane", in: pool)
        let setup = try await stage.signIn("jane", client).get()
        #expect(setup["ChallengeName"] == "MFA_SETUP")
        let associated = try await stage.get("AssociateSoftwareToken", ["Session": setup["Session"] ?? .null])
        let secret = Self.bytes(try #require(associated["SecretCode"]?.stringValue))
        #expect(secret.count == 32)
        await stage.expect(
            "EnableSoftwareTokenMFAException", "Code mismatch", "VerifySoftwareToken",
            ["Session": associated["Session"] ?? .null, "UserCode": "000000x"])
        let code = TOTP.code(secret: secret, step: stage.time.seconds / 30)
        let verified = try await stage.get(
            "VerifySoftwareToken", ["Session": associated["Session"] ?? .null, "UserCode": .string(code)])
        #expect(verified["Status"] == "SUCCESS")
        var done = setup
        done["Session"] = verified["Session"]
        #expect(try await respond(stage, done, client, [:]).get()["AuthenticationResult"] != nil)

        let challenge = try await stage.signIn("jane", client).get()
        #expect(challenge["ChallengeName"] == "SOFTWARE_TOKEN_MFA")
        #expect(
            await respond(stage, challenge, client, ["SOFTWARE_TOKEN_MFA_CODE": .string(code)]).mapError(
                CognitoErrorBox.init
            ).failure == "CodeMismatchException: Invalid code or auth state for the user.")
        stage.time.advance(seconds: 30)
        let next = TOTP.code(secret: secret, step: stage.time.seconds / 30)
        #expect(
            try await respond(stage, challenge, client, ["SOFTWARE_TOKEN_MFA_CODE": .string(next)]).get()[
                "AuthenticationResult"] != nil)
    }

    /// Sets an app up in a sign-in that asks for it, and ends the sign-in.
    private func setUpApp(
        _ stage: PoolStage, _ setup: JSONObject, _ client: String
    ) async throws -> (secret: [UInt8], tokens: Tokens) {
        try #require(setup["ChallengeName"] == "MFA_SETUP", "\(setup)")
        let associated = try await stage.get("AssociateSoftwareToken", ["Session": setup["Session"] ?? .null])
        let secret = Self.bytes(try #require(associated["SecretCode"]?.stringValue))
        let code = TOTP.code(secret: secret, step: stage.time.seconds / 30)
        let verified = try await stage.get(
            "VerifySoftwareToken", ["Session": associated["Session"] ?? .null, "UserCode": .string(code)])
        var done = setup
        done["Session"] = verified["Session"]
        return (secret, try Tokens(try await respond(stage, done, client, [:]).get()))
    }

    @Test("where MFA is required, a preference changes the factors that it names, and the last one stays on")
    func requiredFactors() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.get(
            "SetUserPoolMfaConfig",
            [
                "UserPoolId": .string(pool), "MfaConfiguration": "ON",
                "SmsMfaConfiguration": ["SmsAuthenticationMessage": "{####}"],
                "SoftwareTokenMfaConfiguration": ["Enabled": true],
            ])
        try await stage.makeUser("jane", in: pool)
        let token = try await setUpApp(stage, try await stage.signIn("jane", client).get(), client).tokens.access
        func prefer(_ settings: JSONObject) async -> CognitoError? {
            var body = settings
            body["AccessToken"] = .string(token)
            return await stage.call("SetUserMFAPreference", body).failureError
        }
        let off: JSONValue = ["Enabled": false]
        #expect(await prefer(["SMSMfaSettings": off]) == nil)
        #expect(try await stage.signIn("jane", client).get()["ChallengeName"] == "SOFTWARE_TOKEN_MFA")
        for settings: JSONObject in [
            ["SoftwareTokenMfaSettings": off], ["SoftwareTokenMfaSettings": off, "SMSMfaSettings": off],
        ] { #expect(await prefer(settings)?.name == "InvalidParameterException") }
        try await stage.get(
            "AdminUpdateUserAttributes",
            [
                "UserPoolId": .string(pool), "Username": "jane",
                "UserAttributes": [["Name": "phone_number", "Value": "+15550001234"]],
            ])
        #expect(await prefer(["SMSMfaSettings": ["Enabled": true]]) == nil)
        let choice = try await stage.signIn("jane", client).get()
        #expect(choice["ChallengeName"] == "SELECT_MFA_TYPE")
        let factors = choice["ChallengeParameters"]?["MFAS_CAN_CHOOSE"]?.stringValue ?? ""
        #expect(factors.contains("SMS_MFA") && factors.contains("SOFTWARE_TOKEN_MFA"), "\(factors)")
        #expect(await prefer(["SoftwareTokenMfaSettings": off]) == nil)
        #expect(await prefer(["SMSMfaSettings": off])?.name == "InvalidParameterException")
        #expect(try await stage.signIn("jane", client).get()["ChallengeName"] == "SMS_MFA")
    }

    @Test("an app that an administrator has switched off is replaced by the next sign-in, once")
    func lostApp() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.get(
            "SetUserPoolMfaConfig",
            [
                "UserPoolId": .string(pool), "MfaConfiguration": "ON",
                "SoftwareTokenMfaConfiguration": ["Enabled": true],
            ])
        try await stage.makeUser("jane", in: pool)
        let lost = try await setUpApp(stage, try await stage.signIn("jane", client).get(), client).secret
        try await stage.get(
            "AdminSetUserMFAPreference",
            ["UserPoolId": .string(pool), "Username": "jane", "SoftwareTokenMfaSettings": ["Enabled": false]])
        let setup = try await stage.signIn("jane", client).get()
        let other = try await stage.signIn("jane", client).get()
        stage.time.advance(seconds: 30)
        let secret = try await setUpApp(stage, setup, client).secret
        #expect(secret != lost)
        await stage.expect(
            "NotAuthorizedException", "Invalid session for the user.", "AssociateSoftwareToken",
            ["Session": other["Session"] ?? .null])
        let challenge = try await stage.signIn("jane", client).get()
        #expect(challenge["ChallengeName"] == "SOFTWARE_TOKEN_MFA")
        stage.time.advance(seconds: 30)
        for (secret, isRight) in [(lost, false), (secret, true)] {
            let code = JSONValue.string(TOTP.code(secret: secret, step: stage.time.seconds / 30))
            let answer = await respond(stage, challenge, client, ["SOFTWARE_TOKEN_MFA_CODE": code])
            #expect((try? answer.get()["AuthenticationResult"]) != nil || !isRight, "\(answer)")
            #expect(isRight || answer.failureError?.name == "CodeMismatchException")
        }
    }

    @Test("a preference of an earlier version keeps its factors off, unless the user has none that is on")
    func earlierPreferences() {
        let one = MFAPreference(["enabled": ["SMS_MFA"], "isSet": true, "isTOTPVerified": true])
        #expect(one.isOn(.sms, isRequired: true) && !one.isOn(.softwareToken, isRequired: true))
        let none = MFAPreference(["enabled": [], "isSet": true, "isTOTPVerified": true])
        #expect(none.isOn(.softwareToken, isRequired: true) && !none.isOn(.softwareToken, isRequired: false))
        let unset = MFAPreference(["enabled": [], "isTOTPVerified": true])
        #expect(unset.isOn(.softwareToken, isRequired: true) && MFAPreference(unset.json) == unset)
    }

    @Test("codes by SMS and mail, and the choice between them")
    func sentCodes() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.get(
            "SetUserPoolMfaConfig",
            [
                "UserPoolId": .string(pool), "MfaConfiguration": "OPTIONAL",
                "SmsMfaConfiguration": ["SmsAuthenticationMessage": "{####}"], "EmailMfaConfiguration": [:],
            ])
        try await stage.makeUser(
            "jane", in: pool,
            [["Name": "email", "Value": "j@example.com"], ["Name": "phone_number", "Value": "+15550001234"]])
        #expect(try await stage.signIn("jane", client).get()["AuthenticationResult"] != nil)
        let named: JSONObject = ["UserPoolId": .string(pool), "Username": "jane"]
        var preference = named
        preference["SMSMfaSettings"] = ["Enabled": true]
        preference["EmailMfaSettings"] = ["Enabled": true]
        try await stage.get("AdminSetUserMFAPreference", preference)
        let choice = try await stage.signIn("jane", client).get()
        #expect(choice["ChallengeName"] == "SELECT_MFA_TYPE")
        let sms = try await respond(stage, choice, client, ["ANSWER": "SMS_MFA"]).get()
        #expect(sms["ChallengeParameters"]?["CODE_DELIVERY_DESTINATION"] == "+*******1234")
        let code = JSONValue.string(stage.messages.lastCode)
        #expect(await respond(stage, sms, client, ["SMS_MFA_CODE": "x"]).failureError?.name == "CodeMismatchException")
        #expect(try await respond(stage, sms, client, ["SMS_MFA_CODE": code]).get()["AuthenticationResult"] != nil)
        #expect(await respond(stage, sms, client, ["SMS_MFA_CODE": code]).failureError != nil)
        preference["EmailMfaSettings"] = ["Enabled": true, "PreferredMfa": true]
        try await stage.get("AdminSetUserMFAPreference", preference)
        let mail = try await stage.signIn("jane", client).get()
        #expect(mail["ChallengeName"] == "EMAIL_OTP")
        #expect(
            try await respond(stage, mail, client, ["EMAIL_OTP_CODE": .string(stage.messages.lastCode)]).get()[
                "AuthenticationResult"] != nil)
        let shown = try await stage.get("AdminGetUser", named)
        #expect(shown["PreferredMfaSetting"] == "EMAIL_OTP")
        stage.time.advance(seconds: 200)
        #expect(
            await respond(stage, mail, client, ["EMAIL_OTP_CODE": "1"]).mapError(CognitoErrorBox.init).failure
                == "NotAuthorizedException: Invalid session for the user, session is expired.")
    }

    @Test("CUSTOM_AUTH: the functions decide")
    func custom() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([
            "LambdaConfig": [
                "DefineAuthChallenge": "define", "CreateAuthChallenge": "create",
                "VerifyAuthChallengeResponse": "verify",
            ]
        ])
        stage.functions.respond("define") { event in
            let session = event["request"]?["session"]?.arrayValue ?? []
            if session.last?["challengeResult"] == true { return ["issueTokens": true, "failAuthentication": false] }
            if session.count >= 2 { return ["issueTokens": false, "failAuthentication": true] }
            return ["challengeName": "CUSTOM_CHALLENGE", "issueTokens": false, "failAuthentication": false]
        }
        stage.functions.respond("create") { _ in
            [
                "publicChallengeParameters": ["question": "7 * 6"],
                "privateChallengeParameters": ["answer": "forty-two"],
                "challengeMetadata": "SUM",
            ]
        }
        stage.functions.respond("verify") { event in
            let isRight =
                event["request"]?["challengeAnswer"] == event["request"]?["privateChallengeParameters"]?["answer"]
            return ["answerCorrect": .bool(isRight)]
        }
        try await stage.makeUser("jane", in: pool)
        let begin: JSONObject = [
            "AuthFlow": "CUSTOM_AUTH", "ClientId": .string(client), "AuthParameters": ["USERNAME": "jane"],
        ]
        let first = try await stage.get("InitiateAuth", begin)
        #expect(first["ChallengeParameters"]?["question"] == "7 * 6")
        #expect(!"\(first)".contains("forty-two"))
        let again = try await respond(stage, first, client, ["ANSWER": "41"]).get()
        #expect(again["ChallengeName"] == "CUSTOM_CHALLENGE")
        #expect(try await respond(stage, again, client, ["ANSWER": "forty-two"]).get()["AuthenticationResult"] != nil)
        let other = try await stage.get("InitiateAuth", begin)
        let second = try await respond(stage, other, client, ["ANSWER": "1"]).get()
        #expect(
            await respond(stage, second, client, ["ANSWER": "1"]).failureError?.name == "NotAuthorizedException")
    }

    @Test("USER_AUTH lets the client choose the first factor")
    func choice() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([
            "Policies": ["SignInPolicy": ["AllowedFirstAuthFactors": ["PASSWORD", "EMAIL_OTP"]]]
        ])
        try await stage.makeUser(
            "jane", in: pool,
            [["Name": "email", "Value": "j@example.com"], ["Name": "email_verified", "Value": "true"]])
        let begun = try await stage.get(
            "InitiateAuth",
            ["AuthFlow": "USER_AUTH", "ClientId": .string(client), "AuthParameters": ["USERNAME": "jane"]])
        #expect(begun["AvailableChallenges"] == ["PASSWORD", "PASSWORD_SRP", "EMAIL_OTP"])
        let mail = try await respond(stage, begun, client, ["ANSWER": "EMAIL_OTP"]).get()
        #expect(
            try await respond(stage, mail, client, ["EMAIL_OTP_CODE": .string(stage.messages.lastCode)]).get()[
                "AuthenticationResult"] != nil)
        let direct = try await stage.get(
            "InitiateAuth",
            [
                "AuthFlow": "USER_AUTH", "ClientId": .string(client),
                "AuthParameters": [
                    "USERNAME": "jane", "PREFERRED_CHALLENGE": "PASSWORD", "PASSWORD": "Passw0rd!",
                ],
            ])
        #expect(direct["AuthenticationResult"] != nil)
    }
}
