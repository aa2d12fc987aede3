import JSON
import Synchronization
import Testing

@testable import UserPools

/// The errors that the reference names for each operation, by the exception's name and the text of its message
/// (reference: auth, "User-pool operations").
@Suite("Names and texts of errors")
struct ErrorTextTests {
    /// An operation with its body, and the error that answers it.
    private typealias Row = (operation: String, body: JSONObject, error: String)

    /// A stage with a pool and its client.
    private struct Stage {
        let stage: PoolStage
        let pool: String
        let client: String

        init(_ settings: JSONObject = [:], client: JSONObject = [:]) async throws {
            stage = try PoolStage()
            (pool, self.client) = try await stage.makePool(settings, client: client)
        }

        /// The members of an operation of the administration, about a user.
        func named(_ name: String, _ more: JSONObject = [:]) -> JSONObject {
            JSONObject([("UserPoolId", .string(pool)), ("Username", .string(name))] + more.map { ($0.key, $0.value) })
        }

        /// The members of an operation for everybody.
        func by(_ name: String, _ more: JSONObject = [:], at client: String? = nil) -> JSONObject {
            JSONObject(
                [("ClientId", .string(client ?? self.client)), ("Username", .string(name))]
                    + more.map { ($0.key, $0.value) })
        }

        func makeClient(_ settings: JSONObject) async throws -> JSONValue {
            var settings = settings
            (settings["UserPoolId"], settings["ClientName"]) = (.string(pool), "other")
            return try #require(try await stage.get("CreateUserPoolClient", settings)["UserPoolClient"])
        }

        func signUp(_ name: String, _ attributes: JSONValue = []) async throws {
            try await stage.get("SignUp", by(name, ["Password": "Passw0rd!", "UserAttributes": attributes]))
        }

        /// The error of a call, as `Name: text`.
        func error(_ operation: String, _ body: JSONObject, isSigned: Bool = true) async -> String? {
            await stage.call(operation, body, isSigned: isSigned).mapError(CognitoErrorBox.init).failure
        }

        func check(_ rows: [Row], sourceLocation: SourceLocation = #_sourceLocation) async {
            for row in rows {
                let error = await error(row.operation, row.body)
                #expect(error == row.error, "\(row.operation) \(row.body)", sourceLocation: sourceLocation)
            }
        }

        /// Begins a sign-in.
        func begin(_ flow: String, _ parameters: JSONObject, _ client: String? = nil) -> JSONObject {
            [
                "AuthFlow": .string(flow), "ClientId": .string(client ?? self.client),
                "AuthParameters": .object(parameters),
            ]
        }
    }

    private static let combination = "UserNotFoundException: Username/client id combination not found."
    private static let expired = "ExpiredCodeException: Invalid code provided, please request a code again."
    private static let mismatch = "CodeMismatchException: Invalid verification code provided, please try again."
    private static let unknown = "UserNotFoundException: User does not exist."
    private static let wrong = "NotAuthorizedException: Incorrect username or password."

    private static func violation(_ member: String, _ constraint: String) -> String {
        "InvalidParameterException: 1 validation error detected: Value at '\(member)' failed to satisfy constraint: "
            + "Member must \(constraint)"
    }

    private static let passwordPattern = "satisfy regular expression pattern: [\\S]+.*[\\S]+"

    private static func email(_ address: String, isVerified: Bool = false) -> JSONValue {
        let attribute: JSONValue = ["Name": "email", "Value": .string(address)]
        return isVerified ? [attribute, ["Name": "email_verified", "Value": "true"]] : [attribute]
    }

    @Test("of SignUp")
    func signUp() async throws {
        let test = try await Stage()
        try await test.stage.makeUser("jane", in: test.pool)
        func row(_ password: String, _ error: String) -> Row {
            ("SignUp", test.by("new", ["Password": .string(password)]), error)
        }
        func refused(_ rule: String) -> String {
            "InvalidPasswordException: Password did not conform with policy: \(rule)"
        }
        await test.check([
            ("SignUp", test.by("jane", ["Password": "Passw0rd!"]), "UsernameExistsException: User already exists"),
            row("Sh0rt!", refused("Password not long enough")),
            row("PASSW0RD!", refused("Password must have lowercase characters")),
            row("passw0rd!", refused("Password must have uppercase characters")),
            row("Password!", refused("Password must have numeric characters")),
            row("Passw0rdd", refused("Password must have symbol characters")),
            row(" Passw0rd!", Self.violation("password", Self.passwordPattern)),
            row("Passw0rd! ", Self.violation("password", Self.passwordPattern)),
            row("x", Self.violation("password", Self.passwordPattern)),
            row(
                String(repeating: "Passw0rd!", count: 29),
                Self.violation("password", "have length less than or equal to 256")),
            ("SignUp", test.by("new"), Self.violation("password", "not be null")),
            (
                "SignUp",
                test.by("new", ["Password": "Passw0rd!", "ValidationData": [["Name": "a"], ["Value": "b"]]]),
                Self.violation("validationData.2.member.name", "not be null")
            ),
        ])
        let required = try await Stage(["Schema": [["Name": "email", "Required": true]]])
        await required.check([
            (
                "SignUp", required.by("new", ["Password": "Passw0rd!"]),
                "InvalidParameterException: Attributes did not conform to the schema: email: The attribute is required\n"
            )
        ])
        let closed = try await Stage(["AdminCreateUserConfig": ["AllowAdminCreateUserOnly": true]])
        await closed.check([
            (
                "SignUp", closed.by("new", ["Password": "Passw0rd!"]),
                "NotAuthorizedException: SignUp is not permitted for this user pool"
            )
        ])
    }

