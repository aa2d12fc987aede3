import JSON
import Testing

@testable import UserPools

/// The counters of codes and messages: what somebody without the password uses up of one takes nothing from another.
@Suite("Limits of codes and messages")
struct CodeLimitTests {
    private static let limits: UserPoolLimits = {
        var limits = UserPoolLimits()
        limits.messagesPerRecipientPerHour = 3
        return limits
    }()

    private static func verified(_ address: String) -> JSONValue {
        [["Name": "email", "Value": .string(address)], ["Name": "email_verified", "Value": "true"]]
    }

    /// Has users sign in with a code by mail after the password.
    private static func requireMail(_ stage: PoolStage, _ pool: String) async throws {
        try await stage.get(
            "SetUserPoolMfaConfig",
            [
                "UserPoolId": .string(pool), "MfaConfiguration": "ON",
                "EmailMfaConfiguration": ["Message": "{####}", "Subject": "Code"],
            ])
    }

    @Test(
        "requests for a new password leave a user the codes of the second factor",
        arguments: ["ForgotPassword", "ResendConfirmationCode"])
    func secondFactor(operation: String) async throws {
        let stage = try PoolStage(limits: Self.limits)
        let (pool, client) = try await stage.makePool(
            ["AutoVerifiedAttributes": ["email"]], client: ["PreventUserExistenceErrors": "ENABLED"])
        try await Self.requireMail(stage, pool)
        try await stage.makeUser("jane", in: pool, Self.verified("jane@example.com"))
        for _ in 0..<3 {
            try await stage.get(operation, ["ClientId": .string(client), "Username": "jane"])
        }
        await stage.expect(
            "LimitExceededException", nil, operation, ["ClientId": .string(client), "Username": "jane"])
        let count = stage.messages.count
        for _ in 0..<3 {
            #expect(try await stage.signIn("jane", client).get()["ChallengeName"] == "EMAIL_OTP")
        }
        #expect(stage.messages.count == count + 3)
        // They are bounded as well.
        #expect(await stage.signIn("jane", client).failureError?.name == "LimitExceededException")
    }

    @Test("second factors to an address that nobody has verified are counted for the address")
    func unverifiedSecondFactor() async throws {
        let stage = try PoolStage(limits: Self.limits)
        let (pool, client) = try await stage.makePool()
        try await Self.requireMail(stage, pool)
        for name in ["ada", "ben"] {
            try await stage.makeUser(name, in: pool, [["Name": "email", "Value": "victim@example.com"]])
        }
        for name in ["ada", "ben", "ada"] { _ = try await stage.signIn(name, client).get() }
        #expect(await stage.signIn("ben", client).failureError?.name == "LimitExceededException")
    }

    @Test("an address is one recipient in any letter case, and in each pool another one")
    func letterCase() async throws {
        let stage = try PoolStage(limits: Self.limits)
        let (_, client) = try await stage.makePool(["AutoVerifiedAttributes": ["email"]])
        let (_, other) = try await stage.makePool(["AutoVerifiedAttributes": ["email"]])
        func signUp(_ client: String, _ name: String, _ address: String) async -> CognitoError? {
            await stage.call(
                "SignUp",
                [
                    "ClientId": .string(client), "Username": .string(name), "Password": "Passw0rd!",
                    "UserAttributes": [["Name": "email", "Value": .string(address)]],
                ]
            ).failureError
        }
        for (index, address) in ["zoë@example.com", "ZOË@example.com", "zoe\u{308}@EXAMPLE.com"].enumerated() {
            #expect(await signUp(client, "user\(index)", address) == nil)
        }
        #expect(await signUp(client, "user3", "Zoë@Example.com")?.name == "LimitExceededException")
        #expect(await signUp(other, "user0", "zoë@example.com") == nil)
    }

    /// Tries wrong codes until the answer is that there were too many.
    private static func exhaust(
        _ stage: PoolStage, _ client: String, _ name: String, _ request: String, _ confirm: String
    ) async throws {
        for _ in 0..<5 {
            _ = await stage.call(request, ["ClientId": .string(client), "Username": .string(name)])
            for _ in 0..<5 {
                let answer = await stage.call(confirm, body(client, name, confirm))
                if answer.failureError?.name == "LimitExceededException" { return }
            }
        }
        Issue.record("no limit was reached")
    }

    private static func body(
        _ client: String, _ name: String, _ operation: String, code: String = "00000x"
    ) -> JSONObject {
        var body: JSONObject = [
            "ClientId": .string(client), "Username": .string(name), "ConfirmationCode": .string(code),
        ]
        if operation == "ConfirmForgotPassword" { body["Password"] = "N3w-Passw0rd" }
        return body
    }

