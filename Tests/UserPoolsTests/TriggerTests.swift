import JSON
import Testing

@testable import UserPools

@Suite("Responses of functions")
struct TriggerTests {
    private static let invalid = "InvalidLambdaResponseException"

    @Test(
        "a member of a wrong type is refused, and nothing is guessed of it",
        arguments: [
            ("PreSignUp", "autoConfirmUser", JSONValue("true")), ("PreSignUp", "autoVerifyEmail", 1),
            ("PreSignUp", "autoConfirmUser", .array(["true"])), ("CustomMessage", "emailMessage", 5),
            ("CustomMessage", "emailSubject", .string(String(repeating: "x", count: 141))),
            ("CustomMessage", "emailMessage", .string(String(repeating: "x", count: 20_001))),
        ])
    func signUp(_ trigger: String, _ member: String, _ value: JSONValue) async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool([
            "AutoVerifiedAttributes": ["email"], "LambdaConfig": [trigger: "function"],
        ])
        stage.functions.respond("function") { _ in [member: value] }
        await stage.expect(
            Self.invalid, nil, "SignUp",
            [
                "ClientId": .string(client), "Username": "jane", "Password": "Passw0rd!",
                "UserAttributes": [["Name": "email", "Value": "j@example.com"]],
            ])
    }

    @Test("members that are null are absent")
    func nulls() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool([
            "AutoVerifiedAttributes": ["email"], "LambdaConfig": ["PreSignUp": "sign-up", "CustomMessage": "message"],
        ])
        stage.functions.respond("sign-up") { _ in ["autoConfirmUser": nil, "autoVerifyEmail": nil] }
        stage.functions.respond("message") { _ in ["emailMessage": nil, "emailSubject": nil, "smsMessage": nil] }
        try await stage.get(
            "SignUp",
            [
                "ClientId": .string(client), "Username": "jane", "Password": "Passw0rd!",
                "UserAttributes": [["Name": "email", "Value": "j@example.com"]],
            ])
        #expect(stage.messages.count == 1)
    }

    @Test(
        "CUSTOM_AUTH fails where a function's decision is not one",
        arguments: [
            ["issueTokens": "true"], ["failAuthentication": "true", "challengeName": "CUSTOM_CHALLENGE"],
            ["issueTokens": 1], ["challengeName": ["CUSTOM_CHALLENGE"]], ["challengeName": "PASSWORD_VERIFIER"], [:],
            ["publicChallengeParameters": ["a": ["b": "c"]]], ["privateChallengeParameters": "x"],
            ["challengeMetadata": 7], ["answerCorrect": "true"],
            ["privateChallengeParameters": ["a": .string(String(repeating: "x", count: 5_000))]],
        ] as [JSONObject])
    func custom(_ response: JSONObject) async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([
            "LambdaConfig": [
                "DefineAuthChallenge": "define", "CreateAuthChallenge": "create",
                "VerifyAuthChallengeResponse": "verify",
            ]
        ])
        try await stage.makeUser("jane", in: pool)
        let isDecision = ["issueTokens", "failAuthentication", "challengeName"].contains { response[$0] != nil }
        stage.functions.respond("define") { event in
            if isDecision || response.isEmpty { return response }
            let last = event["request"]?["session"]?.arrayValue?.last
            return last?["challengeResult"] == true
                ? ["issueTokens": true] : ["challengeName": "CUSTOM_CHALLENGE"]
        }
        stage.functions.respond("create") { _ in response["answerCorrect"] == nil ? response : [:] }
        stage.functions.respond("verify") { _ in response }
        let begun = await stage.call(
            "InitiateAuth",
            ["AuthFlow": "CUSTOM_AUTH", "ClientId": .string(client), "AuthParameters": ["USERNAME": "jane"]])
        guard response["answerCorrect"] != nil else {
            #expect(begun.failureError?.name == Self.invalid)
            return
        }
        await stage.expect(
            Self.invalid, nil, "RespondToAuthChallenge",
            [
                "ChallengeName": "CUSTOM_CHALLENGE", "ClientId": .string(client),
                "Session": try begun.get()["Session"] ?? .null,
                "ChallengeResponses": ["USERNAME": "jane", "ANSWER": "x"],
            ])
    }

    @Test(
        "a migrated user is what the function says, or is not made",
        arguments: [
            ["userAttributes": "all"], ["userAttributes": ["email": ["a@example.com"]]],
            ["userAttributes": [:], "finalUserStatus": "COMPROMISED"],
            ["userAttributes": [:], "finalUserStatus": true], ["userAttributes": [:], "forceAliasCreation": "yes"],
        ] as [JSONObject])
    func migration(_ response: JSONObject) async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(["LambdaConfig": ["UserMigration": "migrate"]])
        stage.functions.respond("migrate") { _ in response }
        #expect(await stage.signIn("old", client).failureError?.name == Self.invalid)
        let users = try await stage.get("ListUsers", ["UserPoolId": .string(pool)])
        #expect(users["Users"] == [])
    }

    @Test("a migrated user has a name that users can have, and a sub of this server")
    func migratedNames() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool(["LambdaConfig": ["UserMigration": "migrate"]])
        stage.functions.respond("migrate") { _ in
            ["userAttributes": ["username": "a\u{202E}b", "sub": "x", "email": "a@example.com"]]
        }
        #expect(await stage.signIn("old", client).failureError?.name == "InvalidParameterException")
        stage.functions.respond("migrate") { _ in ["userAttributes": ["sub": "x", "nickname": 7]] }
        let claims = try Tokens.claims(try await stage.tokens("old", client).id)
        #expect(claims["sub"]?.stringValue?.count == 36 && claims["nickname"] == "7")
    }

    /// What a function answers to PreTokenGeneration of the version 2.
    private static func signIn(_ details: JSONValue) async throws -> Result<JSONObject, CognitoError> {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool([
            "LambdaConfig": ["PreTokenGenerationConfig": ["LambdaArn": "claims", "LambdaVersion": "V2_0"]]
        ])
        try await stage.makeUser("jane", in: pool)
        for group in ["staff", "editors"] {
            try await stage.get("CreateGroup", ["UserPoolId": .string(pool), "GroupName": .string(group)])
            try await stage.get(
                "AdminAddUserToGroup",
                ["UserPoolId": .string(pool), "Username": "jane", "GroupName": .string(group)])
        }
        stage.functions.respond("claims") { _ in ["claimsAndScopeOverrideDetails": details] }
        let result = await stage.signIn("jane", client)
        if case .success(let output) = result {
            let tokens = try Tokens(output)
            for token in [tokens.access, tokens.id] {
                let identity = try await stage.pools.authenticate(token)
                #expect(identity.username == "jane" && identity.poolID == pool)
            }
            try await stage.get("GetUser", ["AccessToken": .string(tokens.access)])
        }
        return result
    }

    @Test(
        "PreTokenGeneration cannot replace a claim that the server makes",
        arguments: [
            "sub", "iss", "exp", "iat", "aud", "token_use", "cognito:username", "username", "client_id", "origin_jti",
            "jti", "auth_time", "scope", "cognito:groups", "cognito:roles", "cognito:preferred_role", "event_id",
        ])
    func reserved(_ claim: String) async throws {
        let changes: JSONValue = [
            "claimsToAddOrOverride": [claim: ["admin", 1, [:]]], "claimsToSuppress": [.string(claim)],
        ]
        let result = try await Self.signIn(["idTokenGeneration": changes, "accessTokenGeneration": changes])
        let tokens = try Tokens(try result.get())
        for token in [tokens.access, tokens.id] {
            #expect(try Tokens.claims(token)[claim] != ["admin", 1, [:]])
        }
        #expect(try Tokens.claims(tokens.access)["cognito:groups"] == ["editors", "staff"])
    }

    @Test(
        "claims, scopes and groups of wrong types are refused",
        arguments: [
            "text", ["idTokenGeneration": 1], ["accessTokenGeneration": ["claimsToAddOrOverride": ["a"]]],
            ["accessTokenGeneration": ["scopesToAdd": "admin"]], ["accessTokenGeneration": ["scopesToAdd": ["a b"]]],
            ["accessTokenGeneration": ["scopesToAdd": ["a\nb"]]], ["accessTokenGeneration": ["scopesToAdd": [""]]],
            ["accessTokenGeneration": ["scopesToSuppress": [1]]],
            ["groupOverrideDetails": ["groupsToOverride": "staff"]],
            ["groupOverrideDetails": ["groupsToOverride": ["staff", 1]]],
            ["groupOverrideDetails": ["groupsToOverride": ["a\u{85}b"]]],
            ["groupOverrideDetails": ["preferredRole": ["arn"]]], ["groupOverrideDetails": [1]],
            ["groupOverrideDetails": ["iamRolesToOverride": [[:]]]],
            [
                "accessTokenGeneration": [
                    "claimsToAddOrOverride": ["big": .string(String(repeating: "x", count: 20_000))]
                ]
            ],
        ] as [JSONValue])
    func wrongTypes(_ details: JSONValue) async throws {
        #expect(try await Self.signIn(details).failureError?.name == Self.invalid)
    }

    @Test("an empty override of groups removes them, and none leaves them")
    func groups() async throws {
        let cases: [(JSONValue, JSONValue?)] = [
            (["groupOverrideDetails": [:]], nil), (["groupOverrideDetails": nil], nil),
            (["groupOverrideDetails": ["groupsToOverride": ["x"]]], ["x"]), (nil, ["editors", "staff"]),
            ([:], ["editors", "staff"]),
        ]
        for (details, expected) in cases {
            let tokens = try Tokens(try await Self.signIn(details).get())
            for token in [tokens.access, tokens.id] {
                #expect(try Tokens.claims(token)["cognito:groups"] == expected, "\(details)")
            }
        }
    }
}
