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
}
