import Foundation
import Testing
import Transformer
import UserPools

@testable import Server

@Suite("Settings of user pools that contradict each other")
struct ContradictionTests {
    private func problem(_ text: String) throws -> Diagnostic {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(
            text.split(separator: "¶", omittingEmptySubsequences: false).joined(separator: "\n"), to: "syncline.json")
        let error = try #require(
            #expect(throws: ServerError.self) {
                try Configuration.load(
                    SettingTexts(for: .serve, flags: [.config: [folder.path("syncline.json")]], environment: [:]))
            })
        return try #require(error.diagnostics.first)
    }

    private func check(_ contradiction: Contradiction) throws {
        let problem = try problem(contradiction.text)
        #expect(problem.message.contains(contradiction.message), "\(problem.message)")
        #expect(problem.place?.line == 2, "\(problem.message) \(String(describing: problem.place))")
    }

    @Test("a pool that contradicts itself stops the load with its place", arguments: Contradiction.ofPools)
    func pool(_ contradiction: Contradiction) throws { try check(contradiction) }

    @Test(
        "a client that contradicts itself or its pool stops the load with its place", arguments: Contradiction.ofClients
    )
    func client(_ contradiction: Contradiction) throws { try check(contradiction) }

    @Test("a user who contradicts the pool stops the load with its place", arguments: Contradiction.ofUsers)
    func user(_ contradiction: Contradiction) throws { try check(contradiction) }

    @Test(
        "pools, clients and keys that contradict each other stop the load with their place",
        arguments: Contradiction.ofSeveral)
    func several(_ contradiction: Contradiction) throws { try check(contradiction) }

    @Test("a contradiction comes with what to do, and never with a secret or a password")
    func hints() throws {
        let scope = try problem(#"{"userPool": {"clients": [{"callbackURLs": ["a://b"], "scopes": ["mail"]}]}}"#)
        #expect(scope.hint == "The scopes are openid, email, phone, profile, aws.cognito.signin.user.admin.")
        let provider = try problem(
            #"{"userPool": {"clients": [{"secret": "hush", "supportedIdentityProviders": ["Google"]}]}}"#)
        #expect(provider.hint == "Known providers: COGNITO." && provider.place?.sourceLine == "")
        let user = try problem(#"{"userPool": {"users": [{"username": "ada", "password": "Passw0rd"}]}}"#)
        #expect(user.message.contains("symbol") && user.place?.sourceLine == "")
    }

    @Test("a secret that is not there is one error, which names the variable or the file")
    func unreadableSecrets() throws {
        let text = """
            {
                "userPool": {
                    "name": "x",
                    "clients": [
                        {"name": "a", "secret": {"env": "SYNCLINE_TEST_NONE"}}
                    ],
                    "identityProviders": [
                        {"type": "SignInWithApple", "clientId": "x", "teamId": "t", "keyId": "k",
                         "privateKey": {"file": "none.p8"}}
                    ]
                },
                "accessKeys": [{"id": "A", "secret": "${SYNCLINE_TEST_NONE}"}]
            }
            """
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(text, to: "syncline.json")
        let (_, error) = Configuration.examine(
            SettingTexts(for: .serve, flags: [.config: [folder.path("syncline.json")]], environment: [:]))
        let variable = "The environment variable SYNCLINE_TEST_NONE, which holds a secret, is not set."
        #expect(
            Set((error?.diagnostics ?? []).map(\.message)) == [
                variable, "The file none.p8, which holds a secret, cannot be read or is empty.",
            ])
        #expect(error?.diagnostics.count == 3)
    }

    @Test("the configurations in docs/users.md are loaded")
    func documented() throws {
        let text = try String(contentsOf: TidyTests.root.appending(path: "docs/users.md"), encoding: .utf8)
        let blocks = text.components(separatedBy: "```json\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
        let configurations = blocks.filter { $0.contains("\"userPool\"") }
        #expect(configurations.count == 2)
        for configuration in configurations {
            // The secrets stand elsewhere, and the key of Sign in with Apple is none of P-256 here.
            let readable = configuration.replacing(#/\{"(env|file)": "[^"]*"\}/#, with: "\"x\"")
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.write(readable, to: "syncline.json")
            let (_, error) = Configuration.examine(
                SettingTexts(for: .serve, flags: [.config: [folder.path("syncline.json")]], environment: [:]))
            let messages = (error?.diagnostics ?? []).map(\.message).filter { !$0.contains("'privateKey'") }
            #expect(messages == [])
        }
    }

    @Test("settings that agree are loaded, and identity pools may be several")
    func valid() throws {
        let text = """
            {
                "functions": {"decide": "http://localhost:9000/decide"},
                "userPool": [
                    {
                        "name": "a", "usernameAttributes": ["email"], "autoVerifiedAttributes": ["email"],
                        "requiredAttributes": ["email"], "mfaConfiguration": "ON", "enabledMfas": ["EMAIL_OTP"],
                        "customAttributes": [
                            {"name": "level", "attributeDataType": "Number",
                             "numberAttributeConstraints": {"minValue": "1", "maxValue": 9}}
                        ],
                        "groups": [{"name": "staff"}],
                        "lambdaConfig": {
                            "preSignUp": "decide", "defineAuthChallenge": "http://localhost:1/d",
                            "createAuthChallenge": "arn:aws:lambda:us-east-1:1:function:decide",
                            "verifyAuthChallengeResponse": "decide",
                            "preTokenGenerationConfig": {"lambdaArn": "decide", "lambdaVersion": "V2_0"}
                        },
                        "identityProviders": [{"type": "Google", "clientId": "x"}],
                        "clients": [
                            {
                                "name": "app", "callbackURLs": ["a://b"], "defaultRedirectURI": "a://b",
                                "supportedIdentityProviders": ["COGNITO", "Google"],
                                "readAttributes": ["sub", "email", "email_verified", "custom:level"],
                                "writeAttributes": ["email"], "explicitAuthFlows": ["ALLOW_CUSTOM_AUTH"],
                                "accessTokenValidity": 30, "refreshTokenValidity": 2,
                                "tokenValidityUnits": {"accessToken": "minutes", "refreshToken": "hours"}
                            },
                            {"name": "machine", "secret": "s", "allowedOAuthFlows": ["client_credentials"],
                             "allowedOAuthScopes": ["notes/read"]}
                        ],
                        "users": [
                            {"username": "ada@example.com", "password": "Passw0rd!",
                             "attributes": {"email_verified": "true", "custom:level": "3"}, "groups": ["staff"]}
                        ]
                    },
                    {"id": "us-east-1_Other"}
                ],
                "identityPool": [
                    {"name": "one", "userPools": ["us-east-1_Other"]},
                    {"name": "two", "allowUnauthenticatedIdentities": true},
                    {"id": "eu-west-1:01234567-89ab-4cde-8f01-23456789abcd"}
                ]
            }
            """
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(text, to: "syncline.json")
        let configuration = try Configuration.load(
            SettingTexts(for: .serve, flags: [.config: [folder.path("syncline.json")]], environment: [:]))
        let served = configuration.userPools.settings(
            region: "us-east-1", mode: .serve, servedURL: "http://localhost", dataFolder: folder.path(""))
        #expect(served.pools.count == 2 && served.clients.count == 2)
        #expect(Set(served.identityPools.map(\.id)).count == 3)
        #expect(served.identityPools.last?.id == "eu-west-1:01234567-89ab-4cde-8f01-23456789abcd")
    }
}
