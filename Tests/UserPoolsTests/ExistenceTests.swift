import JSON
import Synchronization
import Tables
import Testing

@testable import UserPools

/// Clients with `PreventUserExistenceErrors`: whatever is asked, known and unknown users are answered alike.
@Suite("Prevention of user existence errors")
struct ExistenceTests {
    private static let client: JSONObject = ["PreventUserExistenceErrors": "ENABLED"]

    /// A pool with users in every state; `nobody` is none of them.
    private static func makeStage(
        _ settings: JSONObject = [:], limits: UserPoolLimits = UserPoolLimits()
    ) async throws -> (stage: PoolStage, pool: String, client: String) {
        let stage = try PoolStage(limits: limits)
        var all: JSONObject = ["AutoVerifiedAttributes": ["email"]]
        for (name, value) in settings { all[name] = value }
        let (pool, client) = try await stage.makePool(all, client: Self.client)
        for name in ["known", "disabled", "reset"] {
            try await stage.makeUser(
                name, in: pool,
                [
                    ["Name": "email", "Value": .string("\(name)@example.com")],
                    ["Name": "email_verified", "Value": "true"],
                ])
        }
        try await stage.makeUser("addressless", in: pool)
        try await stage.get(
            "AdminCreateUser",
            ["UserPoolId": .string(pool), "Username": "invited", "MessageAction": "SUPPRESS"])
        try await stage.get(
            "SignUp",
            [
                "ClientId": .string(client), "Username": "unconfirmed", "Password": "Passw0rd!",
                "UserAttributes": [["Name": "email", "Value": "u@example.com"]],
            ])
        try await stage.get("AdminDisableUser", ["UserPoolId": .string(pool), "Username": "disabled"])
        try await stage.get(
            "AdminResetUserPassword", ["UserPoolId": .string(pool), "Username": "reset"])
        return (stage, pool, client)
    }

    private static let names = [
        "nobody", "known", "disabled", "reset", "addressless", "invited", "unconfirmed",
    ]

    /// The form of an answer: letters of a masked address differ.
    private static func form(_ result: Result<JSONObject, CognitoError>) -> String {
        switch result {
        case .failure(let error): return CognitoErrorBox(error).description
        case .success(let output):
            let details = output["CodeDeliveryDetails"]
            let destination = details?["Destination"]?.stringValue ?? ""
            return
                "\(details?["DeliveryMedium"] ?? .null) \(String(destination.map { $0.isLetter ? "x" : $0 }))"
        }
    }

    @Test("wrong passwords are answered alike, and lock all names alike", arguments: names)
    func lock(_ name: String) async throws {
        let (stage, _, client) = try await Self.makeStage()
        let wrong = "NotAuthorizedException: Incorrect username or password."
        let locked = "NotAuthorizedException: Password attempts exceeded"
        for _ in 0..<5 {
            #expect(await Self.form(stage.signIn(name, client, password: "wrong")) == wrong)
        }
        #expect(await Self.form(stage.signIn(name, client, password: "wrong")) == locked)
        // The lock is that of the user in all flows.
        let begun = await stage.call(
            "InitiateAuth",
            [
                "AuthFlow": "USER_SRP_AUTH", "ClientId": .string(client),
                "AuthParameters": ["USERNAME": .string(name), "SRP_A": "abcdef"],
            ])
        #expect(Self.form(begun) == locked)
        let choice = await stage.call(
            "InitiateAuth",
            [
                "AuthFlow": "USER_AUTH", "ClientId": .string(client),
                "AuthParameters": [
                    "USERNAME": .string(name), "PREFERRED_CHALLENGE": "PASSWORD", "PASSWORD": "wrong",
                ],
            ])
        #expect(Self.form(choice) == locked)
    }

