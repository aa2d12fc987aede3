import Foundation
import JSON
import Testing

@testable import UserPools

@Suite("Sessions after a new password")
struct PasswordResetTests {
    private static let settings: JSONObject = [
        "AllowedOAuthFlows": ["code"], "AllowedOAuthScopes": ["openid"], "AllowedOAuthFlowsUserPoolClient": true,
        "CallbackURLs": ["myapp://callback/"],
    ]

    /// How a password is replaced.
    enum Way: CaseIterable, Sendable { case code, administrator, temporary, reset, change }

    private static func replacePassword(_ way: Way, _ stage: PoolStage, _ pool: String, _ client: String) async throws {
        let user: JSONObject = ["UserPoolId": .string(pool), "Username": "jane"]
        switch way {
        case .code:
            try await stage.get("ForgotPassword", ["ClientId": .string(client), "Username": "jane"])
            try await stage.get(
                "ConfirmForgotPassword",
                [
                    "ClientId": .string(client), "Username": "jane", "Password": "N3w-Passw0rd",
                    "ConfirmationCode": .string(stage.messages.lastCode),
                ])
        case .administrator, .temporary:
            var set = user
            (set["Password"], set["Permanent"]) = ("N3w-Passw0rd", .bool(way == .administrator))
            try await stage.get("AdminSetUserPassword", set)
        case .reset: try await stage.get("AdminResetUserPassword", user)
        case .change:
            let tokens = try await stage.tokens("jane", client)
            try await stage.get(
                "ChangePassword",
                [
                    "AccessToken": .string(tokens.access), "PreviousPassword": "Passw0rd!",
                    "ProposedPassword": "N3w-Passw0rd",
                ])
            // Who knows the old password keeps the sessions, as in Cognito.
            try await stage.get("GetUser", ["AccessToken": .string(tokens.access)])
        }
    }

    @Test(
        "browsers are signed out by a new password, and sessions end unless the user has changed it",
        arguments: Way.allCases)
    func sessions(_ way: Way) async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(client: Self.settings)
        try await stage.makeUser(
            "jane", in: pool,
            [["Name": "email", "Value": "j@example.com"], ["Name": "email_verified", "Value": "true"]])
        let query = "client_id=\(client)&response_type=code&scope=openid&redirect_uri=myapp%3A%2F%2Fcallback%2F"
        let browser = TestBrowser(stage.pools)
        try await browser.open("/oauth2/authorize?\(query)")
        try await browser.submit(["username": "jane", "password": "Passw0rd!"])
        let left = try #require(browser.left)
        let code = try #require(TestBrowser.parameters(String(left.split(separator: "?").last ?? ""))["code"])
        let tokens = try await stage.tokens("jane", client)

        try await Self.replacePassword(way, stage, pool, client)

        try await browser.open("/oauth2/authorize?\(query)")
        #expect(browser.left == nil && browser.html.contains("<form"))
        try await browser.send(
            "POST", "/oauth2/token",
            [
                "grant_type": "authorization_code", "client_id": client, "code": code,
                "redirect_uri": "myapp://callback/",
            ])
        #expect(browser.status == 400)
        let refreshed = await stage.call(
            "GetTokensFromRefreshToken", ["ClientId": .string(client), "RefreshToken": .string(tokens.refresh)])
        #expect((refreshed.failureError == nil) == (way == .change))
        let access = await stage.call("GetUser", ["AccessToken": .string(tokens.access)])
        #expect((access.failureError == nil) == (way == .change))
    }

    @Test("a sign-in that is under way with the old password is not completed after a new one")
    func pendingSignIn() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        let temporary: JSONObject = [
            "UserPoolId": .string(pool), "Username": "jane", "TemporaryPassword": "Temp-0rary",
            "MessageAction": "SUPPRESS",
        ]
        try await stage.get("AdminCreateUser", temporary)
        let begun = try await stage.signIn("jane", client, password: "Temp-0rary").get()
        try await stage.get(
            "AdminSetUserPassword",
            ["UserPoolId": .string(pool), "Username": "jane", "Password": "0ther-Temporary", "Permanent": false])
        await stage.expect(
            "NotAuthorizedException", "Invalid session for the user.", "RespondToAuthChallenge",
            [
                "ChallengeName": "NEW_PASSWORD_REQUIRED", "ClientId": .string(client),
                "Session": begun["Session"] ?? .null,
                "ChallengeResponses": ["USERNAME": "jane", "NEW_PASSWORD": "N3w-Passw0rd"],
            ])
    }

    @Test("a session of an administrator's sign-in is valid neither at the hosted pages nor for everybody")
    func channels() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(client: Self.settings)
        try await stage.get(
            "AdminCreateUser",
            [
                "UserPoolId": .string(pool), "Username": "jane", "TemporaryPassword": "Temp-0rary",
                "MessageAction": "SUPPRESS",
            ])
        let query = "client_id=\(client)&response_type=code&scope=openid&redirect_uri=myapp%3A%2F%2Fcallback%2F"
        func begin(_ operation: String, _ flow: JSONValue) async throws -> String {
            let begun = try await stage.get(
                operation,
                [
                    "UserPoolId": .string(pool), "ClientId": .string(client), "AuthFlow": flow,
                    "AuthParameters": ["USERNAME": "jane", "PASSWORD": "Temp-0rary"],
                ])
            return try #require(begun["Session"]?.stringValue)
        }
        let administration = try await begin("AdminInitiateAuth", "ADMIN_USER_PASSWORD_AUTH")
        let api = try await begin("InitiateAuth", "USER_PASSWORD_AUTH")
        let browser = TestBrowser(stage.pools)
        for session in [administration, api] {
            try await browser.open("/login?\(query)")
            let token = try #require(browser.formToken)
            try await browser.send(
                "POST", "/challenge?\(query)",
                [
                    "_csrf": token, "challenge": "NEW_PASSWORD_REQUIRED", "session": session,
                    "password": "N3w-Passw0rd", "username": "jane",
                ])
            #expect(browser.left == nil && browser.html.contains("Invalid session for the user."))
        }
        try await browser.open("/login?\(query)")
        try await browser.submit(["username": "jane", "password": "Temp-0rary"])
        let parts = browser.html.components(separatedBy: "name=\"session\" value=\"")
        let hosted = String(try #require(parts.last).prefix { $0 != "\"" })
        func answer(_ operation: String, _ session: String) async -> Result<JSONObject, CognitoError> {
            await stage.call(
                operation,
                [
                    "UserPoolId": .string(pool), "ChallengeName": "NEW_PASSWORD_REQUIRED", "ClientId": .string(client),
                    "Session": .string(session),
                    "ChallengeResponses": ["USERNAME": "jane", "NEW_PASSWORD": "N3w-Passw0rd"],
                ])
        }
        for session in [administration, hosted] {
            #expect(await answer("RespondToAuthChallenge", session).failureError?.name == "NotAuthorizedException")
        }
        #expect(await answer("AdminRespondToAuthChallenge", hosted).failureError?.name == "NotAuthorizedException")
        _ = try await answer("AdminRespondToAuthChallenge", administration).get()
    }
}
