import JSON
import Testing

@testable import UserPools

@Suite("Sign-in")
struct SignInTests {
    @Test("the state of a user is looked at before the password, in every flow")
    func states() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        let named: JSONObject = ["UserPoolId": .string(pool), "Username": "jane"]
        func failures() async throws -> [String?] {
            let password = await stage.signIn("jane", client, password: "wrong")
            let srp = await stage.call(
                "InitiateAuth",
                [
                    "AuthFlow": "USER_SRP_AUTH", "ClientId": .string(client),
                    "AuthParameters": ["USERNAME": "jane", "SRP_A": "abc"],
                ])
            return [password, srp].map { $0.mapError(CognitoErrorBox.init).failure }
        }
        try await stage.get("AdminDisableUser", named)
        #expect(try await failures() == Array(repeating: "NotAuthorizedException: User is disabled.", count: 2))
        try await stage.get("AdminEnableUser", named)
        await stage.expect(
            "InvalidParameterException", nil, "AdminResetUserPassword", named)
        try await stage.get(
            "AdminUpdateUserAttributes",
            [
                "UserPoolId": .string(pool), "Username": "jane",
                "UserAttributes": [
                    ["Name": "email", "Value": "j@example.com"], ["Name": "email_verified", "Value": "True"],
                ],
            ])
        try await stage.get("AdminResetUserPassword", named)
        #expect(
            try await failures()
                == Array(
                    repeating: "PasswordResetRequiredException: Password reset required for the user", count: 2))
        try await stage.get(
            "ConfirmForgotPassword",
            [
                "ClientId": .string(client), "Username": "jane", "Password": "N3w-Passw0rd",
                "ConfirmationCode": .string(stage.messages.lastCode),
            ])
        _ = try await stage.tokens("jane", client, password: "N3w-Passw0rd")
    }

    @Test("a temporary password asks for a new one, by SRP as well, and ends after days")
    func temporary() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([
            "Schema": [["Name": "email", "Required": true, "AttributeDataType": "String"]]
        ])
        try await stage.get(
            "AdminCreateUser",
            [
                "UserPoolId": .string(pool), "Username": "jane", "TemporaryPassword": "Temp-0rary",
                "MessageAction": "SUPPRESS",
            ])
        let srp = try SRPClient()
        let result = try await srp.signIn(stage, "jane", "Temp-0rary", pool: pool, client: client).get()
        #expect(result["ChallengeName"] == "NEW_PASSWORD_REQUIRED")
        #expect(
            result["ChallengeParameters"]?["requiredAttributes"]?.stringValue?.contains("userAttributes.email") == true)
        var answer: JSONObject = [
            "ChallengeName": "NEW_PASSWORD_REQUIRED", "ClientId": .string(client),
            "Session": result["Session"] ?? .null,
            "ChallengeResponses": ["USERNAME": "jane", "NEW_PASSWORD": "N3w-Passw0rd"],
        ]
        await stage.expect("InvalidParameterException", nil, "RespondToAuthChallenge", answer)
        answer["ChallengeResponses"] = [
            "USERNAME": "jane", "NEW_PASSWORD": "N3w-Passw0rd", "userAttributes.email": "j@example.com",
        ]
        let done = try await stage.get("RespondToAuthChallenge", answer)
        #expect(done["AuthenticationResult"]?["AccessToken"] != nil)
        await stage.expect(
            "NotAuthorizedException", "Invalid session for the user, session can only be used once.",
            "RespondToAuthChallenge", answer)
        try await stage.get(
            "AdminSetUserPassword", ["UserPoolId": .string(pool), "Username": "jane", "Password": "Temp-0rary"])
        stage.time.advance(seconds: 8 * 86_400)
        let late = await stage.signIn("jane", client, password: "Temp-0rary")
        #expect(
            late.mapError(CognitoErrorBox.init).failure
                == "NotAuthorizedException: Temporary password has expired and must be reset by an administrator.")
    }

    @Test("a proof is verified: wrong password, altered block, replay, another client, another time")
    func proofs() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        let other = try await stage.get(
            "CreateUserPoolClient", ["UserPoolId": .string(pool), "ClientName": "other"])
        let otherClient = try #require(other["UserPoolClient"]?["ClientId"]?.stringValue)
        let srp = try SRPClient()
        let wrong = "NotAuthorizedException: Incorrect username or password."
        func begin() async throws -> (challenge: JSONObject, a: JSONValue) {
            let begun = try srp.ask(["op": "begin"])
            let challenge = try await stage.get(
                "InitiateAuth",
                [
                    "AuthFlow": "USER_SRP_AUTH", "ClientId": .string(client),
                    "AuthParameters": ["USERNAME": "jane", "SRP_A": begun["A"] ?? .null],
                ])
            #expect(challenge["Session"] == nil)
            return (challenge, begun["a"] ?? .null)
        }
        let (first, a) = try await begin()
        let good = try await srp.answer(first, stage, "Passw0rd!", a: a, pool: pool, client: client)
        #expect(try good.get()["AuthenticationResult"] != nil)
        let replayed = try await srp.answer(first, stage, "Passw0rd!", a: a, pool: pool, client: client)
        #expect(replayed.failure == wrong)
        for change: @Sendable (inout JSONObject) -> Void in [
            { $0["PASSWORD_CLAIM_SECRET_BLOCK"] = "AAAA" }, { $0["PASSWORD_CLAIM_SIGNATURE"] = "AAAA" },
            { $0["TIMESTAMP"] = "Sat Nov 1 09:05:03 UTC 2025" }, { $0["PASSWORD_CLAIM_SIGNATURE"] = "" },
        ] {
            stage.time.advance(seconds: 60)
            let (challenge, a) = try await begin()
            let result = try await srp.answer(
                challenge, stage, "Passw0rd!", a: a, pool: pool, client: client, change: change)
            #expect(result.failure == wrong)
        }
        stage.time.advance(seconds: 60)
        let (second, b) = try await begin()
        #expect(
            try await srp.answer(second, stage, "Passw0rd!", a: b, pool: pool, client: otherClient).failure == wrong)
        stage.time.advance(seconds: 181)
        #expect(try await srp.answer(second, stage, "Passw0rd!", a: b, pool: pool, client: client).failure == wrong)
    }

    @Test("nobody learns which users exist where the client prevents it")
    func existence() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([:], client: ["PreventUserExistenceErrors": "ENABLED"])
        let srp = try SRPClient()
        let first = try await stage.get(
            "InitiateAuth",
            [
                "AuthFlow": "USER_SRP_AUTH", "ClientId": .string(client),
                "AuthParameters": ["USERNAME": "nobody", "SRP_A": "abc"],
            ])
        let second = try await stage.get(
            "InitiateAuth",
            [
                "AuthFlow": "USER_SRP_AUTH", "ClientId": .string(client),
                "AuthParameters": ["USERNAME": "nobody", "SRP_A": "abd"],
            ])
        #expect(first["ChallengeParameters"]?["SALT"] == second["ChallengeParameters"]?["SALT"])
        #expect(first["ChallengeParameters"]?["SRP_B"] != second["ChallengeParameters"]?["SRP_B"])
        let wrong = "NotAuthorizedException: Incorrect username or password."
        #expect(try await srp.signIn(stage, "nobody", "x", pool: pool, client: client).failure == wrong)
        #expect(await stage.signIn("nobody", client).mapError(CognitoErrorBox.init).failure == wrong)
        let named: JSONObject = ["ClientId": .string(client), "Username": "nobody"]
        #expect(try await stage.get("ForgotPassword", named)["CodeDeliveryDetails"] != nil)
        #expect(
            try await stage.get("ForgotPassword", named)["CodeDeliveryDetails"]
                == stage.get("ForgotPassword", named)["CodeDeliveryDetails"])
        var confirm = named
        confirm["ConfirmationCode"] = "123456"
        await stage.expect("ExpiredCodeException", nil, "ConfirmSignUp", confirm)
        try await stage.get("ResendConfirmationCode", named)
        await stage.expect("CodeMismatchException", nil, "ConfirmSignUp", confirm)
        #expect(stage.messages.count == 0)
    }

    @Test("a client says so where it does not prevent it")
    func legacy() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool()
        #expect(
            await stage.signIn("nobody", client).mapError(CognitoErrorBox.init).failure
                == "UserNotFoundException: User does not exist.")
        await stage.expect(
            "UserNotFoundException", "Username/client id combination not found.", "ForgotPassword",
            ["ClientId": .string(client), "Username": "nobody"])
    }

    @Test("after five wrong passwords a user is locked, for longer each time")
    func lock() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        for _ in 0..<5 { _ = await stage.signIn("jane", client, password: "wrong") }
        let locked = "NotAuthorizedException: Password attempts exceeded"
        #expect(await stage.signIn("jane", client).mapError(CognitoErrorBox.init).failure == locked)
        stage.time.advance(seconds: 1)
        _ = await stage.signIn("jane", client, password: "wrong")
        stage.time.advance(seconds: 1)
        #expect(await stage.signIn("jane", client).mapError(CognitoErrorBox.init).failure == locked)
        stage.time.advance(seconds: 1)
        _ = try await stage.tokens("jane", client)
    }

    @Test("a client with a secret proves it")
    func secretHash() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        let made = try await stage.get(
            "CreateUserPoolClient",
            [
                "UserPoolId": .string(pool), "ClientName": "secret", "GenerateSecret": true,
                "ExplicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
            ])
        let client = try #require(made["UserPoolClient"]?["ClientId"]?.stringValue)
        let secret = try #require(made["UserPoolClient"]?["ClientSecret"]?.stringValue)
        try await stage.makeUser("jane", in: pool)
        func body(_ hash: JSONValue?) -> JSONObject {
            var parameters: JSONObject = ["USERNAME": "jane", "PASSWORD": "Passw0rd!"]
            parameters["SECRET_HASH"] = hash
            return [
                "AuthFlow": "USER_PASSWORD_AUTH", "ClientId": .string(client), "AuthParameters": .object(parameters),
            ]
        }
        await stage.expect(
            "NotAuthorizedException", "Client \(client) is configured with secret but SECRET_HASH was not received",
            "InitiateAuth", body(nil))
        await stage.expect(
            "NotAuthorizedException", "Unable to verify secret hash for client \(client)", "InitiateAuth", body("x"))
        let hash = OperationCall.secretHash(of: "jane", client, secret)
        let tokens = try Tokens(try await stage.get("InitiateAuth", body(.string(hash))))
        let claims = try Tokens.claims(tokens.access)
        let sub = try #require(claims["sub"]?.stringValue)
        for name in ["jane", sub] {
            try await stage.get(
                "InitiateAuth",
                [
                    "AuthFlow": "REFRESH_TOKEN_AUTH", "ClientId": .string(client),
                    "AuthParameters": [
                        "REFRESH_TOKEN": .string(tokens.refresh),
                        "SECRET_HASH": .string(OperationCall.secretHash(of: name, client, secret)),
                    ],
                ])
        }
        await stage.expect(
            "NotAuthorizedException", nil, "GetTokensFromRefreshToken",
            ["RefreshToken": .string(tokens.refresh), "ClientId": .string(client)])
        try await stage.get(
            "GetTokensFromRefreshToken",
            ["RefreshToken": .string(tokens.refresh), "ClientId": .string(client), "ClientSecret": .string(secret)])
    }

    @Test("flows that a client does not allow are refused, and unknown ones")
    func flows() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool([:], client: ["ExplicitAuthFlows": ["ALLOW_REFRESH_TOKEN_AUTH"]])
        for flow in ["USER_SRP_AUTH", "USER_PASSWORD_AUTH", "CUSTOM_AUTH", "USER_AUTH"] {
            await stage.expect(
                "InvalidParameterException", "\(flow) flow not enabled for this client", "InitiateAuth",
                ["AuthFlow": .string(flow), "ClientId": .string(client), "AuthParameters": ["USERNAME": "x"]])
        }
        await stage.expect(
            "InvalidParameterException", nil, "InitiateAuth", ["AuthFlow": "NONE", "ClientId": .string(client)])
        await stage.expect(
            "ResourceNotFoundException", "User pool client none does not exist.", "InitiateAuth",
            ["AuthFlow": "USER_SRP_AUTH", "ClientId": "none"])
    }

    @Test("devices: a confirmed device signs in by its own password, an unknown one is reported as such")
    func devices() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([
            "DeviceConfiguration": ["ChallengeRequiredOnNewDevice": true, "DeviceOnlyRememberedOnUserPrompt": false]
        ])
        try await stage.makeUser("jane", in: pool)
        let srp = try SRPClient()
        let first = try await srp.signIn(stage, "jane", "Passw0rd!", pool: pool, client: client).get()
        let tokens = try Tokens(first)
        let device = try #require(first["AuthenticationResult"]?["NewDeviceMetadata"])
        let (key, group) = (device["DeviceKey"] ?? .null, device["DeviceGroupKey"] ?? .null)
        let verifier = try srp.ask(["op": "verifier", "group": group, "key": key, "password": "device-password"])
        let confirmed = try await stage.get(
            "ConfirmDevice",
            ["AccessToken": .string(tokens.access), "DeviceKey": key, "DeviceSecretVerifierConfig": verifier])
        #expect(confirmed["UserConfirmationNecessary"] == false)
        let challenge = try await srp.signIn(
            stage, "jane", "Passw0rd!", pool: pool, client: client, parameters: ["DEVICE_KEY": key]
        ).get()
        #expect(challenge["ChallengeName"] == "DEVICE_SRP_AUTH")
        let begun = try srp.ask(["op": "begin"])
        let second = try await stage.get(
            "RespondToAuthChallenge",
            [
                "ChallengeName": "DEVICE_SRP_AUTH", "ClientId": .string(client),
                "Session": challenge["Session"] ?? .null,
                "ChallengeResponses": ["USERNAME": "jane", "DEVICE_KEY": key, "SRP_A": begun["A"] ?? .null],
            ])
        #expect(second["ChallengeName"] == "DEVICE_PASSWORD_VERIFIER")
        let given = try #require(second["ChallengeParameters"])
        func answer(_ password: JSONValue) throws -> JSONObject {
            let signed = try srp.ask([
                "op": "device", "group": group, "key": key, "password": password, "salt": given["SALT"] ?? .null,
                "B": given["SRP_B"] ?? .null, "a": begun["a"] ?? .null, "block": given["SECRET_BLOCK"] ?? .null,
                "time": .string(stage.timestamp),
            ])
            return [
                "ChallengeName": "DEVICE_PASSWORD_VERIFIER", "ClientId": .string(client),
                "Session": second["Session"] ?? .null,
                "ChallengeResponses": [
                    "USERNAME": "jane", "DEVICE_KEY": key,
                    "PASSWORD_CLAIM_SECRET_BLOCK": given["SECRET_BLOCK"] ?? .null,
                    "PASSWORD_CLAIM_SIGNATURE": signed["signature"] ?? .null, "TIMESTAMP": .string(stage.timestamp),
                ],
            ]
        }
        let done = try await stage.get("RespondToAuthChallenge", try answer("device-password"))
        #expect(try Tokens.claims(try Tokens(done).access)["device_key"] == key)
        await stage.expect("NotAuthorizedException", nil, "RespondToAuthChallenge", try answer("device-password"))
        // What was begun is of one client, and ends with a sign-out everywhere.
        let other = try await stage.get(
            "CreateUserPoolClient", ["UserPoolId": .string(pool), "ClientName": "other"])
        func begin() async throws -> JSONObject {
            try await srp.signIn(
                stage, "jane", "Passw0rd!", pool: pool, client: client, parameters: ["DEVICE_KEY": key]
            )
            .get()
        }
        func continued(_ client: JSONValue) -> JSONObject {
            [
                "ChallengeName": "DEVICE_SRP_AUTH", "ClientId": client,
                "ChallengeResponses": ["USERNAME": "jane", "DEVICE_KEY": key, "SRP_A": begun["A"] ?? .null],
            ]
        }
        _ = try await begin()
        await stage.expect(
            "InvalidParameterException", nil, "RespondToAuthChallenge",
            continued(other["UserPoolClient"]?["ClientId"] ?? .null))
        _ = try await begin()
        let user: JSONObject = ["UserPoolId": .string(pool), "Username": "jane"]
        let pending = try await stage.get("RespondToAuthChallenge", continued(.string(client)))
        let params = try #require(pending["ChallengeParameters"])
        try await stage.get("AdminUserGlobalSignOut", user)
        let signed = try srp.ask([
            "op": "device", "group": group, "key": key, "password": "device-password", "salt": params["SALT"] ?? .null,
            "B": params["SRP_B"] ?? .null, "a": begun["a"] ?? .null, "block": params["SECRET_BLOCK"] ?? .null,
            "time": .string(stage.timestamp),
        ])
        await stage.expect(
            "NotAuthorizedException", nil, "RespondToAuthChallenge",
            [
                "ChallengeName": "DEVICE_PASSWORD_VERIFIER", "ClientId": .string(client),
                "ChallengeResponses": [
                    "USERNAME": "jane", "DEVICE_KEY": key,
                    "PASSWORD_CLAIM_SECRET_BLOCK": params["SECRET_BLOCK"] ?? .null,
                    "PASSWORD_CLAIM_SIGNATURE": signed["signature"] ?? .null, "TIMESTAMP": .string(stage.timestamp),
                ],
            ])
        let renewed = try await srp.signIn(stage, "jane", "Passw0rd!", pool: pool, client: client).get()
        let tokensAfter = try Tokens(renewed)
        let listed = try await stage.get("ListDevices", ["AccessToken": .string(tokensAfter.access)])
        #expect(listed["Devices"]?.arrayValue?.first?["DeviceKey"] == key)
        try await stage.get("ForgetDevice", ["AccessToken": .string(tokensAfter.access), "DeviceKey": key])
        let forgotten = try await srp.signIn(
            stage, "jane", "Passw0rd!", pool: pool, client: client, parameters: ["DEVICE_KEY": key])
        #expect(forgotten.failure == "ResourceNotFoundException: Device does not exist.")
    }
}