    @Test("wrong codes for a new password block neither VerifyUserAttribute nor a sign-up, and the other way round")
    func purposes() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(["AutoVerifiedAttributes": ["email"]])
        try await stage.makeUser("jane", in: pool, Self.verified("jane@example.com"))
        let access = JSONValue.string(try await stage.tokens("jane", client).access)
        try await Self.exhaust(stage, client, "jane", "ForgotPassword", "ConfirmForgotPassword")
        try await stage.get(
            "UpdateUserAttributes",
            ["AccessToken": access, "UserAttributes": [["Name": "email", "Value": "new@example.com"]]])
        try await stage.get(
            "VerifyUserAttribute",
            ["AccessToken": access, "AttributeName": "email", "Code": .string(stage.messages.lastCode)])
        let signUp: JSONObject = [
            "ClientId": .string(client), "Username": "ben", "Password": "Passw0rd!",
            "UserAttributes": [["Name": "email", "Value": "ben@example.com"]],
        ]
        try await stage.get("SignUp", signUp)
        try await Self.exhaust(stage, client, "ben", "ResendConfirmationCode", "ConfirmSignUp")
        let ben: JSONObject = ["UserPoolId": .string(pool), "Username": "ben"]
        try await stage.get("AdminConfirmSignUp", ben)
        var verified = ben
        verified["UserAttributes"] = [["Name": "email_verified", "Value": "true"]]
        try await stage.get("AdminUpdateUserAttributes", verified)
        try await stage.get("ForgotPassword", ["ClientId": .string(client), "Username": "ben"])
        try await stage.get(
            "ConfirmForgotPassword",
            Self.body(client, "ben", "ConfirmForgotPassword", code: stage.messages.lastCode))
    }

    @Test("wrong codes for a name without a user are not those of the user who signs up with it later")
    func poisonedName() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool(
            ["AutoVerifiedAttributes": ["email"]], client: ["PreventUserExistenceErrors": "ENABLED"])
        try await Self.exhaust(stage, client, "jane", "ResendConfirmationCode", "ConfirmSignUp")
        try await Self.exhaust(stage, client, "jane", "ForgotPassword", "ConfirmForgotPassword")
        try await stage.get(
            "SignUp",
            [
                "ClientId": .string(client), "Username": "jane", "Password": "Passw0rd!",
                "UserAttributes": [["Name": "email", "Value": "jane@example.com"]],
            ])
        try await stage.get(
            "ConfirmSignUp", Self.body(client, "jane", "ConfirmSignUp", code: stage.messages.lastCode))
        try await stage.get("ForgotPassword", ["ClientId": .string(client), "Username": "jane"])
        try await stage.get(
            "ConfirmForgotPassword",
            Self.body(client, "jane", "ConfirmForgotPassword", code: stage.messages.lastCode))
    }

    @Test(
        "codes that were requested for a name without a user are not those of the user who signs up with it later",
        arguments: ["ForgotPassword", "ResendConfirmationCode"])
    func requestsForName(operation: String) async throws {
        let stage = try PoolStage(limits: Self.limits)
        let (_, client) = try await stage.makePool(
            ["AutoVerifiedAttributes": ["email"]], client: ["PreventUserExistenceErrors": "ENABLED"])
        let jane: JSONObject = ["ClientId": .string(client), "Username": "jane"]
        for _ in 0..<3 { try await stage.get(operation, jane) }
        await stage.expect("LimitExceededException", nil, operation, jane)
        var signUp = jane
        (signUp["Password"], signUp["UserAttributes"]) = (
            "Passw0rd!", [["Name": "email", "Value": "jane@example.com"]]
        )
        try await stage.get("SignUp", signUp)
        try await stage.get("ResendConfirmationCode", jane)
        #expect(stage.messages.count == 2)
        try await stage.get(
            "ConfirmSignUp", Self.body(client, "jane", "ConfirmSignUp", code: stage.messages.lastCode))
    }

    @Test("beyond the sign-ups of a network, no answer says whether a name is taken")
    func signUps() async throws {
        var limits = UserPoolLimits()
        limits.signUpsPerAddressPerHour = 2
        let stage = try PoolStage(limits: limits)
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        for name in ["jane", "jane"] {
            await stage.expect(
                "UsernameExistsException", nil, "SignUp",
                ["ClientId": .string(client), "Username": .string(name), "Password": "Passw0rd!"])
        }
        for name in ["jane", "nobody"] {
            await stage.expect(
                "LimitExceededException", nil, "SignUp",
                ["ClientId": .string(client), "Username": .string(name), "Password": "Passw0rd!"])
        }
    }
}
