import JSON
import Synchronization
import Testing

@testable import UserPools

@Suite("Administration")
struct AdministrationTests {
    @Test("operations of the administration need a signature, unknown ones have a name of their own")
    func access() async throws {
        let stage = try PoolStage()
        let result = await stage.call("ListUserPools", ["MaxResults": 1], isSigned: false)
        #expect(
            result.mapError(CognitoErrorBox.init).failure
                == "UnrecognizedClientException: The security token included in the request is invalid.")
        #expect(await stage.call("None", [:]).failureError?.name == "UnknownOperationException")
    }

    @Test("users are listed by pages and found by filters")
    func list() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        for index in 0..<25 {
            try await stage.get(
                "AdminCreateUser",
                [
                    "UserPoolId": .string(pool), "Username": .string("user\(index < 10 ? "0" : "")\(index)"),
                    "UserAttributes": [
                        ["Name": "email", "Value": .string("\(index % 2 == 0 ? "even" : "odd")\(index)@example.com")],
                        ["Name": "name", "Value": "A \"quoted\" name"],
                    ], "MessageAction": "SUPPRESS", "TemporaryPassword": "Temp-0rary",
                ])
        }
        var names: [String] = []
        var token: JSONValue?
        repeat {
            var body: JSONObject = ["UserPoolId": .string(pool), "Limit": 10]
            if let token { body["PaginationToken"] = token }
            let page = try await stage.get("ListUsers", body)
            names += page["Users"]?.arrayValue?.compactMap { $0["Username"]?.stringValue } ?? []
            token = page["PaginationToken"]
        } while token != nil
        #expect(names == (0..<25).map { "user\($0 < 10 ? "0" : "")\($0)" })
        func count(_ filter: String) async throws -> Int? {
            try await stage.get("ListUsers", ["UserPoolId": .string(pool), "Filter": .string(filter)])["Users"]?
                .arrayValue?.count
        }
        #expect(try await count("email ^= \"odd\"") == 12)
        #expect(try await count("email = \"even4@example.com\"") == 1)
        #expect(try await count("username ^= \"user0\"") == 10)
        #expect(try await count("name = \"A \\\"quoted\\\" name\"") == 25)
        #expect(try await count("status = \"Enabled\"") == 25)
        #expect(try await count("cognito:user_status = \"FORCE_CHANGE_PASSWORD\"") == 25)
        #expect(try await count("cognito:user_status = \"CONFIRMED\"") == 0)
        for filter in ["email", "email =", "email = x", "none = \"x\"", "email = \"x", "email = \"x\" and"] {
            await stage.expect(
                "InvalidParameterException", "Error while parsing filter expression.", "ListUsers",
                ["UserPoolId": .string(pool), "Filter": .string(filter)])
        }
        await stage.expect(
            "InvalidParameterException", nil, "ListUsers", ["UserPoolId": .string(pool), "PaginationToken": "x"])
    }

    @Test("groups are made, listed, changed and removed")
    func groups() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        let group: JSONObject = ["UserPoolId": .string(pool), "GroupName": "staff"]
        try await stage.get("CreateGroup", group)
        await stage.expect(
            "GroupExistsException", "A group with the name already exists.", "CreateGroup", group)
        var member = group
        member["Username"] = "jane"
        try await stage.get("AdminAddUserToGroup", member)
        #expect(try await stage.get("ListUsersInGroup", group)["Users"]?.arrayValue?.count == 1)
        let listed = try await stage.get("AdminListGroupsForUser", ["UserPoolId": .string(pool), "Username": "jane"])
        #expect(listed["Groups"]?.arrayValue?.first?["GroupName"] == "staff")
        try await stage.get("AdminRemoveUserFromGroup", member)
        #expect(try await stage.get("ListUsersInGroup", group)["Users"]?.arrayValue?.isEmpty == true)
        try await stage.get("DeleteGroup", group)
        await stage.expect("ResourceNotFoundException", "Group not found.", "GetGroup", group)
        await stage.expect("ResourceNotFoundException", "Group not found.", "AdminAddUserToGroup", member)
    }

    @Test(
        "a user is disabled, or has to reset the password, in the write that ends the sessions",
        arguments: ["AdminDisableUser", "AdminResetUserPassword"])
    func endedSessions(_ operation: String) async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        try await stage.makeUserWithoutPassword("jane", in: pool)
        let user: JSONObject = ["UserPoolId": .string(pool), "Username": "jane"]
        var attributes = user
        attributes["UserAttributes"] = [
            ["Name": "email", "Value": "jane@example.com"], ["Name": "email_verified", "Value": "true"],
        ]
        try await stage.get("AdminUpdateUserAttributes", attributes)
        let before = try #require(try await stage.pools.records.get(User.self, pool, "jane"))
        try await stage.get(operation, user)
        let after = try #require(try await stage.pools.records.get(User.self, pool, "jane"))
        #expect(!after.isEnabled || after.status == .resetRequired)
        #expect(after.generation == before.generation + 1)
        // Of two writes, a server that stops between them has done one.
        #expect(after.revision == before.revision + 1)
    }

    @Test("settings that contradict each other are refused")
    func contradictions() async throws {
        let stage = try PoolStage()
        for settings: JSONObject in [
            ["UsernameAttributes": ["email"], "AliasAttributes": ["email"]], ["UsernameAttributes": ["name"]],
            ["Policies": ["PasswordPolicy": ["MinimumLength": 3]]], ["MfaConfiguration": "SOMETIMES"],
            ["Schema": [["Name": "x", "AttributeDataType": "Text"]]],
            ["Schema": [["Name": "email", "AttributeDataType": "Number"]]], ["Schema": [["Name": "x"], ["Name": "x"]]],
            ["Schema": [["Name": "x", "Required": true]]], ["AutoVerifiedAttributes": ["name"]],
            [
                "Schema": [
                    ["Name": "x", "StringAttributeConstraints": ["MinLength": "3", "MaxLength": "2"]]
                ]
            ],
        ] {
            var body = settings
            body["PoolName"] = "test"
            let result = await stage.call("CreateUserPool", body)
            #expect(result.failureError?.name == "InvalidParameterException", "\(settings)")
        }
    }

    @Test("settings of a client that contradict each other are refused, and leave a client as it was")
    func clientContradictions() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        let code: JSONObject = ["AllowedOAuthFlows": ["code"], "CallbackURLs": ["a://b"]]
        for (settings, error) in [
            (["AllowedOAuthFlows": ["client_credentials"]], "InvalidOAuthFlowException"),
            (["AllowedOAuthFlowsUserPoolClient": true], "InvalidOAuthFlowException"),
            (["AllowedOAuthFlows": ["code"]], "InvalidParameterException"),
            (code.with("AllowedOAuthScopes", ["mail"]), "ScopeDoesNotExistException"),
            (code.with("DefaultRedirectURI", "a://c"), "InvalidParameterException"),
            (["SupportedIdentityProviders": ["Google"]], "InvalidParameterException"),
            (["WriteAttributes": ["email_verified"]], "InvalidParameterException"),
            (["ReadAttributes": ["shoe"]], "InvalidParameterException"),
            (["ExplicitAuthFlows": ["USER_PASSWORD_AUTH", "ALLOW_USER_SRP_AUTH"]], "InvalidParameterException"),
            (
                ["TokenValidityUnits": ["RefreshToken": "hours"], "RefreshTokenValidity": 1, "IdTokenValidity": 2],
                "InvalidParameterException"
            ),
        ] as [(JSONObject, String)] {
            var body = settings
            (body["UserPoolId"], body["ClientName"]) = (.string(pool), "app")
            await stage.expect(error, nil, "CreateUserPoolClient", body)
            body["ClientId"] = .string(client)
            await stage.expect(error, nil, "UpdateUserPoolClient", body)
        }
        #expect(stage.pools.directory.clients(of: pool).map(\.id) == [client])
        // With a secret, a client may act for itself.
        try await stage.get(
            "CreateUserPoolClient",
            [
                "UserPoolId": .string(pool), "ClientName": "machine", "GenerateSecret": true,
                "AllowedOAuthFlows": ["client_credentials"], "AllowedOAuthScopes": ["notes/read"],
                "AllowedOAuthFlowsUserPoolClient": true,
            ])
    }

    @Test(
        "attributes are added once, and second factors are neither chosen where MFA is off nor all removed where it is on"
    )
    func laterContradictions() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        let added: JSONObject = ["UserPoolId": .string(pool), "CustomAttributes": [["Name": "x"]]]
        try await stage.get("AddCustomAttributes", added)
        await stage.expect(
            "InvalidParameterException", "custom:x: Existing attribute already has name custom:x.",
            "AddCustomAttributes", added)
        func mfa(_ configuration: String, _ isEnabled: Bool) -> JSONObject {
            [
                "UserPoolId": .string(pool), "MfaConfiguration": .string(configuration),
                "SoftwareTokenMfaConfiguration": ["Enabled": .bool(isEnabled)],
            ]
        }
        await stage.expect(
            "InvalidParameterException",
            "Invalid MFA configuration given, can't turn off MFA and configure an MFA together.",
            "SetUserPoolMfaConfig", mfa("OFF", true))
        await stage.expect(
            "InvalidParameterException",
            "Invalid MFA configuration given, can't disable all MFAs with a required or optional configuration.",
            "SetUserPoolMfaConfig", mfa("ON", false))
        try await stage.get("SetUserPoolMfaConfig", mfa("ON", true))
        try await stage.get("SetUserPoolMfaConfig", mfa("OFF", false))
    }

    @Test("the users that a pool begins with are checked where they stand")
    func seeds() {
        let reader = SettingsReader([
            "name": "x", "groups": [["name": "staff"]],
            "users": [
                [
                    "username": "ada", "password": "Passw0rd!", "attributes": ["email": "a@example.com"],
                    "groups": ["staff"],
                ],
                ["password": "short"], ["username": "ben", "attributes": ["shoe": "42"], "secret": "x"],
            ],
        ])
        let pool = UserPool("us-east-1_x", reader, isConfiguration: true)
        #expect(pool.users.count == 3)
        #expect(
            reader.problems.map { $0.path.joined(separator: ".") } == [
                "users.1.username", "users.1.password", "users.2.attributes", "users.2.secret",
            ])
    }

    @Test("a removed pool takes its users and clients with it")
    func removal() async throws {
        let keys = MemoryKeys()
        let stage = try PoolStage(keyStorage: keys.storage)
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        let tokens = try await stage.tokens("jane", client)
        let signing = SigningKeys.fileName(pool)
        #expect(keys.files.withLock { $0[signing] } != nil)
        keys.fails.withLock { $0 = true }
        await #expect(throws: CognitoError.self) {
            try await stage.call("DeleteUserPool", ["UserPoolId": .string(pool)]).get()
        }
        #expect(
            try await stage.get("ListUsers", ["UserPoolId": .string(pool)])["Users"] == [], "it can be removed again")
        keys.fails.withLock { $0 = false }
        try await stage.get("DeleteUserPool", ["UserPoolId": .string(pool)])
        #expect(keys.files.withLock { $0[signing] } == nil)
        await stage.expect(
            "ResourceNotFoundException", "User pool \(pool) does not exist.", "ListUsers", ["UserPoolId": .string(pool)]
        )
        await stage.expect(
            "ResourceNotFoundException", "User pool client \(client) does not exist.", "GetTokensFromRefreshToken",
            ["RefreshToken": .string(tokens.refresh), "ClientId": .string(client)])
        await #expect(throws: TokenRefusal.self) { try await stage.pools.authenticate(tokens.access) }
    }

    @Test("no body of any operation brings the server down or is answered with what is no exception")
    func fuzz() async throws {
        let seed = UInt64.testSeed(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(["AutoVerifiedAttributes": ["email"]])
        try await stage.makeUser("jane", in: pool)
        let tokens = try await stage.tokens("jane", client)
        func value(_ depth: Int) -> JSONValue {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: .null
            case 1: .bool(.random(using: &generator))
            case 2:
                .number(["0", "-1", "1e400", "99999999999999999999", "0.5"].randomElement(using: &generator) ?? "0")
            case 3: .string(String(repeating: "a", count: Int.random(in: 0...3_000, using: &generator)))
            case 4:
                .string(
                    ["", "\u{0}", "jane", "😀", "+15550001234", "../..", "a#b", "k.AAAA"].randomElement(
                        using: &generator) ?? "")
            case 5 where depth < 3: .array((0..<3).map { _ in value(depth + 1) })
            case 6 where depth < 3:
                .object(
                    JSONObject(
                        ["Name", "Value", "USERNAME", "SRP_A", "PASSWORD", "Enabled"].map { ($0, value(depth + 1)) }))
            case 7: .string(tokens.access)
            case 8: .string(tokens.refresh)
            case 9: .string(pool)
            case 10: .string(client)
            default: .string("jane")
            }
        }
        for operation in OperationTable.userPools where operation.name != "DeleteUserPool" {
            for _ in 0..<12 {
                var body = JSONObject()
                for member in operation.members where Int.random(in: 0..<8, using: &generator) > 0 {
                    switch (member.name, Int.random(in: 0..<3, using: &generator)) {
                    case ("UserPoolId", 1...): body[member.name] = .string(pool)
                    case ("ClientId", 1...): body[member.name] = .string(client)
                    case ("AccessToken", 1...): body[member.name] = .string(tokens.access)
                    default:
                        if case .enumeration(let values) = member.kind, Bool.random(using: &generator) {
                            body[member.name] = .string(values.randomElement(using: &generator) ?? "")
                        } else {
                            body[member.name] = value(0)
                        }
                    }
                }
                if case .failure(let error) = await stage.call(operation.name, body) {
                    #expect(error.name != "InternalErrorException", "seed \(seed): \(operation.name) \(body)")
                }
            }
        }
    }
}

extension JSONObject {
    /// The object with another member.
    fileprivate func with(_ name: String, _ value: JSONValue) -> JSONObject {
        var object = self
        object[name] = value
        return object
    }
}
