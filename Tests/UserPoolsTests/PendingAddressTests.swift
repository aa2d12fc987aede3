import JSON
import Synchronization
import Testing

@testable import UserPools

@Suite("Addresses that wait for their verification")
struct PendingAddressTests {
    private static let settings: JSONObject = [
        "AliasAttributes": ["email"], "AutoVerifiedAttributes": ["email"],
        "UserAttributeUpdateSettings": ["AttributesRequireVerificationBeforeUpdate": ["email"]],
    ]

    private struct Stage {
        let stage: PoolStage
        var pool = ""
        var client = ""
        var access = JSONValue.null

        init() async throws {
            stage = try PoolStage()
            (pool, client) = try await stage.makePool(PendingAddressTests.settings)
            try await stage.makeUser(
                "jane", in: pool,
                [["Name": "email", "Value": "old@example.com"], ["Name": "email_verified", "Value": "true"]])
            access = .string(try await stage.tokens("jane", client).access)
        }

        func update(_ email: String) async throws -> JSONValue? {
            try await stage.get(
                "UpdateUserAttributes",
                ["AccessToken": access, "UserAttributes": [["Name": "email", "Value": .string(email)]]]
            )["CodeDeliveryDetailsList"]
        }

        func verify(_ code: String) async -> CognitoError? {
            await stage.call(
                "VerifyUserAttribute",
                ["AccessToken": access, "AttributeName": "email", "Code": .string(code)]
            ).failureError
        }

        /// The address and whether it is verified.
        func email() async throws -> [String?] {
            let user = try await stage.get("GetUser", ["AccessToken": access])
            return ["email", "email_verified"].map { name in
                user["UserAttributes"]?.arrayValue?.first { $0["Name"] == .string(name) }?["Value"]?.stringValue
            }
        }

        func isFound(_ name: String) async -> Bool {
            await stage.call("AdminGetUser", ["UserPoolId": .string(pool), "Username": .string(name)]).failureError
                == nil
        }
    }