    @Test(
        "of sign-ups with addresses that are taken",
        arguments: [("email", "jane@example.com"), ("phone_number", "+15550100")])
    func takenAddresses(attribute: String, address: String) async throws {
        let given = "An account with the given \(attribute) already exists."
        let value: JSONValue = [["Name": .string(attribute), "Value": .string(address)]]
        let addresses = try await Stage(["UsernameAttributes": [.string(attribute)]])
        try await addresses.signUp(address)
        let other = attribute == "email" ? "ben@example.com" : "+15550101"
        try await addresses.stage.makeUser(other, in: addresses.pool)
        let access = JSONValue.string(try await addresses.stage.tokens(other, addresses.client).access)
        await addresses.check([
            ("SignUp", addresses.by(address, ["Password": "Passw0rd!"]), "UsernameExistsException: \(given)"),
            (
                "AdminCreateUser", addresses.named(address),
                "UsernameExistsException: User account already exists"
            ),
            (
                "UpdateUserAttributes", ["AccessToken": access, "UserAttributes": value],
                "AliasExistsException: \(given)"
            ),
        ])
        let aliases = try await Stage([
            "AliasAttributes": [.string(attribute)], "AutoVerifiedAttributes": [.string(attribute)],
        ])
        for name in ["jane", "ben"] { try await aliases.signUp(name, value) }
        let codes = aliases.stage.messages.list.withLock { $0.map { $0.code ?? "" } }
        try await aliases.stage.get("ConfirmSignUp", aliases.by("jane", ["ConfirmationCode": .string(codes[0])]))
        await aliases.check([
            (
                "ConfirmSignUp", aliases.by("ben", ["ConfirmationCode": .string(codes[1])]),
                "AliasExistsException: An account with the \(attribute) already exists."
            )
        ])
    }

    @Test("of codes that confirm a sign-up")
    func confirmation() async throws {
        let test = try await Stage(["AutoVerifiedAttributes": ["email"]])
        let careful = try await test.makeClient(["PreventUserExistenceErrors": "ENABLED"])["ClientId"]?.stringValue
        try await test.stage.makeUser("jane", in: test.pool)
        try await test.signUp("new", Self.email("new@example.com"))
        let code: JSONObject = ["ConfirmationCode": .string(test.stage.messages.lastCode)]
        let confirmed = "NotAuthorizedException: User cannot be confirmed. Current status is CONFIRMED"
        await test.check([
            ("ConfirmSignUp", test.by("new", ["ConfirmationCode": "00000x"]), Self.mismatch),
            ("ConfirmSignUp", test.by("nobody", code), Self.combination),
            ("ConfirmSignUp", test.by("nobody", code, at: careful), Self.expired),
            ("ConfirmSignUp", test.by("jane", code), confirmed),
            ("ConfirmSignUp", test.by("jane", code, at: careful), Self.expired),
            ("AdminConfirmSignUp", test.named("jane"), confirmed),
            ("ResendConfirmationCode", test.by("nobody"), Self.combination),
            (
                "ResendConfirmationCode", test.by("jane"),
                "InvalidParameterException: User is already confirmed."
            ),
        ])
        #expect(await test.error("ResendConfirmationCode", test.by("nobody", at: careful)) == nil)
        test.stage.time.advance(seconds: 86_401)
        await test.check([("ConfirmSignUp", test.by("new", code), Self.expired)])
    }

