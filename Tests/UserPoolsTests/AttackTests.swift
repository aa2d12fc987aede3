import Encodings
import JSON
import Synchronization
import Testing

@testable import UserPools

@Suite("Attacks on user pools")
struct AttackTests {
    @Test("of two values of one attribute none is taken: a code for one would verify the other")
    func duplicates() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool(
            ["AliasAttributes": ["email"], "AutoVerifiedAttributes": ["email"]])
        await stage.expect(
            "InvalidParameterException", nil, "SignUp",
            [
                "ClientId": .string(client), "Username": "mallory", "Password": "Passw0rd!",
                "UserAttributes": [
                    ["Name": "email", "Value": "mallory@example.com"],
                    ["Name": "email", "Value": "victim@example.com"],
                ],
            ])
    }

    @Test("a code verifies the address that received it, and none that came after")
    func changedAddress() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(["AliasAttributes": ["email"]])
        try await stage.makeUser("mallory", in: pool, [["Name": "email", "Value": "mallory@example.com"]])
        let token = JSONValue.string(try await stage.tokens("mallory", client).access)
        try await stage.get("GetUserAttributeVerificationCode", ["AccessToken": token, "AttributeName": "email"])
        let code = JSONValue.string(stage.messages.lastCode)
        try await stage.get(
            "UpdateUserAttributes",
            ["AccessToken": token, "UserAttributes": [["Name": "email", "Value": "victim@example.com"]]])
        await stage.expect(
            "ExpiredCodeException", nil, "VerifyUserAttribute",
            ["AccessToken": token, "AttributeName": "email", "Code": code])
        let user = try await stage.get("AdminGetUser", ["UserPoolId": .string(pool), "Username": "mallory"])
        #expect(user["UserAttributes"]?.arrayValue?.contains(["Name": "email_verified", "Value": "true"]) == false)
    }

    @Test("a stolen access token does not replace the authenticator app of its user")
    func replacedApp() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.get(
            "SetUserPoolMfaConfig",
            [
                "UserPoolId": .string(pool), "MfaConfiguration": "OPTIONAL",
                "SoftwareTokenMfaConfiguration": ["Enabled": true],
            ])
        try await stage.makeUser("jane", in: pool)
        let token = JSONValue.string(try await stage.tokens("jane", client).access)
        let user = try #require(try await stage.pools.records.get(User.self, pool, "jane"))
        _ = try await stage.get("AssociateSoftwareToken", ["AccessToken": token])
        let pending = try #require(try await stage.pools.records.get(User.self, pool, "jane"))
        let secret = try #require(stage.pools.totpSecret(pending.mfa.pendingSecret, of: user))
        let code = TOTP.code(secret: secret, step: stage.time.seconds / 30)
        try await stage.get("VerifySoftwareToken", ["AccessToken": token, "UserCode": .string(code)])
        try await stage.get(
            "SetUserMFAPreference", ["AccessToken": token, "SoftwareTokenMfaSettings": ["Enabled": true]])
        try await stage.get("AssociateSoftwareToken", ["AccessToken": token])
        let challenge = try await stage.signIn("jane", client).get()
        #expect(challenge["ChallengeName"] == "SOFTWARE_TOKEN_MFA")
    }

    @Test("names of any length are remembered in little room")
    func longNames() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool()
        let name = String(repeating: "x", count: 200_000)
        let result = await stage.signIn(name, client)
        #expect(result.failureError?.name == "InvalidParameterException")
        let attempts = PasswordAttempts()
        for _ in 0..<6 { attempts.fail(name, now: 0) }
        #expect(throws: CognitoError.self) { try attempts.check(name, now: 1) }
        try attempts.check(String(repeating: "x", count: 199_999), now: 1)
    }

    @Test("a session of one sign-in is no answer to another challenge, client or user's administration")
    func sessions() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        let made = try await stage.get("CreateUserPoolClient", ["UserPoolId": .string(pool), "ClientName": "other"])
        let other = try #require(made["UserPoolClient"]?["ClientId"])
        try await stage.get(
            "AdminCreateUser",
            [
                "UserPoolId": .string(pool), "Username": "jane", "TemporaryPassword": "Temp-0rary",
                "MessageAction": "SUPPRESS",
            ])
        let begun = try await stage.get(
            "AdminInitiateAuth",
            [
                "UserPoolId": .string(pool), "ClientId": .string(client), "AuthFlow": "ADMIN_USER_PASSWORD_AUTH",
                "AuthParameters": ["USERNAME": "jane", "PASSWORD": "Temp-0rary"],
            ])
        let session = try #require(begun["Session"])
        func answer(_ challenge: JSONValue, _ client: JSONValue, _ session: JSONValue) -> JSONObject {
            [
                "ChallengeName": challenge, "ClientId": client, "Session": session,
                "ChallengeResponses": [
                    "USERNAME": "jane", "NEW_PASSWORD": "N3w-Passw0rd", "SMS_MFA_CODE": "1", "ANSWER": "x",
                ],
            ]
        }
        // What an administration has begun is answered by one.
        for (challenge, client) in [
            (JSONValue("NEW_PASSWORD_REQUIRED"), JSONValue.string(client)), ("NEW_PASSWORD_REQUIRED", other),
            ("SMS_MFA", .string(client)), ("CUSTOM_CHALLENGE", .string(client)), ("MFA_SETUP", .string(client)),
        ] {
            await stage.expect(
                "NotAuthorizedException", nil, "RespondToAuthChallenge", answer(challenge, client, session))
        }
        await stage.expect(
            "NotAuthorizedException", nil, "RespondToAuthChallenge",
            answer("NEW_PASSWORD_REQUIRED", .string(client), .string(String(repeating: "A", count: 100))))
        await stage.expect("NotAuthorizedException", nil, "AssociateSoftwareToken", ["Session": session])
    }

    @Test("guests of one address do not fill the store")
    func guests() async throws {
        var limits = UserPoolLimits()
        limits.guestsPerAddressPerHour = 3
        let stage = try PoolStage(limits: limits)
        func call(_ operation: String, _ body: JSONObject, from address: String) async -> Result<
            JSONObject, CognitoError
        > {
            await stage.pools.perform(
                "AWSCognitoIdentityService.\(operation)", body,
                from: Caller(address: address, accessKeyID: "AKIA", requestID: "r", baseURL: "http://127.0.0.1:20002"))
        }
        let made = try await call(
            "CreateIdentityPool", ["IdentityPoolName": "guests", "AllowUnauthenticatedIdentities": true],
            from: "10.0.0.1"
        ).get()
        let body: JSONObject = ["IdentityPoolId": made["IdentityPoolId"] ?? .null]
        for number in 0..<5 {
            let answer = await call("GetId", body, from: "10.0.0.1")
            #expect((answer.failureError?.name == "TooManyRequestsException") == (number >= 3))
        }
        #expect(await call("GetId", body, from: "10.0.0.2").failureError == nil)
        stage.time.advance(seconds: 2 * 3_600)
        #expect(await call("GetId", body, from: "10.0.0.1").failureError == nil)
    }

    @Test(
        "a token with any number for its end is refused, and no crash",
        arguments: ["9223372036854775807", "-9223372036854775808", "9223372036854776", "1e30", "253402300800", "-1"])
    func endOfTime(exp: String) async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        func part(_ text: String) -> String { Base64.encodeURL(Array(text.utf8)) }
        let claims = """
            {"iss": "\(stage.pools.issuer(of: pool))", "sub": "s", "origin_jti": "o", "username": "u", "exp": \(exp), \
            "token_use": "access"}
            """
        let token = "\(part(#"{"kid": "k", "alg": "RS256"}"#)).\(part(claims)).AAAA"
        await stage.expect("NotAuthorizedException", nil, "GetUser", ["AccessToken": .string(token)])
        await #expect(throws: TokenRefusal.self) { try await stage.pools.authenticate(token) }
    }

    @Test("an address that is given with a new password is not verified")
    func addressWithNewPassword() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.get(
            "AdminCreateUser",
            [
                "UserPoolId": .string(pool), "Username": "mallory", "TemporaryPassword": "Temp-0rary",
                "MessageAction": "SUPPRESS",
                "UserAttributes": [
                    ["Name": "email", "Value": "mallory@example.com"], ["Name": "email_verified", "Value": "true"],
                ],
            ])
        let begun = try await stage.signIn("mallory", client, password: "Temp-0rary").get()
        try await stage.get(
            "RespondToAuthChallenge",
            [
                "ChallengeName": "NEW_PASSWORD_REQUIRED", "ClientId": .string(client),
                "Session": begun["Session"] ?? .null,
                "ChallengeResponses": [
                    "USERNAME": "mallory", "NEW_PASSWORD": "N3w-Passw0rd",
                    "userAttributes.email": "victim@example.com",
                ],
            ])
        let user = try #require(try await stage.pools.records.get(User.self, pool, "mallory"))
        #expect(user["email"] == "victim@example.com")
        #expect(!user.isVerified("email"))
    }

    @Test("a temporary password alone changes no address of a second factor and adds none, also at the hosted pages")
    func factorsAndTemporaryPassword() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(
            client: [
                "AllowedOAuthFlows": ["code"], "AllowedOAuthScopes": ["openid"],
                "AllowedOAuthFlowsUserPoolClient": true, "CallbackURLs": ["myapp://callback/"],
            ])
        try await stage.get(
            "SetUserPoolMfaConfig",
            [
                "UserPoolId": .string(pool), "MfaConfiguration": "ON",
                "SmsMfaConfiguration": ["SmsAuthenticationMessage": "{####}"],
                "EmailMfaConfiguration": ["Message": "{####}"],
            ])
        try await stage.makeUser(
            "jane", in: pool,
            [["Name": "email", "Value": "jane@example.com"], ["Name": "email_verified", "Value": "true"]])
        try await stage.get(
            "AdminSetUserPassword",
            ["UserPoolId": .string(pool), "Username": "jane", "Password": "Temp-0rary", "Permanent": false])
        let begun = try await stage.signIn("jane", client, password: "Temp-0rary").get()
        func answer(_ attributes: JSONObject) -> JSONObject {
            var responses: JSONObject = ["USERNAME": "jane", "NEW_PASSWORD": "N3w-Passw0rd"]
            for (name, value) in attributes { responses["userAttributes.\(name)"] = value }
            return [
                "ChallengeName": "NEW_PASSWORD_REQUIRED", "ClientId": .string(client),
                "Session": begun["Session"] ?? .null, "ChallengeResponses": .object(responses),
            ]
        }
        let attempts: [JSONObject] = [
            ["email": "eve@example.com"], ["email": ""], ["phone_number": "+15550001111"],
        ]
        for attributes in attempts {
            await stage.expect("InvalidParameterException", nil, "RespondToAuthChallenge", answer(attributes))
        }
        let browser = TestBrowser(stage.pools)
        try await browser.open(
            "/login?client_id=\(client)&response_type=code&scope=openid&redirect_uri=myapp%3A%2F%2Fcallback%2F")
        try await browser.submit(["username": "jane", "password": "Temp-0rary"])
        #expect(browser.html.contains("Choose a new password"))
        // The page asks for no attribute, so it takes none.
        try await browser.submit(["password": "N3w-Passw0rd", "requiredAttributes[email]": "eve@example.com"])
        #expect(browser.html.contains("Enter the code"), "\(browser.html)")
        #expect(stage.messages.list.withLock { $0.last?.recipient } == "jane@example.com")
        let user = try #require(try await stage.pools.records.get(User.self, pool, "jane"))
        #expect(user["email"] == "jane@example.com" && user.isVerified("email") && user["phone_number"] == nil)
    }

    @Test("of guesses of a code at one time no more are compared than of guesses in a row")
    func guessesAtOneTime() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser(
            "jane", in: pool,
            [["Name": "email", "Value": "jane@example.com"], ["Name": "email_verified", "Value": "true"]])
        try await stage.get("ForgotPassword", ["ClientId": .string(client), "Username": "jane"])
        let right = stage.messages.lastCode
        func guess(_ code: String) async -> String? {
            await stage.call(
                "ConfirmForgotPassword",
                [
                    "ClientId": .string(client), "Username": "jane", "ConfirmationCode": .string(code),
                    "Password": "N3w-Passw0rd",
                ]
            ).failureError?.name
        }
        let wrong = right == "000000" ? "111111" : "000000"
        let answers = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<40 { group.addTask { await guess(wrong) } }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(answers.count { $0 == "CodeMismatchException" } <= Int(Code.attemptsMax))
        #expect(answers.allSatisfy { $0 != nil })
        #expect(await guess(right) == "LimitExceededException")
        // A new code begins anew.
        try await stage.get("ForgotPassword", ["ClientId": .string(client), "Username": "jane"])
        #expect(await guess(stage.messages.lastCode) == nil)
    }

    @Test("of a user who failed too often one attempt at a time is let through")
    func attemptsAtOneTime() throws {
        let attempts = PasswordAttempts()
        for _ in 0..<PasswordAttempts.freeCount { attempts.fail("jane", now: 0) }
        try attempts.check("jane", now: 1_000)
        try attempts.begin("jane", now: 1_000)
        #expect(throws: CognitoError.self) { try attempts.begin("jane", now: 1_001) }
        #expect(throws: CognitoError.self) { try attempts.check("jane", now: 1_999) }
        try attempts.begin("jane", now: 2_000)
        attempts.succeed("jane")
        for _ in 0..<10 { try attempts.begin("jane", now: 2_001) }
    }

    @Test("an authenticator app is no second factor where the pool asks for codes by message alone")
    func appOfNoPool() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.get(
            "SetUserPoolMfaConfig",
            [
                "UserPoolId": .string(pool), "MfaConfiguration": "ON",
                "SmsMfaConfiguration": ["SmsAuthenticationMessage": "Your code is {####}."],
                "SoftwareTokenMfaConfiguration": ["Enabled": false],
            ])
        try await stage.makeUser("jane", in: pool)
        let setup = try await stage.signIn("jane", client).get()
        #expect(setup["ChallengeName"] == "MFA_SETUP")
        await stage.expect(
            "SoftwareTokenMFANotFoundException", nil, "AssociateSoftwareToken", ["Session": setup["Session"] ?? .null])
    }

    @Test("nobody takes a user name by which another user is found")
    func namesOfOthers() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(["AliasAttributes": ["preferred_username"]])
        try await stage.makeUser("jane", in: pool)
        try await stage.makeUser("mallory", in: pool)
        let jane = try #require(try await stage.pools.records.get(User.self, pool, "jane"))
        await stage.expect(
            "UsernameExistsException", nil, "SignUp",
            ["ClientId": .string(client), "Username": .string(jane.sub), "Password": "Passw0rd!"])
        let token = JSONValue.string(try await stage.tokens("mallory", client).access)
        await stage.expect(
            "AliasExistsException", nil, "UpdateUserAttributes",
            ["AccessToken": token, "UserAttributes": [["Name": "preferred_username", "Value": "Jane"]]])
        try await stage.get(
            "UpdateUserAttributes",
            ["AccessToken": token, "UserAttributes": [["Name": "preferred_username", "Value": "mal"]]])
        await stage.expect(
            "UsernameExistsException", nil, "SignUp",
            ["ClientId": .string(client), "Username": "mal", "Password": "Passw0rd!"])
    }

    @Test("sessions and codes that have ended leave, however many there are")
    func endedSessions() async throws {
        let stage = try PoolStage()
        for number in 0..<1_100 {
            let code = AuthorizationCode(
                hash: "hash-\(number)", clientID: "c", redirectURI: "r", user: "p#u", sessionID: "s", scopes: [],
                authenticated: 0, expires: stage.pools.now + Int64(number == 0 ? 8_000_000 : 0))
            #expect(try await stage.pools.records.insert(code))
        }
        stage.time.advance(seconds: 3_601)
        try await stage.pools.removeEnded()
        let left = try await stage.pools.records.scan(AuthorizationCode.self)
        #expect(left.map(\.hash) == ["hash-0"])
    }

    @Test("a correct password does not reset the wrong codes of the second factor")
    func codesBetweenPasswords() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(["AutoVerifiedAttributes": ["email"]])
        try await stage.get(
            "SetUserPoolMfaConfig",
            ["UserPoolId": .string(pool), "MfaConfiguration": "ON", "EmailMfaConfiguration": ["Message": "{####}"]])
        try await stage.makeUser("jane", in: pool, [["Name": "email", "Value": "jane@example.com"]])
        var names: [String] = []
        for _ in 0..<4 {
            let challenge = try await stage.signIn("jane", client).get()
            for _ in 0..<2 {
                let answer = await stage.call(
                    "RespondToAuthChallenge",
                    [
                        "ChallengeName": "EMAIL_OTP", "ClientId": .string(client),
                        "Session": challenge["Session"] ?? .null,
                        "ChallengeResponses": ["USERNAME": "jane", "EMAIL_OTP_CODE": "x"],
                    ])
                names.append(answer.failureError?.name ?? "")
            }
        }
        #expect(names.filter { $0 == "CodeMismatchException" }.count == PasswordAttempts.freeCount)
        #expect(names.last == "NotAuthorizedException")
    }

    @Test("what was issued to a deleted user is not valid for the next user of the name")
    func nextUserOfName() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        func create() async throws {
            try await stage.get(
                "AdminCreateUser",
                [
                    "UserPoolId": .string(pool), "Username": "carl", "TemporaryPassword": "Temp-0rary",
                    "MessageAction": "SUPPRESS",
                ])
        }
        try await create()
        let old = try #require(try await stage.pools.records.get(User.self, pool, "carl"))
        let begun = try await stage.signIn("carl", client, password: "Temp-0rary").get()
        let clientSettings = try #require(stage.pools.directory.client(client))
        let poolSettings = try #require(stage.pools.directory.pool(pool))
        try await stage.get("AdminDeleteUser", ["UserPoolId": .string(pool), "Username": "carl"])
        // A sign-in that was under way writes its session after the removal.
        let late = try await stage.pools.beginSession(of: old, .init(pool: poolSettings, client: clientSettings))
        try await create()
        await stage.expect(
            "NotAuthorizedException", "Invalid session for the user.", "RespondToAuthChallenge",
            [
                "ChallengeName": "NEW_PASSWORD_REQUIRED", "ClientId": .string(client),
                "Session": begun["Session"] ?? .null,
                "ChallengeResponses": ["USERNAME": "carl", "NEW_PASSWORD": "N3w-Passw0rd"],
            ])
        await stage.expect(
            "NotAuthorizedException", nil, "GetTokensFromRefreshToken",
            ["ClientId": .string(client), "RefreshToken": late["RefreshToken"] ?? .null])
    }

    @Test("neither length nor letter case tells known and unknown users apart")
    func unknownUsers() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(client: ["PreventUserExistenceErrors": "ENABLED"])
        try await stage.makeUser("jane", in: pool)
        func parameters(_ name: String) async throws -> JSONValue {
            let begun = try await stage.get(
                "InitiateAuth",
                [
                    "AuthFlow": "USER_SRP_AUTH", "ClientId": .string(client),
                    "AuthParameters": ["USERNAME": .string(name), "SRP_A": "abcdef"],
                ])
            return begun["ChallengeParameters"] ?? .null
        }
        let (known, unknown) = (try await parameters("jane"), try await parameters("john"))
        #expect(known["SECRET_BLOCK"]?.stringValue?.count == unknown["SECRET_BLOCK"]?.stringValue?.count)
        for name in ["jane", "john"] {
            let (lower, upper) = (try await parameters(name), try await parameters(name.uppercased()))
            #expect(lower["SALT"] == upper["SALT"] && lower["USERNAME"] == upper["USERNAME"])
        }
    }

    @Test("a value of one character has not the room of a book")
    func combiningCharacters() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool()
        await stage.expect(
            "InvalidParameterException", nil, "SignUp",
            [
                "ClientId": .string(client), "Username": "jane", "Password": "Passw0rd!",
                "UserAttributes": [
                    ["Name": "name", "Value": .string("e" + String(repeating: "\u{301}", count: 3_000))]
                ],
            ])
    }

    @Test("new codes do not allow guesses without end")
    func guessesOfManyCodes() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser(
            "jane", in: pool,
            [["Name": "email", "Value": "jane@example.com"], ["Name": "email_verified", "Value": "true"]])
        var mismatches = 0
        for _ in 0..<6 {
            try await stage.get("ForgotPassword", ["ClientId": .string(client), "Username": "jane"])
            for _ in 0..<5 {
                let answer = await stage.call(
                    "ConfirmForgotPassword",
                    [
                        "ClientId": .string(client), "Username": "jane", "ConfirmationCode": "x",
                        "Password": "N3w-Passw0rd",
                    ])
                if answer.failureError?.name == "CodeMismatchException" { mismatches += 1 }
            }
        }
        #expect(mismatches == Code.wrongPerHourMax)
    }

    @Test("a federated user does not set a password of the pool's own")
    func passwordOfFederatedUser() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("corp_s1", in: pool)
        let token = JSONValue.string(try await stage.tokens("corp_s1", client).access)
        _ = try await stage.pools.records.update(User.self, pool, "corp_s1") { user in
            (user.status, user.password) = (.externalProvider, nil)
        }
        await stage.expect(
            "NotAuthorizedException", nil, "ChangePassword",
            ["AccessToken": token, "ProposedPassword": "N3w-Passw0rd"])
    }

    @Test("messages by SMS, which nobody takes, do not keep mail from being sent")
    func mailBehindSMS() async throws {
        let stage = try PoolStage()
        let (_, client) = try await stage.makePool(["AutoVerifiedAttributes": ["email", "phone_number"]])
        func signUp(_ name: String, _ attribute: String, _ value: String) async throws {
            try await stage.get(
                "SignUp",
                [
                    "ClientId": .string(client), "Username": .string(name), "Password": "Passw0rd!",
                    "UserAttributes": [["Name": .string(attribute), "Value": .string(value)]],
                ])
        }
        for number in 0..<3 { try await signUp("sms\(number)", "phone_number", "+4915112345\(number)") }
        try await signUp("mail", "email", "mail@example.com")
        let due = await stage.pools.dueMessages(limit: 1)
        #expect(due.map(\.recipient) == ["mail@example.com"])
    }
}