    @Test("ForgotPassword and ConfirmForgotPassword are answered alike", arguments: names)
    func forgotPassword(_ name: String) async throws {
        let (stage, _, client) = try await Self.makeStage()
        let named: JSONObject = ["ClientId": .string(client), "Username": .string(name)]
        var confirm = named
        (confirm["ConfirmationCode"], confirm["Password"]) = ("000000", "N3w-Passw0rd")
        // An administrator has had a code sent to the user who must reset the password.
        if name != "reset" {
            #expect(
                await Self.form(stage.call("ConfirmForgotPassword", confirm)).hasPrefix(
                    "ExpiredCodeException"))
        }
        let first = try await stage.get("ForgotPassword", named)
        #expect(Self.form(.success(first)) == "\"EMAIL\" x***@x***")
        #expect(try await stage.get("ForgotPassword", named) == first)
        for _ in 0..<5 {
            #expect(
                await Self.form(stage.call("ConfirmForgotPassword", confirm)).hasPrefix(
                    "CodeMismatchException"))
        }
        #expect(
            await Self.form(stage.call("ConfirmForgotPassword", confirm)).hasPrefix(
                "LimitExceededException"))
    }

    @Test(
        "a name and the user name that the answer gives it have one salt",
        arguments: ["nobody@example.com", "jane@example.com"])
    func salt(_ address: String) async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(
            ["UsernameAttributes": ["email"]], client: Self.client)
        try await stage.makeUser("jane@example.com", in: pool)
        func begin(_ name: String) async throws -> (name: String, salt: JSONValue?) {
            let output = try await stage.get(
                "InitiateAuth",
                [
                    "AuthFlow": "USER_SRP_AUTH", "ClientId": .string(client),
                    "AuthParameters": ["USERNAME": .string(name), "SRP_A": "abcdef"],
                ])
            let parameters = output["ChallengeParameters"]
            return (try #require(parameters?["USERNAME"]?.stringValue), parameters?["SALT"])
        }
        let first = try await begin(address)
        let second = try await begin(first.name)
        #expect(first.name == second.name && first.salt == second.salt)
    }

    @Test("a name is looked up by the same number of reads, whether or not a user has it as name, alias or sub")
    func reads() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(
            ["AliasAttributes": ["email", "phone_number", "preferred_username"]], client: Self.client)
        try await stage.makeUser(
            "known", in: pool,
            [["Name": "email", "Value": "known@example.com"], ["Name": "email_verified", "Value": "true"]])
        let sub = try #require(try await stage.pools.records.get(User.self, pool, "known")).sub
        var counts: [Int] = []
        for name in [
            "nobody", "nobody@example.com", stage.pools.randomness.uuid(), "known", "KNOWN", "known@example.com", sub,
        ] {
            let before = stage.executor.count.load(ordering: .relaxed)
            try await stage.get(
                "InitiateAuth",
                ["AuthFlow": "USER_AUTH", "ClientId": .string(client), "AuthParameters": ["USERNAME": .string(name)]])
            counts.append(stage.executor.count.load(ordering: .relaxed) - before)
        }
        #expect(Set(counts).count == 1, "\(counts)")
    }

    @Test("ResendConfirmationCode is answered alike", arguments: names)
    func resend(_ name: String) async throws {
        let (stage, _, client) = try await Self.makeStage()
        let count = stage.messages.count
        let answer = await stage.call(
            "ResendConfirmationCode", ["ClientId": .string(client), "Username": .string(name)])
        #expect(Self.form(answer) == "\"EMAIL\" x***@x***")
        #expect(stage.messages.count == count + (name == "unconfirmed" ? 1 : 0))
    }

    @Test("ConfirmSignUp is answered alike, before and after ResendConfirmationCode", arguments: names)
    func confirmSignUp(_ name: String) async throws {
        let (stage, _, client) = try await Self.makeStage()
        let named: JSONObject = ["ClientId": .string(client), "Username": .string(name)]
        var confirm = named
        confirm["ConfirmationCode"] = "00000x"
        // A code was sent when the user signed up, which reports names that are taken anyway.
        if name != "unconfirmed" {
            await stage.expect(
                "ExpiredCodeException", "Invalid code provided, please request a code again.", "ConfirmSignUp", confirm)
        }
        try await stage.get("ResendConfirmationCode", named)
        for _ in 0..<5 {
            await stage.expect(
                "CodeMismatchException", "Invalid verification code provided, please try again.", "ConfirmSignUp",
                confirm)
        }
        await stage.expect("LimitExceededException", nil, "ConfirmSignUp", confirm)
        // As many wrong codes in an hour.
        for _ in 0..<3 {
            try await stage.get("ResendConfirmationCode", named)
            for _ in 0..<5 { await stage.expect("CodeMismatchException", nil, "ConfirmSignUp", confirm) }
        }
        try await stage.get("ResendConfirmationCode", named)
        await stage.expect("LimitExceededException", nil, "ConfirmSignUp", confirm)
        stage.time.advance(seconds: 86_401)
        await stage.expect("ExpiredCodeException", nil, "ConfirmSignUp", confirm)
    }

    @Test("ConfirmSignUp of a user without an address is answered like that of an unknown one")
    func confirmAddressless() async throws {
        let (stage, _, client) = try await Self.makeStage()
        let named: JSONObject = ["ClientId": .string(client), "Username": "silent"]
        var (signUp, confirm) = (named, named)
        (signUp["Password"], confirm["ConfirmationCode"]) = ("Passw0rd!", "00000x")
        try await stage.get("SignUp", signUp)
        await stage.expect("ExpiredCodeException", nil, "ConfirmSignUp", confirm)
        try await stage.get("ResendConfirmationCode", named)
        await stage.expect("CodeMismatchException", nil, "ConfirmSignUp", confirm)
    }

    @Test("the page that confirms a sign-up shows the same for all names", arguments: names)
    func confirmationPage(_ name: String) async throws {
        let (stage, pool, client) = try await Self.makeStage()
        try await stage.get(
            "UpdateUserPoolClient",
            [
                "UserPoolId": .string(pool), "ClientId": .string(client), "PreventUserExistenceErrors": "ENABLED",
                "AllowedOAuthFlows": ["code"], "AllowedOAuthScopes": ["openid"],
                "AllowedOAuthFlowsUserPoolClient": true, "CallbackURLs": ["myapp://callback/"],
            ])
        let browser = TestBrowser(stage.pools)
        let query =
            "client_id=\(client)&response_type=code&scope=openid&redirect_uri=myapp%3A%2F%2Fcallback%2F&username=\(name)"
        try await browser.open("/confirmUser?\(query)")
        if name != "unconfirmed" {
            try await browser.submit(["code": "00000x"])
            #expect(browser.html.contains("Invalid code provided, please request a code again."))
        }
        try await stage.get("ResendConfirmationCode", ["ClientId": .string(client), "Username": .string(name)])
        try await browser.submit(["code": "00000x"])
        #expect(browser.html.contains("Invalid verification code provided, please try again."))
        #expect(!browser.html.contains("Current status"))
    }

    @Test("a code of a sign-up or of a first factor is no code for a new password", arguments: names)
    func purposes(_ name: String) async throws {
        let (stage, _, client) = try await Self.makeStage([
            "Policies": ["SignInPolicy": ["AllowedFirstAuthFactors": ["PASSWORD", "EMAIL_OTP"]]]
        ])
        let named: JSONObject = ["ClientId": .string(client), "Username": .string(name)]
        var confirm = named
        (confirm["ConfirmationCode"], confirm["Password"]) = ("000000", "N3w-Passw0rd")
        try await stage.get("ResendConfirmationCode", named)
        try await stage.get(
            "InitiateAuth",
            [
                "AuthFlow": "USER_AUTH", "ClientId": .string(client),
                "AuthParameters": ["USERNAME": .string(name), "PREFERRED_CHALLENGE": "EMAIL_OTP"],
            ])
        // An administrator has had a code sent to the user who must reset the password.
        let expected = name == "reset" ? "CodeMismatchException" : "ExpiredCodeException"
        #expect(await Self.form(stage.call("ConfirmForgotPassword", confirm)).hasPrefix(expected))
    }

    @Test("messages are bounded for unknown names as for known ones", arguments: ["nobody", "known"])
    func messageRate(_ name: String) async throws {
        var limits = UserPoolLimits()
        limits.messagesPerRecipientPerHour = 2
        let stage = try PoolStage(limits: limits)
        let (pool, client) = try await stage.makePool(client: Self.client)
        try await stage.makeUser(
            "known", in: pool,
            [["Name": "email", "Value": "k@example.com"], ["Name": "email_verified", "Value": "true"]])
        let named: JSONObject = ["ClientId": .string(client), "Username": .string(name)]
        for _ in 0..<2 { try await stage.get("ForgotPassword", named) }
        await stage.expect("LimitExceededException", nil, "ForgotPassword", named)
    }

    @Test(
        "codes for passwords, sign-ups and first factors count together, sent or not", arguments: names)
    func codeRate(_ name: String) async throws {
        var limits = UserPoolLimits()
        limits.messagesPerRecipientPerHour = 3
        let (stage, _, client) = try await Self.makeStage(
            ["Policies": ["SignInPolicy": ["AllowedFirstAuthFactors": ["PASSWORD", "EMAIL_OTP"]]]], limits: limits)
        let named: JSONObject = ["ClientId": .string(client), "Username": .string(name)]
        let begin: JSONObject = [
            "AuthFlow": "USER_AUTH", "ClientId": .string(client),
            "AuthParameters": ["USERNAME": .string(name), "PREFERRED_CHALLENGE": "EMAIL_OTP"],
        ]
        try await stage.get("ForgotPassword", named)
        try await stage.get("ResendConfirmationCode", named)
        try await stage.get("InitiateAuth", begin)
        for (operation, body) in [
            ("ForgotPassword", named), ("ResendConfirmationCode", named), ("InitiateAuth", begin),
        ] { await stage.expect("LimitExceededException", nil, operation, body) }
    }

    /// Where codes appear to go, of ForgotPassword, ResendConfirmationCode and a first factor by mail.
    private static func destinations(
        _ name: String, _ stage: PoolStage, _ client: String
    ) async throws -> [String] {
        var destinations: [String] = []
        for operation in ["ForgotPassword", "ResendConfirmationCode"] {
            let answer = try await stage.get(operation, ["ClientId": .string(client), "Username": .string(name)])
            destinations.append(answer["CodeDeliveryDetails"]?["Destination"]?.stringValue ?? "")
        }
        let begun = try await stage.get(
            "InitiateAuth",
            [
                "AuthFlow": "USER_AUTH", "ClientId": .string(client),
                "AuthParameters": ["USERNAME": .string(name), "PREFERRED_CHALLENGE": "EMAIL_OTP"],
            ])
        return destinations + [begun["ChallengeParameters"]?["CODE_DELIVERY_DESTINATION"]?.stringValue ?? ""]
    }

    private static let mailFactor: JSONValue = [
        "SignInPolicy": ["AllowedFirstAuthFactors": ["PASSWORD", "EMAIL_OTP"]]
    ]

    @Test("codes appear to go to one address in all operations", arguments: names)
    func oneDestination(_ name: String) async throws {
        let (stage, _, client) = try await Self.makeStage(["Policies": Self.mailFactor])
        let destinations = try await Self.destinations(name, stage, client)
        #expect(Set(destinations).count == 1, "\(destinations)")
        if ["known", "disabled", "reset", "unconfirmed"].contains(name) {
            #expect(destinations[0] == "\(name.prefix(1))***@e***")
        }
    }

    @Test("a sign-up with a verified address and another one is answered by the verified one")
    func twoAddresses() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool(
            [
                "AutoVerifiedAttributes": ["email", "phone_number"], "LambdaConfig": ["PreSignUp": "verify"],
                "Policies": Self.mailFactor,
            ], client: Self.client)
        stage.functions.respond("verify") { _ in ["autoConfirmUser": false, "autoVerifyEmail": true] }
        try await stage.get(
            "SignUp",
            [
                "ClientId": .string(client), "Username": "jane", "Password": "Passw0rd!",
                "UserAttributes": [
                    ["Name": "email", "Value": "jane@example.com"], ["Name": "phone_number", "Value": "+15551234567"],
                ],
            ])
        #expect(try await Set(Self.destinations("jane", stage, client)) == ["j***@e***"])
    }

    /// The user name in the challenge of a sign-in.
    private static func challengeName(_ name: String, _ stage: PoolStage, _ client: String) async throws -> String {
        let begun = try await stage.get(
            "InitiateAuth",
            [
                "AuthFlow": "USER_SRP_AUTH", "ClientId": .string(client),
                "AuthParameters": ["USERNAME": .string(name), "SRP_A": "abcdef"],
            ])
        return try #require(begun["ChallengeParameters"]?["USERNAME"]?.stringValue)
    }

    @Test(
        "an address and the sub in its challenge have one masked address",
        arguments: [
            ("email", "jane@example.com", "j***@e***"), ("email", "zed@test.example", "z***@t***"),
            ("email", "Carol@Example.com", "c***@e***"), ("email", "Dora@Test.example", "d***@t***"),
            ("email", "émile@exämple.com", "****@e***"), ("email", "Éva@äxample.com", "****@****"),
            ("phone_number", "+15550001234", "+*******1234"), ("phone_number", "+15550000007", "+*******0007"),
        ])
    func maskOfSub(attribute: String, name: String, mask: String) async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(
            [
                "UsernameAttributes": [.string(attribute)], "AutoVerifiedAttributes": ["email", "phone_number"],
                "Policies": Self.mailFactor,
            ], client: Self.client)
        for known in ["jane@example.com", "Carol@Example.com", "émile@exämple.com", "+15550001234"]
        where (known.first == "+") == (attribute == "phone_number") {
            try await stage.makeUser(
                known, in: pool,
                [
                    ["Name": .string("\(attribute)_verified"), "Value": "true"],
                    [
                        "Name": .string(attribute == "email" ? "phone_number" : "email"),
                        "Value": .string(attribute == "email" ? "+15557777777" : "other@other.example"),
                    ],
                    [
                        "Name": .string(attribute == "email" ? "phone_number_verified" : "email_verified"),
                        "Value": "true",
                    ],
                ])
        }
        let sub = try await Self.challengeName(name, stage, client)
        #expect(sub.count == 36 && Array(sub)[14] == "4")
        #expect(try await Self.challengeName(sub, stage, client) == sub)
        let (byName, bySub) = (
            try await Self.destinations(name, stage, client), try await Self.destinations(sub, stage, client)
        )
        #expect(byName[..<2] == [mask, mask] && byName == bySub, "\(byName) \(bySub)")
    }

    @Test(
        "challenges of CUSTOM_AUTH have the user name that those of SRP have, in each round",
        arguments: ["jane@example.com", "nobody@example.com"], [false, true])
    func customName(_ name: String, startsWithSRP: Bool) async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(
            [
                "UsernameAttributes": ["email"],
                "LambdaConfig": [
                    "DefineAuthChallenge": "define", "CreateAuthChallenge": "create",
                    "VerifyAuthChallengeResponse": "verify",
                ],
            ], client: Self.client)
        stage.functions.respond("define") { _ in
            ["challengeName": "CUSTOM_CHALLENGE", "issueTokens": false, "failAuthentication": false]
        }
        stage.functions.respond("create") { _ in
            ["publicChallengeParameters": [:], "privateChallengeParameters": [:]]
        }
        stage.functions.respond("verify") { _ in ["answerCorrect": false] }
        try await stage.makeUser("jane@example.com", in: pool)
        let sub = try await Self.challengeName(name, stage, client)
        var parameters: JSONObject = ["USERNAME": .string(name)]
        if startsWithSRP { (parameters["CHALLENGE_NAME"], parameters["SRP_A"]) = ("SRP_A", "abcdef") }
        var challenge = try await stage.get(
            "InitiateAuth",
            ["AuthFlow": "CUSTOM_AUTH", "ClientId": .string(client), "AuthParameters": .object(parameters)])
        #expect(challenge["ChallengeParameters"]?["USERNAME"] == .string(sub))
        guard !startsWithSRP else {
            #expect(challenge["ChallengeParameters"]?["USER_ID_FOR_SRP"] == .string(sub))
            return
        }
        for _ in 0..<3 {
            challenge = try await stage.get(
                "RespondToAuthChallenge",
                [
                    "ChallengeName": "CUSTOM_CHALLENGE", "ClientId": .string(client),
                    "Session": challenge["Session"] ?? .null,
                    "ChallengeResponses": ["USERNAME": .string(sub), "ANSWER": "x"],
                ])
            #expect(challenge["ChallengeParameters"]?["USERNAME"] == .string(sub))
            #expect(challenge["ChallengeParameters"]?["USER_ID_FOR_SRP"] == .string(sub))
        }
    }

    @Test("a UUID is answered with itself, whether or not it is a sub", arguments: [false, true])
    func foreignUUID(isCaseSensitive: Bool) async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(
            [
                "UsernameAttributes": ["email"], "UsernameConfiguration": ["CaseSensitive": .bool(isCaseSensitive)],
            ], client: Self.client)
        try await stage.makeUser("jane@example.com", in: pool)
        let foreign = "0B6F5C1E-7a52-4c39-9d0e-3f1a2b4c5d6e"
        for name in [try await Self.challengeName("jane@example.com", stage, client), foreign.lowercased()] {
            #expect(try await Self.challengeName(name, stage, client) == name)
            // In capitals, it is the same name where the pool ignores case, and else the name of nobody.
            let capitals = try await Self.challengeName(name.uppercased(), stage, client)
            #expect((capitals == name) == !isCaseSensitive && capitals != name.uppercased())
        }
        // A mail address is the same in any case.
        for address in ["jane@example.com", "nobody@example.com"] {
            let (small, large) = (
                try await Self.challengeName(address, stage, client),
                try await Self.challengeName(address.uppercased(), stage, client)
            )
            #expect(small == large)
        }
    }

    @Test("sign-ups with the address of a user take no message from that user")
    func foreignSignUps() async throws {
        var limits = UserPoolLimits()
        limits.messagesPerRecipientPerHour = 2
        let (stage, _, client) = try await Self.makeStage(limits: limits)
        func signUp(_ name: String) -> JSONObject {
            [
                "ClientId": .string(client), "Username": .string(name), "Password": "Passw0rd!",
                "UserAttributes": [["Name": "email", "Value": "known@example.com"]],
            ]
        }
        for name in ["mallory0", "mallory1"] { try await stage.get("SignUp", signUp(name)) }
        await stage.expect("LimitExceededException", nil, "SignUp", signUp("mallory2"))
        let count = stage.messages.count
        try await stage.get("ForgotPassword", ["ClientId": .string(client), "Username": "known"])
        #expect(stage.messages.count == count + 1)
    }

    @Test("messages to an address that several users share do not show who has it")
    func sharedAddress() async throws {
        var limits = UserPoolLimits()
        limits.messagesPerRecipientPerHour = 2
        let stage = try PoolStage(limits: limits)
        let (pool, client) = try await stage.makePool(client: Self.client)
        let address: JSONValue = [
            ["Name": "email", "Value": "shared@example.com"], ["Name": "email_verified", "Value": "true"],
        ]
        for name in ["ada", "ben"] { try await stage.makeUser(name, in: pool, address) }
        func forgot(_ name: String) async throws {
            try await stage.get("ForgotPassword", ["ClientId": .string(client), "Username": .string(name)])
        }
        for _ in 0..<2 { try await forgot("ada") }
        #expect(stage.messages.count == 2)
        try await forgot("ben")
        // The recipient's limit is kept, and the code that was not sent allows attempts like any other.
        #expect(stage.messages.count == 2)
        await stage.expect(
            "CodeMismatchException", nil, "ConfirmForgotPassword",
            [
                "ClientId": .string(client), "Username": "ben", "ConfirmationCode": "00000x",
                "Password": "N3w-Passw0rd",
            ])
    }

    @Test(
        "an address is answered with itself, whether or not a user has it, and a sub looks like a sub")
    func addresses() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(
            ["UsernameAttributes": ["email"], "AutoVerifiedAttributes": ["email", "phone_number"]],
            client: Self.client)
        try await stage.makeUser(
            "jane@example.com", in: pool,
            [
                ["Name": "email_verified", "Value": "true"],
                ["Name": "phone_number", "Value": "+15551234567"],
                ["Name": "phone_number_verified", "Value": "true"],
            ])
        for name in ["jane@example.com", "john@example.com"] {
            let answer = try await stage.get(
                "ForgotPassword", ["ClientId": .string(client), "Username": .string(name)])
            #expect(
                answer["CodeDeliveryDetails"] == [
                    "Destination": "j***@e***", "DeliveryMedium": "EMAIL", "AttributeName": "email",
                ])
            let begun = try await stage.get(
                "InitiateAuth",
                [
                    "AuthFlow": "USER_SRP_AUTH", "ClientId": .string(client),
                    "AuthParameters": ["USERNAME": .string(name), "SRP_A": "abcdef"],
                ])
            let sub = Array(try #require(begun["ChallengeParameters"]?["USERNAME"]?.stringValue))
            #expect(sub.count == 36 && sub[14] == "4" && "89ab".contains(sub[19]))
        }
    }

    @Test("USER_AUTH offers the same to all, and sessions have one length")
    func choice() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(
            [
                "UsernameAttributes": ["email"],
                "Policies": ["SignInPolicy": ["AllowedFirstAuthFactors": ["PASSWORD", "EMAIL_OTP"]]],
            ], client: Self.client)
        try await stage.makeUser(
            "jane@example.com", in: pool, [["Name": "email_verified", "Value": "true"]])
        var sessions: [Int] = []
        for name in ["jane@example.com", "john@example.com"] {
            let begun = try await stage.get(
                "InitiateAuth",
                [
                    "AuthFlow": "USER_AUTH", "ClientId": .string(client),
                    "AuthParameters": ["USERNAME": .string(name)],
                ])
            #expect(begun["AvailableChallenges"] == ["PASSWORD", "PASSWORD_SRP", "EMAIL_OTP"])
            func answer(
                _ challenge: JSONValue, _ before: JSONObject, _ responses: JSONObject
            ) async -> Result<JSONObject, CognitoError> {
                var responses = responses
                responses["USERNAME"] = .string(name)
                return await stage.call(
                    "RespondToAuthChallenge",
                    [
                        "ChallengeName": challenge, "ClientId": .string(client),
                        "Session": before["Session"] ?? .null,
                        "ChallengeResponses": .object(responses),
                    ])
            }
            let mail = try await answer("SELECT_CHALLENGE", begun, ["ANSWER": "EMAIL_OTP"]).get()
            #expect(mail["ChallengeParameters"]?["CODE_DELIVERY_DESTINATION"] == "j***@e***")
            sessions.append(mail["Session"]?.stringValue?.count ?? 0)
            #expect(
                await answer("EMAIL_OTP", mail, ["EMAIL_OTP_CODE": "x"]).failureError?.name
                    == "CodeMismatchException")
        }
        // The number that ends with a user's sessions is random and has up to sixteen digits.
        #expect(abs(sessions[0] - sessions[1]) < 16, "\(sessions)")
    }

    @Test("a sign-in computes as many powers and writes as often for a name that no user has")
    func work() async throws {
        let (stage, _, client) = try await Self.makeStage()
        /// The powers, and the writes of the store.
        func work(_ body: () async throws -> Void) async throws -> [Int] {
            let counter = SRPPower.Counter()
            let before = stage.store.statistics.writes
            try await SRPPower.$counter.withValue(counter) { try await body() }
            return [counter.count, Int(stage.store.statistics.writes - before)]
        }
        func signIn(_ name: String) async throws -> [Int] {
            try await work { _ = await stage.signIn(name, client, password: "wrong") }
        }
        func srp(_ name: String) async throws -> [Int] {
            try await work {
                let begun = try await stage.get(
                    "InitiateAuth",
                    [
                        "AuthFlow": "USER_SRP_AUTH", "ClientId": .string(client),
                        "AuthParameters": ["USERNAME": .string(name), "SRP_A": "abcdef"],
                    ])
                let block = begun["ChallengeParameters"]?["SECRET_BLOCK"] ?? .null
                await stage.expect(
                    "NotAuthorizedException", "Incorrect username or password.", "RespondToAuthChallenge",
                    [
                        "ChallengeName": "PASSWORD_VERIFIER", "ClientId": .string(client),
                        "ChallengeResponses": [
                            "USERNAME": .string(name), "PASSWORD_CLAIM_SECRET_BLOCK": block,
                            "PASSWORD_CLAIM_SIGNATURE": "AAAA",
                            "TIMESTAMP": .string(SRPTimestamp.text(stage.time.seconds)),
                        ],
                    ])
            }
        }
        let (password, proof) = (try await signIn("known"), try await srp("known"))
        #expect(password[0] == 1 && proof[0] == 3, "\(password) \(proof)")
        for name in ["nobody", "disabled", "reset"] {
            #expect(try await signIn(name) == password, "\(name)")
            #expect(try await srp(name) == proof, "\(name)")
        }
    }

    @Test("PreAuthentication is called for unknown users, who are reported as such")
    func preAuthentication() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool(
            ["LambdaConfig": ["PreAuthentication": "before"]], client: Self.client)
        stage.functions.set("before") { event in
            .failed("\(event["userName"] ?? .null) \(event["request"]?["userNotFound"] ?? .null)")
        }
        #expect(
            await Self.form(stage.signIn("nobody", client))
                == "UserLambdaValidationException: PreAuthentication failed with error \"nobody\" true.")
    }

    @Test(
        "a user who forgot the password of another pool is migrated by UserMigration_ForgotPassword")
    func migration() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(
            ["LambdaConfig": ["UserMigration": "migrate"]], client: Self.client)
        stage.functions.respond("migrate") { event in
            #expect(event["triggerSource"] == "UserMigration_ForgotPassword")
            #expect(event["request"]?["password"] == nil)
            guard event["userName"] == "old" else { return [:] }
            return ["userAttributes": ["email": "old@example.com", "email_verified": true]]
        }
        try await stage.get("ForgotPassword", ["ClientId": .string(client), "Username": "stranger"])
        #expect(stage.messages.count == 0)
        try await stage.get("ForgotPassword", ["ClientId": .string(client), "Username": "old"])
        #expect(stage.messages.list.withLock { $0.map(\.recipient) } == ["old@example.com"])
        let user = try await stage.get(
            "AdminGetUser", ["UserPoolId": .string(pool), "Username": "old"])
        #expect(user["UserStatus"] == "RESET_REQUIRED")
        try await stage.get(
            "ConfirmForgotPassword",
            [
                "ClientId": .string(client), "Username": "old", "Password": "N3w-Passw0rd",
                "ConfirmationCode": .string(stage.messages.lastCode),
            ])
        _ = try await stage.tokens("old", client, password: "N3w-Passw0rd")
    }

    @Test(
        "a function of userMigration that fails is answered like a wrong password, and like one that knows no user",
        arguments: [nil, [:], ["userAttributes": "all"], ["userAttributes": ["username": "a\u{202E}b"]]]
            as [JSONObject?])
    func failingMigration(_ response: JSONObject?) async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(
            ["LambdaConfig": ["UserMigration": "migrate"], "AutoVerifiedAttributes": ["email"]], client: Self.client)
        try await stage.makeUser(
            "known", in: pool,
            [["Name": "email", "Value": "known@example.com"], ["Name": "email_verified", "Value": "true"]])
        if let response { stage.functions.respond("migrate") { _ in response } }
        for name in ["known", "nobody"] {
            #expect(
                await Self.form(stage.signIn(name, client, password: "wrong"))
                    == "NotAuthorizedException: Incorrect username or password.")
            let forgot = await stage.call(
                "ForgotPassword", ["ClientId": .string(client), "Username": .string(name)])
            #expect(Self.form(forgot) == "\"EMAIL\" x***@x***")
        }
        let isFailure = response?.isEmpty != true
        #expect(stage.functions.failures.withLock { $0 } == (isFailure ? ["UserMigration", "UserMigration"] : []))
    }

    @Test("USER_AUTH asks userMigration for the name that was given, also after SELECT_CHALLENGE")
    func migrationByChoice() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool(
            ["LambdaConfig": ["UserMigration": "migrate"], "UsernameAttributes": ["email"]], client: Self.client)
        stage.functions.respond("migrate") { event in
            #expect(event["userName"] == "old@example.com")
            return event["userName"] == "old@example.com" ? ["userAttributes": ["email": "old@example.com"]] : [:]
        }
        let begun = try await stage.get(
            "InitiateAuth",
            [
                "AuthFlow": "USER_AUTH", "ClientId": .string(client), "AuthParameters": ["USERNAME": "old@example.com"],
            ])
        let name = begun["ChallengeParameters"]?["USERNAME"] ?? .null
        func respond(_ challenge: JSONValue, _ session: JSONValue?, _ responses: JSONObject) async throws -> JSONObject
        {
            var responses = responses
            responses["USERNAME"] = name
            return try await stage.get(
                "RespondToAuthChallenge",
                [
                    "ClientId": .string(client), "ChallengeName": challenge, "Session": session ?? .null,
                    "ChallengeResponses": .object(responses),
                ])
        }
        let asked = try await respond("SELECT_CHALLENGE", begun["Session"], ["ANSWER": "PASSWORD"])
        let done = try await respond("PASSWORD", asked["Session"], ["PASSWORD": "Passw0rd!"])
        #expect(done["AuthenticationResult"] != nil)
    }
}