    @Test("of every operation with an access token that is not accepted")
    func accessTokens() async throws {
        let test = try await Stage()
        let operations: [(String, JSONObject)] = [
            ("GetUser", [:]), ("UpdateUserAttributes", ["UserAttributes": []]),
            ("DeleteUserAttributes", ["UserAttributeNames": []]),
            ("GetUserAttributeVerificationCode", ["AttributeName": "email"]),
            ("VerifyUserAttribute", ["AttributeName": "email", "Code": "123456"]),
            ("ChangePassword", ["PreviousPassword": "Passw0rd!", "ProposedPassword": "N3w-Passw0rd"]),
            ("GlobalSignOut", [:]), ("AssociateSoftwareToken", [:]), ("VerifySoftwareToken", ["UserCode": "123456"]),
            ("SetUserMFAPreference", [:]), ("DeleteUser", [:]), ("ConfirmDevice", ["DeviceKey": "key"]),
            ("UpdateDeviceStatus", ["DeviceKey": "key"]), ("ForgetDevice", ["DeviceKey": "key"]),
            ("GetDevice", ["DeviceKey": "key"]), ("ListDevices", [:]), ("StartWebAuthnRegistration", [:]),
            ("CompleteWebAuthnRegistration", ["Credential": [:]]), ("ListWebAuthnCredentials", [:]),
            ("DeleteWebAuthnCredential", ["CredentialId": "id"]),
        ]
        for name in ["jane", "out", "disabled", "deleted"] { try await test.stage.makeUser(name, in: test.pool) }
        var tokens: [String: Tokens] = [:]
        for name in ["jane", "out", "disabled", "deleted"] {
            tokens[name] = try await test.stage.tokens(name, test.client)
        }
        let out = try #require(tokens["out"]?.access)
        try await test.stage.get("GlobalSignOut", ["AccessToken": .string(out)])
        try await test.stage.get("AdminDisableUser", test.named("disabled"))
        try await test.stage.get("AdminDeleteUser", test.named("deleted"))
        let jane = try #require(tokens["jane"])
        // A signature of other claims.
        var parts = jane.access.split(separator: ".")
        parts[2] = out.split(separator: ".")[2]
        let user = try #require(try await test.stage.pools.records.get(User.self, test.pool, "jane"))
        let session = UserPools.SignIn(
            pool: try #require(test.stage.pools.directory.pool(test.pool)),
            client: try #require(test.stage.pools.directory.client(test.client)), scopes: ["openid"])
        let scoped = try await test.stage.pools.beginSession(of: user, session)["AccessToken"]?.stringValue
        let refused: [(token: String?, error: String)] = [
            ("token", "NotAuthorizedException: Invalid Access Token"),
            (jane.id, "NotAuthorizedException: Invalid Access Token"),
            (parts.joined(separator: "."), "NotAuthorizedException: Could not verify signature for Access Token"),
            (scoped, "NotAuthorizedException: Access Token does not have required scopes"),
            (out, "NotAuthorizedException: Access Token has been revoked"),
            (tokens["disabled"]?.access, "NotAuthorizedException: User is disabled."),
            (tokens["deleted"]?.access, Self.unknown),
        ]
        func check(_ token: String?, _ error: String) async throws {
            let token = JSONValue.string(try #require(token))
            for (operation, body) in operations {
                var body = body
                body["AccessToken"] = token
                await test.check([(operation, body, error)])
            }
        }
        for (token, error) in refused { try await check(token, error) }
        test.stage.time.advance(seconds: 3_601)
        try await check(jane.access, "NotAuthorizedException: Access Token has expired")
    }

    @Test("of what users do with their own account")
    func ownAccount() async throws {
        let test = try await Stage(["Schema": [["Name": "email", "Required": true]]])
        try await test.stage.makeUser("jane", in: test.pool, Self.email("jane@example.com"))
        let reader = try await test.makeClient([
            "WriteAttributes": ["email"],
            "ExplicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
        ])["ClientId"]?.stringValue
        let access = JSONValue.string(try await test.stage.tokens("jane", test.client).access)
        let reading = JSONValue.string(try await test.stage.tokens("jane", try #require(reader)).access)
        func change(_ name: String, by token: JSONValue) -> JSONObject {
            ["AccessToken": token, "UserAttributes": [["Name": .string(name), "Value": "x"]]]
        }
        func verify(_ code: String) -> JSONObject {
            ["AccessToken": access, "AttributeName": "email", "Code": .string(code)]
        }
        func password(_ old: String, _ new: String) -> JSONObject {
            ["AccessToken": access, "PreviousPassword": .string(old), "ProposedPassword": .string(new)]
        }
        await test.check([
            (
                "UpdateUserAttributes", change("sub", by: access),
                "InvalidParameterException: user.sub: Attribute cannot be updated.\n"
            ),
            (
                "UpdateUserAttributes", change("name", by: reading),
                "NotAuthorizedException: A client attempted to write unauthorized attribute"
            ),
            (
                "UpdateUserAttributes", change("email_verified", by: access),
                "NotAuthorizedException: A client attempted to write unauthorized attribute"
            ),
            (
                "DeleteUserAttributes", ["AccessToken": access, "UserAttributeNames": ["email"]],
                "InvalidParameterException: user.email: The attribute is required\n"
            ),
            ("VerifyUserAttribute", verify("123456"), Self.expired),
            (
                "ChangePassword", password("Passw0rd!", "weak"),
                "InvalidPasswordException: Password did not conform with policy: Password not long enough"
            ),
            (
                "ChangePassword", password("Passw0rd!", " N3w-Passw0rd"),
                Self.violation("proposedPassword", Self.passwordPattern)
            ),
        ])
        try await test.stage.get(
            "GetUserAttributeVerificationCode", ["AccessToken": access, "AttributeName": "email"])
        await test.check([("VerifyUserAttribute", verify("00000x"), Self.mismatch)])
        for _ in 0..<5 { await test.check([("ChangePassword", password("wrong", "N3w-Passw0rd"), Self.wrong)]) }
        await test.check([
            (
                "ChangePassword", password("wrong", "N3w-Passw0rd"),
                "LimitExceededException: Attempt limit exceeded, please try after some time."
            )
        ])
    }

    @Test("of forgotten passwords")
    func forgottenPasswords() async throws {
        let test = try await Stage()
        let careful = try await test.makeClient(["PreventUserExistenceErrors": "ENABLED"])["ClientId"]?.stringValue
        try await test.stage.makeUser("jane", in: test.pool, Self.email("jane@example.com", isVerified: true))
        try await test.stage.makeUser("addressless", in: test.pool)
        try await test.stage.get("AdminCreateUser", test.named("invited", ["MessageAction": "SUPPRESS"]))
        let addressless =
            "InvalidParameterException: Cannot reset password for the user as there is no registered/verified email or "
            + "phone_number"
        await test.check([
            ("ForgotPassword", test.by("nobody"), Self.combination),
            ("ForgotPassword", test.by("addressless"), addressless),
            ("AdminResetUserPassword", test.named("addressless"), addressless),
            (
                "ForgotPassword", test.by("invited"),
                "NotAuthorizedException: User password cannot be reset in the current state."
            ),
        ])
        #expect(await test.error("ForgotPassword", test.by("nobody", at: careful)) == nil)
        func confirm(_ code: String, _ password: String) -> JSONObject {
            test.by("jane", ["ConfirmationCode": .string(code), "Password": .string(password)])
        }
        await test.check([("ConfirmForgotPassword", confirm("123456", "N3w-Passw0rd"), Self.expired)])
        try await test.stage.get("ForgotPassword", test.by("jane"))
        let code = test.stage.messages.lastCode
        await test.check([
            ("ConfirmForgotPassword", confirm("00000x", "N3w-Passw0rd"), Self.mismatch),
            (
                "ConfirmForgotPassword", confirm(code, "n3w-passw0rd"),
                "InvalidPasswordException: Password did not conform with policy: Password must have uppercase characters"
            ),
        ])
        test.stage.time.advance(seconds: 3_601)
        await test.check([("ConfirmForgotPassword", confirm(code, "N3w-Passw0rd"), Self.expired)])
    }

    @Test("of refresh tokens, also those that are revoked")
    func refreshTokens() async throws {
        let test = try await Stage()
        let secret = try await test.makeClient([
            "GenerateSecret": true, "ExplicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
        ])
        let secretID = try #require(secret["ClientId"]?.stringValue)
        for name in ["jane", "disabled"] { try await test.stage.makeUser(name, in: test.pool) }
        let tokens = try await test.stage.tokens("jane", test.client)
        let disabled = try await test.stage.tokens("disabled", test.client)
        try await test.stage.get("AdminDisableUser", test.named("disabled"))
        func revoke(_ token: String, _ client: String, _ more: JSONObject = [:]) -> JSONObject {
            JSONObject([("Token", .string(token)), ("ClientId", .string(client))] + more.map { ($0.key, $0.value) })
        }
        func refresh(_ token: String, _ error: String) -> [Row] {
            [
                (
                    "GetTokensFromRefreshToken", ["RefreshToken": .string(token), "ClientId": .string(test.client)],
                    "NotAuthorizedException: \(error)"
                ),
                (
                    "InitiateAuth", test.begin("REFRESH_TOKEN_AUTH", ["REFRESH_TOKEN": .string(token)]),
                    "NotAuthorizedException: \(error)"
                ),
            ]
        }
        let mismatch = "UnauthorizedException: Client secret does not match for the client: \(secretID)"
        await test.check(
            [
                (
                    "RevokeToken", revoke(tokens.access, test.client),
                    "UnsupportedTokenTypeException: Unsupported token type"
                ),
                ("RevokeToken", revoke(tokens.refresh, secretID), mismatch),
                ("RevokeToken", revoke(tokens.refresh, secretID, ["ClientSecret": "x"]), mismatch),
                (
                    "RevokeToken", revoke(tokens.refresh, secretID, ["ClientSecret": secret["ClientSecret"] ?? .null]),
                    "UnauthorizedException: The token was not issued to this client."
                ),
            ] + refresh("token", "Invalid Refresh Token") + refresh(disabled.refresh, "User is disabled."))
        #expect(await test.error("RevokeToken", revoke("unknown", test.client)) == nil)
        let kept = try await test.stage.tokens("jane", test.client)
        try await test.stage.get("RevokeToken", revoke(tokens.refresh, test.client))
        await test.check(refresh(tokens.refresh, "Refresh Token has been revoked"))
        test.stage.time.advance(seconds: 30 * 86_400 + 1)
        await test.check(refresh(kept.refresh, "Refresh Token has expired"))
    }

    @Test("of second factors, devices and passkeys")
    func factors() async throws {
        let test = try await Stage([
            "DeviceConfiguration": ["DeviceOnlyRememberedOnUserPrompt": true], "MfaConfiguration": "OPTIONAL",
        ])
        try await test.stage.makeUser("jane", in: test.pool)
        let access = JSONValue.string(try await test.stage.tokens("jane", test.client).access)
        let app: JSONObject = ["SoftwareTokenMfaSettings": ["Enabled": true]]
        let unverified = "InvalidParameterException: User has not verified software token mfa"
        let noDevice = "ResourceNotFoundException: Device does not exist."
        let device: JSONObject = ["AccessToken": access, "DeviceKey": "us-east-1_key"]
        var confirm = device
        confirm["DeviceSecretVerifierConfig"] = ["PasswordVerifier": "Ag==", "Salt": "AQ=="]
        try await test.stage.get("AssociateSoftwareToken", ["AccessToken": access])
        var rows: [Row] = [
            (
                "VerifySoftwareToken", ["AccessToken": access, "UserCode": "00000x"],
                "EnableSoftwareTokenMFAException: Code mismatch"
            ),
            (
                "SetUserMFAPreference", JSONObject([("AccessToken", access)] + app.map { ($0.key, $0.value) }),
                unverified
            ),
            ("AdminSetUserMFAPreference", test.named("jane", app), unverified),
            ("ConfirmDevice", confirm, noDevice),
            (
                "InitiateAuth",
                test.begin(
                    "USER_PASSWORD_AUTH",
                    [
                        "USERNAME": "jane", "PASSWORD": "Passw0rd!", "DEVICE_KEY": "us-east-1_key",
                    ]), noDevice
            ),
        ]
        for operation in ["UpdateDeviceStatus", "ForgetDevice", "GetDevice"] {
            rows.append((operation, device, noDevice))
        }
        for operation in ["AdminForgetDevice", "AdminGetDevice"] {
            rows.append((operation, test.named("jane", ["DeviceKey": "us-east-1_key"]), noDevice))
        }
        for operation in [
            "StartWebAuthnRegistration", "CompleteWebAuthnRegistration", "ListWebAuthnCredentials",
            "DeleteWebAuthnCredential",
        ] {
            rows.append(
                (operation, ["AccessToken": access], "WebAuthnNotEnabledException: Passkeys are not served."))
        }
        await test.check(rows)
    }

    @Test("of the administration of users and groups")
    func administration() async throws {
        let test = try await Stage()
        try await test.stage.makeUser("jane", in: test.pool)
        let group: JSONObject = ["GroupName": "admins"]
        try await test.stage.get("CreateGroup", ["UserPoolId": .string(test.pool), "GroupName": "known"])
        var rows: [Row] = [
            (
                "AdminCreateUser", test.named("jane"), "UsernameExistsException: User account already exists"
            ),
            ("AdminCreateUser", test.named("nobody", ["MessageAction": "RESEND"]), Self.unknown),
            (
                "AdminCreateUser", test.named("new", ["TemporaryPassword": " Passw0rd!"]),
                Self.violation("temporaryPassword", Self.passwordPattern)
            ),
            (
                "CreateGroup", ["UserPoolId": .string(test.pool), "GroupName": "known"],
                "GroupExistsException: A group with the name already exists."
            ),
        ]
        let ofUsers: [(String, JSONObject)] = [
            ("AdminSetUserPassword", ["Password": "Passw0rd!"]), ("AdminConfirmSignUp", [:]), ("AdminEnableUser", [:]),
            ("AdminDisableUser", [:]), ("AdminDeleteUser", [:]), ("AdminResetUserPassword", [:]),
            ("AdminUserGlobalSignOut", [:]), ("AdminGetUser", [:]),
            ("AdminUpdateUserAttributes", ["UserAttributes": []]),
            ("AdminDeleteUserAttributes", ["UserAttributeNames": []]), ("AdminSetUserMFAPreference", [:]),
            ("AdminAddUserToGroup", ["GroupName": "known"]), ("AdminRemoveUserFromGroup", ["GroupName": "known"]),
            ("AdminListGroupsForUser", [:]), ("AdminListDevices", [:]),
        ]
        for (operation, members) in ofUsers { rows.append((operation, test.named("nobody", members), Self.unknown)) }
        for operation in ["GetGroup", "UpdateGroup", "DeleteGroup", "ListUsersInGroup"] {
            rows.append(
                (
                    operation, ["UserPoolId": .string(test.pool), "GroupName": "admins"],
                    "ResourceNotFoundException: Group not found."
                ))
        }
        for operation in ["AdminAddUserToGroup", "AdminRemoveUserFromGroup"] {
            rows.append((operation, test.named("jane", group), "ResourceNotFoundException: Group not found."))
        }
        for filter in ["email", "email = x", "color = \"red\"", "email = \"a\" and name = \"b\"", "email ~ \"a\""] {
            rows.append(
                (
                    "ListUsers", ["UserPoolId": .string(test.pool), "Filter": .string(filter)],
                    "InvalidParameterException: Error while parsing filter expression."
                ))
        }
        // A pool and a client that do not exist.
        let none: JSONObject = [
            "UserPoolId": "us-east-1_None", "Username": "jane", "GroupName": "known", "ClientId": .string(test.client),
            "UserAttributes": [], "UserAttributeNames": [], "Password": "Passw0rd!", "DeviceKey": "key",
            "AuthFlow": "ADMIN_USER_PASSWORD_AUTH", "ChallengeName": "SMS_MFA", "ClientName": "x", "Domain": "x",
            "CustomAttributes": [],
        ]
        for operation in OperationTable.userPools where operation.members.contains(where: { $0.name == "UserPoolId" }) {
            rows.append(
                (operation.name, none, "ResourceNotFoundException: User pool us-east-1_None does not exist."))
        }
        for operation in OperationTable.userPools where operation.members.contains(where: { $0.name == "ClientId" }) {
            var body = none
            (body["UserPoolId"], body["ClientId"], body["ConfirmationCode"]) = (.string(test.pool), "none", "1")
            (body["RefreshToken"], body["Token"], body["AuthFlow"]) = ("x", "x", "USER_SRP_AUTH")
            rows.append((operation.name, body, "ResourceNotFoundException: User pool client none does not exist."))
        }
        await test.check(rows)
        for operation in OperationTable.userPools where operation.access == .signed {
            #expect(
                await test.error(operation.name, none, isSigned: false)
                    == "UnrecognizedClientException: The security token included in the request is invalid.")
        }
        #expect(await test.error("NoOperation", [:]) == "UnknownOperationException: ")
    }

    @Test("of sign-ins, in the order of their checks")
    func signIns() async throws {
        let test = try await Stage(["AutoVerifiedAttributes": ["email"]])
        let bare = try #require(
            try await test.makeClient(["ExplicitAuthFlows": ["ALLOW_REFRESH_TOKEN_AUTH"]])["ClientId"]?.stringValue)
        let careful = try #require(
            try await test.makeClient([
                "PreventUserExistenceErrors": "ENABLED",
                "ExplicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
            ])["ClientId"]?.stringValue)
        for name in ["jane", "disabled", "reset"] {
            try await test.stage.makeUser(
                name, in: test.pool, Self.email("\(name)@example.com", isVerified: true))
        }
        try await test.signUp("unconfirmed", Self.email("u@example.com"))
        try await test.stage.get(
            "AdminCreateUser", test.named("invited", ["TemporaryPassword": "Temp0rary!", "MessageAction": "SUPPRESS"]))
        try await test.stage.get("AdminDisableUser", test.named("disabled"))
        try await test.stage.get("AdminResetUserPassword", test.named("reset"))
        func admin(_ body: JSONObject) -> JSONObject {
            JSONObject([("UserPoolId", .string(test.pool))] + body.map { ($0.key, $0.value) })
        }
        func missing(_ name: String) -> String { "InvalidParameterException: Missing required parameter \(name)" }
        let flows =
            "USER_SRP_AUTH, REFRESH_TOKEN_AUTH, REFRESH_TOKEN, CUSTOM_AUTH, ADMIN_NO_SRP_AUTH, USER_PASSWORD_AUTH, "
            + "ADMIN_USER_PASSWORD_AUTH, USER_AUTH"
        var rows: [Row] = [
            (
                "InitiateAuth", test.begin("NO_AUTH", [:]),
                "InvalidParameterException: 1 validation error detected: Value 'NO_AUTH' at 'authFlow' failed to satisfy "
                    + "constraint: Member must satisfy enum value set: [\(flows)]"
            ),
            (
                "AdminInitiateAuth", admin(test.begin("ADMIN_USER_PASSWORD_AUTH", [:], bare)),
                "InvalidParameterException: Auth flow not enabled for this client"
            ),
            ("InitiateAuth", test.begin("USER_SRP_AUTH", [:]), missing("USERNAME")),
            ("InitiateAuth", test.begin("USER_SRP_AUTH", ["USERNAME": "jane"]), missing("SRP_A")),
            ("InitiateAuth", test.begin("USER_PASSWORD_AUTH", ["USERNAME": "jane"]), missing("PASSWORD")),
            ("InitiateAuth", test.begin("REFRESH_TOKEN_AUTH", [:]), missing("REFRESH_TOKEN")),
            (
                "RespondToAuthChallenge", ["ClientId": .string(test.client), "ChallengeName": "SMS_MFA"],
                missing("USERNAME")
            ),
            (
                "InitiateAuth", test.begin("CUSTOM_AUTH", ["USERNAME": "jane"]),
                "InvalidLambdaResponseException: DefineAuthChallenge is not configured: CUSTOM_AUTH needs its function."
            ),
            (
                "InitiateAuth", test.begin("USER_PASSWORD_AUTH", ["USERNAME": "nobody", "PASSWORD": "x"], careful),
                Self.wrong
            ),
        ]
        for flow in ["USER_SRP_AUTH", "USER_PASSWORD_AUTH", "CUSTOM_AUTH", "USER_AUTH"] {
            rows.append(
                (
                    "InitiateAuth", test.begin(flow, [:], bare),
                    "InvalidParameterException: \(flow) flow not enabled for this client"
                ))
        }
        let states = [
            ("nobody", Self.unknown), ("disabled", "NotAuthorizedException: User is disabled."),
            ("unconfirmed", "UserNotConfirmedException: User is not confirmed."),
            ("reset", "PasswordResetRequiredException: Password reset required for the user"),
        ]
        for (name, error) in states {
            // The state comes before the password, in both flows.
            let name = JSONValue.string(name)
            rows.append(
                ("InitiateAuth", test.begin("USER_PASSWORD_AUTH", ["USERNAME": name, "PASSWORD": "wrong"]), error))
            rows.append(("InitiateAuth", test.begin("USER_SRP_AUTH", ["USERNAME": name, "SRP_A": "abcdef"]), error))
            rows.append(
                (
                    "AdminInitiateAuth",
                    admin(test.begin("ADMIN_USER_PASSWORD_AUTH", ["USERNAME": name, "PASSWORD": "wrong"])), error
                ))
        }
        rows.append(
            ("InitiateAuth", test.begin("USER_PASSWORD_AUTH", ["USERNAME": "jane", "PASSWORD": "wrong"]), Self.wrong))
        await test.check(rows)

        // Sessions: used once, for a time, by their client and challenge.
        let asked = try await test.stage.signIn("invited", test.client, password: "Temp0rary!").get()
        #expect(asked["ChallengeName"] == "NEW_PASSWORD_REQUIRED")
        func answer(_ client: String, _ session: JSONValue, _ challenge: String = "NEW_PASSWORD_REQUIRED") -> JSONObject
        {
            [
                "ClientId": .string(client), "ChallengeName": .string(challenge), "Session": session,
                "ChallengeResponses": ["USERNAME": "invited", "NEW_PASSWORD": "N3w-Passw0rd"],
            ]
        }
        let session = asked["Session"] ?? .null
        await test.check([
            (
                "RespondToAuthChallenge", answer(careful, session),
                "NotAuthorizedException: Invalid session for the user."
            )
        ])
        let late = try await test.stage.signIn("invited", test.client, password: "Temp0rary!").get()["Session"] ?? .null
        try await test.stage.get("RespondToAuthChallenge", answer(test.client, session))
        await test.check([
            (
                "RespondToAuthChallenge", answer(test.client, session),
                "NotAuthorizedException: Invalid session for the user, session can only be used once."
            )
        ])
        test.stage.time.advance(seconds: 181)
        await test.check([
            (
                "RespondToAuthChallenge", answer(test.client, late),
                "NotAuthorizedException: Invalid session for the user, session is expired."
            )
        ])
        try await test.stage.get(
            "AdminSetUserPassword", test.named("invited", ["Password": "Temp0rary!", "Permanent": false]))
        test.stage.time.advance(seconds: 7 * 86_400 + 1)
        await test.check([
            (
                "InitiateAuth", test.begin("USER_PASSWORD_AUTH", ["USERNAME": "invited", "PASSWORD": "Temp0rary!"]),
                "NotAuthorizedException: Temporary password has expired and must be reset by an administrator."
            )
        ])
    }

    @Test("of the proof of a client's secret")
    func secrets() async throws {
        let test = try await Stage(client: ["GenerateSecret": true])
        try await test.stage.makeUser("jane", in: test.pool)
        let absent =
            "NotAuthorizedException: Client \(test.client) is configured with secret but SECRET_HASH was not received"
        let wrong = "NotAuthorizedException: Unable to verify secret hash for client \(test.client)"
        var rows: [Row] = []
        for (operation, members) in [
            ("SignUp", ["Password": "Passw0rd!"]), ("ConfirmSignUp", ["ConfirmationCode": "1"]),
            ("ResendConfirmationCode", [:]), ("ForgotPassword", [:]),
            ("ConfirmForgotPassword", ["ConfirmationCode": "1", "Password": "Passw0rd!"]),
        ] as [(String, JSONObject)] {
            var members = members
            rows.append((operation, test.by("jane", members), absent))
            members["SecretHash"] = "x"
            rows.append((operation, test.by("jane", members), wrong))
        }
        for flow in ["USER_SRP_AUTH", "USER_PASSWORD_AUTH", "CUSTOM_AUTH", "USER_AUTH"] {
            rows.append(("InitiateAuth", test.begin(flow, ["USERNAME": "jane"]), absent))
            rows.append(("InitiateAuth", test.begin(flow, ["USERNAME": "jane", "SECRET_HASH": "x"]), wrong))
        }
        await test.check(rows)
        let hash = JSONValue.string(
            OperationCall.secretHash(
                of: "jane", test.client, try #require(test.stage.pools.directory.client(test.client)?.secret)))
        let tokens = try Tokens(
            try await test.stage.get(
                "InitiateAuth",
                test.begin(
                    "USER_PASSWORD_AUTH", ["USERNAME": "jane", "PASSWORD": "Passw0rd!", "SECRET_HASH": hash])))
        let refresh: JSONObject = ["REFRESH_TOKEN": .string(tokens.refresh)]
        var proved = refresh
        proved["SECRET_HASH"] = "x"
        await test.check([
            ("InitiateAuth", test.begin("REFRESH_TOKEN_AUTH", refresh), absent),
            (
                "InitiateAuth", test.begin("REFRESH_TOKEN_AUTH", proved),
                "NotAuthorizedException: SecretHash does not match for the client: \(test.client)"
            ),
        ])
    }

    @Test("of codes of second factors")
    func factorCodes() async throws {
        let test = try await Stage(["MfaConfiguration": "OPTIONAL"])
        try await test.stage.makeUser("jane", in: test.pool)
        let access = JSONValue.string(try await test.stage.tokens("jane", test.client).access)
        let made = try await test.stage.get("AssociateSoftwareToken", ["AccessToken": access])
        let secret = FactorTests.bytes(try #require(made["SecretCode"]?.stringValue))
        let code = TOTP.code(secret: secret, step: test.stage.time.seconds / 30)
        try await test.stage.get("VerifySoftwareToken", ["AccessToken": access, "UserCode": .string(code)])
        try await test.stage.get(
            "SetUserMFAPreference",
            ["AccessToken": access, "SoftwareTokenMfaSettings": ["Enabled": true, "PreferredMfa": true]])
        let asked = try await test.stage.signIn("jane", test.client).get()
        func answer(_ code: String) -> JSONObject {
            [
                "ClientId": .string(test.client), "ChallengeName": "SOFTWARE_TOKEN_MFA",
                "Session": asked["Session"] ?? .null,
                "ChallengeResponses": ["USERNAME": "jane", "SOFTWARE_TOKEN_MFA_CODE": .string(code)],
            ]
        }
        let mismatch = "CodeMismatchException: Invalid code or auth state for the user."
        // A wrong one, and one of a step whose code was used.
        await test.check([
            ("RespondToAuthChallenge", answer("00000x"), mismatch),
            ("RespondToAuthChallenge", answer(code), mismatch),
        ])
    }

    @Test("of identity pools")
    func identityPools() async throws {
        let test = try await Stage()
        try await test.stage.makeUser("jane", in: test.pool)
        let tokens = try await test.stage.tokens("jane", test.client)
        let other = try await test.stage.makePool()
        try await test.stage.makeUser("ben", in: other.pool)
        let stranger = try await test.stage.tokens("ben", other.client)
        func call(_ operation: String, _ body: JSONObject) async -> Result<JSONObject, CognitoError> {
            await test.stage.pools.perform(
                "AWSCognitoIdentityService.\(operation)", body,
                from: Caller(
                    address: "127.0.0.1", accessKeyID: "AKIA", requestID: "r", baseURL: "http://127.0.0.1:20002"))
        }
        func error(_ operation: String, _ body: JSONObject) async -> String? {
            await call(operation, body).mapError(CognitoErrorBox.init).failure
        }
        let provider = "cognito-idp.us-east-1.amazonaws.com"
        func makePool(_ allowsGuests: Bool) async throws -> JSONValue {
            let made = try await call(
                "CreateIdentityPool",
                [
                    "IdentityPoolName": "pool", "AllowUnauthenticatedIdentities": .bool(allowsGuests),
                    "CognitoIdentityProviders": [
                        ["ProviderName": .string("\(provider)/\(test.pool)"), "ClientId": .string(test.client)]
                    ],
                ]
            ).get()
            return made["IdentityPoolId"] ?? .null
        }
        func logins(_ token: String, _ pool: String) -> JSONValue { .object(["\(provider)/\(pool)": .string(token)]) }
        let (open, closed) = (try await makePool(true), try await makePool(false))
        let none = "us-east-1:00000000-0000-4000-8000-000000000000"
        let own = try await call("GetId", ["IdentityPoolId": open, "Logins": logins(tokens.id, test.pool)]).get()
        let identity = try #require(own["IdentityId"]?.stringValue)
        let rows: [Row] = [
            (
                "GetId", ["IdentityPoolId": closed],
                "NotAuthorizedException: Unauthenticated access is not supported for this identity pool."
            ),
            (
                "GetId", ["IdentityPoolId": .string(none)],
                "ResourceNotFoundException: IdentityPool '\(none)' not found."
            ),
            (
                "GetId", ["IdentityPoolId": open, "Logins": logins("token", test.pool)],
                "NotAuthorizedException: Invalid login token."
            ),
            (
                "GetId", ["IdentityPoolId": open, "Logins": logins(tokens.access, test.pool)],
                "NotAuthorizedException: Invalid login token."
            ),
            (
                "GetId", ["IdentityPoolId": open, "Logins": logins(stranger.id, other.pool)],
                "NotAuthorizedException: Token is not from a supported provider of this identity pool."
            ),
            (
                "GetCredentialsForIdentity", ["IdentityId": .string(identity)],
                "NotAuthorizedException: Access to Identity '\(identity)' is forbidden."
            ),
            (
                "GetOpenIdToken", ["IdentityId": .string(identity)],
                "NotAuthorizedException: Access to Identity '\(identity)' is forbidden."
            ),
            (
                "GetCredentialsForIdentity", ["IdentityId": .string(none)],
                "ResourceNotFoundException: Identity '\(none)' not found."
            ),
            (
                "GetOpenIdToken", ["IdentityId": .string(none)],
                "ResourceNotFoundException: Identity '\(none)' not found."
            ),
        ]
        for row in rows { #expect(await error(row.operation, row.body) == row.error) }
        test.stage.time.advance(seconds: 3_601)
        let expires = try Tokens.claims(tokens.id)["exp"]?.intValue ?? 0
        #expect(
            await error("GetId", ["IdentityPoolId": open, "Logins": logins(tokens.id, test.pool)])
                == "NotAuthorizedException: Invalid login token. Token expired: \(expires) >= \(test.stage.time.seconds)"
        )
    }
}
