import JSON
import Testing

@testable import UserPools

@Suite("Sign-up")
struct SignUpTests {
    @Test("a user signs up, confirms with the code, and signs in")
    func signUp() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool(["AutoVerifiedAttributes": ["email"]])
        let body: JSONObject = [
            "ClientId": .string(client), "Username": "Jane", "Password": "Passw0rd!",
            "UserAttributes": [["Name": "email", "Value": "jane@example.com"]],
        ]
        let output = try await stage.get("SignUp", body)
        #expect(output["UserConfirmed"] == false)
        #expect(
            output["CodeDeliveryDetails"]
                == ["Destination": "j***@e***", "DeliveryMedium": "EMAIL", "AttributeName": "email"])
        await stage.expect("UsernameExistsException", "User already exists", "SignUp", body)
        let refused = await stage.signIn("Jane", client)
        #expect(refused.mapError(CognitoErrorBox.init).failure == "UserNotConfirmedException: User is not confirmed.")
        let confirm: JSONObject = ["ClientId": .string(client), "Username": "jane"]
        var wrong = confirm
        wrong["ConfirmationCode"] = "abcdef"
        await stage.expect(
            "CodeMismatchException", "Invalid verification code provided, please try again.", "ConfirmSignUp", wrong)
        var right = confirm
        right["ConfirmationCode"] = .string(stage.messages.lastCode)
        try await stage.get("ConfirmSignUp", right)
        await stage.expect(
            "NotAuthorizedException", "User cannot be confirmed. Current status is CONFIRMED", "ConfirmSignUp", right)
        await stage.expect("InvalidParameterException", "User is already confirmed.", "ResendConfirmationCode", confirm)
        let tokens = try await stage.tokens("JANE", client)
        let user = try await stage.get("GetUser", ["AccessToken": .string(tokens.access)])
        #expect(user["Username"] == "Jane")
        #expect(user["UserAttributes"]?.arrayValue?.first?["Name"] == "sub")
        let id = try Tokens.claims(tokens.id)
        #expect(id["email_verified"] == true)
        #expect(id["cognito:username"] == "Jane")
    }

    @Test("codes end after a day, and after five wrong ones")
    func codes() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool(["AutoVerifiedAttributes": ["email"]])
        let body: JSONObject = [
            "ClientId": .string(client), "Username": "jane", "Password": "Passw0rd!",
            "UserAttributes": [["Name": "email", "Value": "jane@example.com"]],
        ]
        try await stage.get("SignUp", body)
        var confirm: JSONObject = ["ClientId": .string(client), "Username": "jane", "ConfirmationCode": "x"]
        for _ in 0..<5 { await stage.expect("CodeMismatchException", nil, "ConfirmSignUp", confirm) }
        confirm["ConfirmationCode"] = .string(stage.messages.lastCode)
        await stage.expect("LimitExceededException", nil, "ConfirmSignUp", confirm)
        try await stage.get("ResendConfirmationCode", ["ClientId": .string(client), "Username": "jane"])
        stage.time.advance(seconds: 86_401)
        confirm["ConfirmationCode"] = .string(stage.messages.lastCode)
        await stage.expect("ExpiredCodeException", nil, "ConfirmSignUp", confirm)
    }

    @Test("people who sign in by mail are found by it, and have a user name that is their sub")
    func usernameAttributes() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool(
            ["UsernameAttributes": ["email"], "AutoVerifiedAttributes": ["email"]])
        let body: JSONObject = [
            "ClientId": .string(client), "Username": "jane@example.com", "Password": "Passw0rd!",
        ]
        let output = try await stage.get("SignUp", body)
        await stage.expect(
            "UsernameExistsException", "An account with the given email already exists.", "SignUp", body)
        var other = body
        other["Username"] = "jane"
        await stage.expect("InvalidParameterException", "Username should be an email.", "SignUp", other)
        try await stage.get(
            "ConfirmSignUp",
            [
                "ClientId": .string(client), "Username": "JANE@example.com",
                "ConfirmationCode": .string(stage.messages.lastCode),
            ])
        let claims = try Tokens.claims(try await stage.tokens("jane@example.com", client).access)
        #expect(claims["username"] == output["UserSub"])
    }

    @Test("an alias belongs to who verified it; another confirmation takes it only when forced")
    func aliases() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(
            ["AliasAttributes": ["email"], "AutoVerifiedAttributes": ["email"]])
        for name in ["one", "two"] {
            try await stage.get(
                "SignUp",
                [
                    "ClientId": .string(client), "Username": .string(name), "Password": "Passw0rd!",
                    "UserAttributes": [["Name": "email", "Value": "same@example.com"]],
                ])
            let confirm: JSONObject = [
                "ClientId": .string(client), "Username": .string(name),
                "ConfirmationCode": .string(stage.messages.lastCode),
            ]
            guard name == "two" else {
                try await stage.get("ConfirmSignUp", confirm)
                continue
            }
            await stage.expect(
                "AliasExistsException", "An account with the email already exists.", "ConfirmSignUp", confirm)
            var forced = confirm
            forced["ForceAliasCreation"] = true
            try await stage.get("ConfirmSignUp", forced)
        }
        let claims = try Tokens.claims(try await stage.tokens("same@example.com", client).access)
        #expect(claims["username"] == "two")
        let one = try await stage.get("AdminGetUser", ["UserPoolId": .string(pool), "Username": "one"])
        #expect("\(one)".contains("false"))
    }

    @Test(
        "a password that does not conform is refused with the first rule",
        arguments: [
            ("Aa1!", "Password not long enough"), ("AAAAAA1!", "Password must have lowercase characters"),
            ("aaaaaa1!", "Password must have uppercase characters"),
            ("aaaaaaA!", "Password must have numeric characters"),
            ("aaaaaaA1", "Password must have symbol characters"),
        ])
    func passwords(_ password: String, _ rule: String) async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool()
        await stage.expect(
            "InvalidPasswordException", "Password did not conform with policy: \(rule)", "SignUp",
            ["ClientId": .string(client), "Username": "jane", "Password": .string(password)])
    }

    @Test("required, unknown, forbidden and malformed attributes are refused")
    func attributes() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool([
            "Schema": [
                ["Name": "email", "Required": true, "AttributeDataType": "String"],
                [
                    "Name": "level", "AttributeDataType": "Number",
                    "NumberAttributeConstraints": ["MinValue": "1", "MaxValue": "9"],
                ],
            ]
        ])
        func body(_ attributes: JSONValue) -> JSONObject {
            ["ClientId": .string(client), "Username": "jane", "Password": "Passw0rd!", "UserAttributes": attributes]
        }
        await stage.expect(
            "InvalidParameterException",
            "Attributes did not conform to the schema: email: The attribute is required\n", "SignUp", body([]))
        let email: JSONValue = ["Name": "email", "Value": "j@example.com"]
        for (name, value) in [("custom:none", "1"), ("custom:level", "0"), ("custom:level", "x"), ("sub", "1")] {
            await stage.expect(
                "InvalidParameterException", nil, "SignUp",
                body([email, ["Name": .string(name), "Value": .string(value)]]))
        }
        await stage.expect(
            "NotAuthorizedException", "A client attempted to write unauthorized attribute", "SignUp",
            body([email, ["Name": "email_verified", "Value": "true"]]))
        await stage.expect(
            "InvalidParameterException", "Invalid email address format.", "SignUp",
            body([["Name": "email", "Value": "nobody"]]))
        try await stage.get("SignUp", body([email, ["Name": "custom:level", "Value": "9"]]))
    }

    @Test("sign-ups of an address and messages to a recipient are bounded")
    func bounds() async throws {
        var limits = UserPoolLimits()
        (limits.signUpsPerAddressPerHour, limits.messagesPerRecipientPerHour) = (3, 2)
        let stage = try PoolStage(limits: limits)
        let (_, client) = try await stage.makePool(["AutoVerifiedAttributes": ["email"]])
        func body(_ index: Int) -> JSONObject {
            [
                "ClientId": .string(client), "Username": .string("user\(index)"), "Password": "Passw0rd!",
                "UserAttributes": [["Name": "email", "Value": .string("u\(index)@example.com")]],
            ]
        }
        for index in 0..<3 { try await stage.get("SignUp", body(index)) }
        await stage.expect("LimitExceededException", nil, "SignUp", body(3))
        try await stage.get("ResendConfirmationCode", ["ClientId": .string(client), "Username": "user0"])
        await stage.expect(
            "LimitExceededException", nil, "ResendConfirmationCode", ["ClientId": .string(client), "Username": "user0"])
        stage.time.advance(seconds: 7_201)
        try await stage.get("SignUp", body(3))
    }

    @Test("users who never confirmed are removed after days")
    func unconfirmed() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.get(
            "SignUp", ["ClientId": .string(client), "Username": "late", "Password": "Passw0rd!"])
        try await stage.makeUser("stays", in: pool)
        stage.time.advance(seconds: 6 * 86_400)
        try await stage.pools.removeEnded()
        #expect(try await stage.get("ListUsers", ["UserPoolId": .string(pool)])["Users"]?.arrayValue?.count == 2)
        stage.time.advance(seconds: 2 * 86_400)
        try await stage.pools.removeEnded()
        let users = try await stage.get("ListUsers", ["UserPoolId": .string(pool)])["Users"]?.arrayValue
        #expect(users?.map { $0["Username"] } == ["stays"])
    }
}

extension Result {
    /// The error of a failure.
    var failureError: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension Result where Failure == CognitoErrorBox {
    /// The error as text.
    var failure: String? { failureError?.description }
}