    @Test("the old address stays, verified and as an alias, until the code that went to the new one is confirmed")
    func update() async throws {
        let test = try await Stage()
        let details = try await test.update("new@example.com")
        #expect(details?.arrayValue?.first?["Destination"] == "n***@e***")
        #expect(test.stage.messages.list.withLock { $0.last?.recipient } == "new@example.com")
        #expect(try await test.email() == ["old@example.com", "true"])
        #expect(await test.isFound("old@example.com"))
        #expect(await test.verify("00000x")?.name == "CodeMismatchException")
        let first = test.stage.messages.lastCode
        try await test.stage.get(
            "GetUserAttributeVerificationCode", ["AccessToken": test.access, "AttributeName": "email"])
        #expect(test.stage.messages.list.withLock { $0.last?.recipient } == "new@example.com")
        if first != test.stage.messages.lastCode { #expect(await test.verify(first) != nil) }
        #expect(await test.verify(test.stage.messages.lastCode) == nil)
        #expect(try await test.email() == ["new@example.com", "true"])
        #expect(await test.isFound("new@example.com"))
        #expect(await !test.isFound("old@example.com"))
    }

    @Test("an address that is given up does not come by its code, and another one has a code of its own")
    func givenUp() async throws {
        let test = try await Stage()
        _ = try await test.update("one@example.com")
        let one = test.stage.messages.lastCode
        _ = try await test.update("old@example.com")
        #expect(await test.verify(one)?.name == "ExpiredCodeException")
        _ = try await test.update("two@example.com")
        #expect(await test.verify(test.stage.messages.lastCode) == nil)
        #expect(try await test.email() == ["two@example.com", "true"])
    }

    @Test("an administrator changes an address at once only as a verified one")
    func administration() async throws {
        let test = try await Stage()
        func update(_ attributes: JSONValue) async throws {
            try await test.stage.get(
                "AdminUpdateUserAttributes",
                ["UserPoolId": .string(test.pool), "Username": "jane", "UserAttributes": attributes])
        }
        try await update([["Name": "email", "Value": "new@example.com"]])
        #expect(try await test.email() == ["old@example.com", "true"])
        let code = test.stage.messages.lastCode
        try await update([["Name": "email", "Value": "two@example.com"], ["Name": "email_verified", "Value": "true"]])
        #expect(try await test.email() == ["two@example.com", "true"])
        #expect(await test.verify(code)?.name == "ExpiredCodeException")
    }

    @Test("that a new address is not verified is not said of the old one, which stays until the new one is")
    func unverifiedByAdministrator() async throws {
        let test = try await Stage()
        try await test.stage.get(
            "AdminUpdateUserAttributes",
            [
                "UserPoolId": .string(test.pool), "Username": "jane",
                "UserAttributes": [
                    ["Name": "email", "Value": "new@example.com"], ["Name": "email_verified", "Value": "false"],
                    ["Name": "name", "Value": "Jane"],
                ],
            ])
        #expect(try await test.email() == ["old@example.com", "true"])
        #expect(await test.isFound("old@example.com"))
        #expect(await test.verify(test.stage.messages.lastCode) == nil)
        #expect(try await test.email() == ["new@example.com", "true"])
    }

    @Test("an address to sign in with is not changed with the first password, and other attributes are")
    func firstPassword() async throws {
        let test = try await Stage()
        try await test.stage.get(
            "AdminSetUserPassword",
            ["UserPoolId": .string(test.pool), "Username": "jane", "Password": "Temp0rary!", "Permanent": false])
        let asked = try await test.stage.signIn("jane", test.client, password: "Temp0rary!").get()
        var answer: JSONObject = [
            "ClientId": .string(test.client), "ChallengeName": "NEW_PASSWORD_REQUIRED",
            "Session": try #require(asked["Session"]),
            "ChallengeResponses": [
                "USERNAME": "jane", "NEW_PASSWORD": "Passw0rd!", "userAttributes.email": "new@example.com",
            ],
        ]
        let sent = test.stage.messages.count
        await test.stage.expect(
            "InvalidParameterException", "Cannot modify an already provided email", "RespondToAuthChallenge", answer)
        // What a user has may be sent back, as the challenge gave it.
        answer["ChallengeResponses"] = [
            "USERNAME": "jane", "NEW_PASSWORD": "Passw0rd!", "userAttributes.email": "old@example.com",
            "userAttributes.name": "Jane",
        ]
        var signedIn = test
        signedIn.access = .string(try Tokens(try await test.stage.get("RespondToAuthChallenge", answer)).access)
        #expect(try await signedIn.email() == ["old@example.com", "true"])
        #expect(await !test.isFound("new@example.com"))
        #expect(test.stage.messages.count == sent)
    }

    @Test("an address waits only where the pool verifies it, whatever the setting names")
    func settingsAndVerification() async throws {
        let test = try await Stage()
        // Settings that an earlier version stored may contradict each other.
        var pool = try #require(test.stage.pools.directory.pool(test.pool))
        pool.autoVerifiedAttributes = []
        test.stage.pools.directory.set(pool)
        let sent = test.stage.messages.count
        #expect(try await test.update("new@example.com")?.arrayValue ?? [] == [])
        #expect(try await test.email() == ["new@example.com", "false"])
        #expect(test.stage.messages.count == sent)
    }

    @Test(
        "an address that waits is given up with the attribute",
        arguments: ["DeleteUserAttributes", "AdminDeleteUserAttributes"])
    func removal(_ operation: String) async throws {
        let test = try await Stage()
        _ = try await test.update("new@example.com")
        let code = test.stage.messages.lastCode
        var body: JSONObject = ["UserAttributeNames": ["email"]]
        if operation.hasPrefix("Admin") {
            (body["UserPoolId"], body["Username"]) = (.string(test.pool), "jane")
        } else {
            body["AccessToken"] = test.access
        }
        try await test.stage.get(operation, body)
        #expect(await test.verify(code)?.name == "ExpiredCodeException")
        #expect(try await test.email() == [nil, nil])
        await test.stage.expect(
            "InvalidParameterException", nil, "GetUserAttributeVerificationCode",
            ["AccessToken": test.access, "AttributeName": "email"])
        #expect(await !test.isFound("new@example.com"))
    }

    @Test(
        "an address that waits is given up with a new password",
        arguments: ["AdminSetUserPassword", "ChangePassword", "ConfirmForgotPassword", "AdminUserGlobalSignOut"])
    func newPassword(_ operation: String) async throws {
        var test = try await Stage()
        _ = try await test.update("new@example.com")
        let code = test.stage.messages.lastCode
        let user: JSONObject = ["UserPoolId": .string(test.pool), "Username": "jane"]
        var password = "N3wPassw0rd!"
        switch operation {
        case "AdminSetUserPassword":
            try await test.stage.get(
                operation, user.merging(["Password": .string(password), "Permanent": true]))
        case "ChangePassword":
            try await test.stage.get(
                operation,
                [
                    "AccessToken": test.access, "PreviousPassword": "Passw0rd!", "ProposedPassword": .string(password),
                ])
        case "ConfirmForgotPassword":
            let named: JSONObject = ["ClientId": .string(test.client), "Username": "jane"]
            try await test.stage.get("ForgotPassword", named)
            try await test.stage.get(
                operation,
                named.merging([
                    "ConfirmationCode": .string(test.stage.messages.lastCode), "Password": .string(password),
                ]))
        default:
            try await test.stage.get(operation, user)
            password = "Passw0rd!"
        }
        test.access = .string(try await test.stage.tokens("jane", test.client, password: password).access)
        #expect(await test.verify(code)?.name == "ExpiredCodeException")
        try await test.stage.get(
            "GetUserAttributeVerificationCode", ["AccessToken": test.access, "AttributeName": "email"])
        #expect(test.stage.messages.list.withLock { $0.last?.recipient } == "old@example.com")
        #expect(await test.verify(code) != nil)
        #expect(try await test.email() == ["old@example.com", "true"])
    }

    @Test("the setting is described, and names only addresses that the pool verifies")
    func settings() async throws {
        let test = try await Stage()
        let pool = try await test.stage.get("DescribeUserPool", ["UserPoolId": .string(test.pool)])
        #expect(
            pool["UserPool"]?["UserAttributeUpdateSettings"]
                == ["AttributesRequireVerificationBeforeUpdate": ["email"]])
        var wrong = Self.settings
        (wrong["PoolName"], wrong["AutoVerifiedAttributes"]) = ("x", [])
        await test.stage.expect("InvalidParameterException", nil, "CreateUserPool", wrong)
    }
}

extension JSONObject {
    fileprivate func merging(_ others: JSONObject) -> JSONObject {
        var merged = self
        for (name, value) in others { merged[name] = value }
        return merged
    }
}
