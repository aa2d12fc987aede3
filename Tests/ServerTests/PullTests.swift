import Codegen
import Crypto
import Foundation
import JSON
import Testing

@testable import Server

/// `syncline pull`, and the operators' path that it reads.
@Suite("Configuration files of clients, pulled")
struct PullTests {
    private static let path = "/operators/v1/config-files/"

    private func with(
        mode: Service.Mode = .serve, _ change: (inout Configuration) -> Void = { _ in },
        _ body: (TestServer, Client) async throws -> Void
    ) async throws {
        try await TestServer.withDataFolder(mode: mode, change, body)
    }

    private func bearer(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }

    @Test("the path wants the token of an operator who may edit; no API key and no viewer's token opens it")
    func authorization() async throws {
        try await with { server, client in
            let viewer = try Operators.create("ada", role: .viewer, of: server.configuration)
            let editor = try Operators.create("ben", role: .editor, of: server.configuration)
            for file in ClientFile.allCases {
                let path = Self.path + file.rawValue
                for headers in [[:], ["x-api-key": TestServer.key], bearer(TestServer.key), bearer(editor + "x")] {
                    let answer = try client.ask("GET", path, headers: headers)
                    #expect(answer.status == 401, "\(file) \(headers)")
                    #expect(answer["WWW-Authenticate"] == ["Bearer"])
                    #expect(try JSONReader.read(answer.body)["error"]?["code"] == "signed_out")
                    #expect(!answer.body.contains(TestServer.key))
                }
                let refused = try client.ask("GET", path, headers: bearer(viewer))
                #expect(refused.status == 403)
                #expect(try JSONReader.read(refused.body)["error"]?["code"] == "forbidden")
                let answer = try client.ask("GET", path, headers: bearer(editor))
                #expect(answer.status == 200, "\(answer.body)")
                let members = try #require(file.read(answer.body))
                #expect("\(JSONValue.object(members))".contains(TestServer.key))
            }
        }
    }

    @Test("in dev a program on this machine needs no token, and a page of another site gets nothing")
    func dev() async throws {
        try await with(mode: .dev) { _, client in
            #expect(try client.ask("GET", Self.path + "aws-exports.js").status == 200)
            let foreign = try client.ask(
                "GET", Self.path + "aws-exports.js",
                headers: ["Origin": "https://evil.example", "x-api-key": TestServer.key])
            #expect(foreign.status == 403)
        }
    }

    @Test("a name, an address or an environment that cannot be is refused")
    func refusals() async throws {
        try await with(mode: .dev) { _, client in
            for (target, status) in [
                ("config.json", 404), ("amplify_outputs.json?url=ftp://a", 422),
                ("amplify_outputs.json?host=a%20b", 422),
                ("amplify_outputs.json?environment=prod", 422), ("amplify_outputs.json?other=1", 422),
                ("amplify_outputs.json?url=http://a%22b", 422),
            ] {
                let answer = try client.ask("GET", Self.path + target)
                #expect(answer.status == status, "\(target)")
            }
        }
    }

    @Test("dev's pools, bucket and app are in the files, at the address that the client has")
    func contents() async throws {
        try await with(mode: .dev) { server, client in
            let text = try client.ask("GET", Self.path + "amplifyconfiguration.json?url=https://api.example.test").body
            let value = try JSONReader.read(text)
            let signIn = try #require(server.service.signIn)
            let api = value["api"]?["plugins"]?["awsAPIPlugin"]?["syncline"]
            #expect(api?["endpoint"] == "https://api.example.test/graphql" && api?["authorizationType"] == "API_KEY")
            let auth = value["auth"]?["plugins"]?["awsCognitoAuthPlugin"]
            let pool = auth?["CognitoUserPool"]?["Default"]
            #expect(pool?["PoolId"]?.stringValue == signIn.pools[0].id)
            #expect(pool?["AppClientId"]?.stringValue == signIn.pools[0].clients[0])
            #expect(pool?["Endpoint"] == "api.example.test")
            #expect(
                auth?["CredentialsProvider"]?["CognitoIdentity"]?["Default"]?["PoolId"]?.stringValue
                    == signIn.identityPools[0])
            #expect(auth?["Auth"]?["Default"]?["OAuth"]?["SignInRedirectURI"] == "myapp://callback/")
            #expect(value["storage"]?["plugins"]?["awsS3StoragePlugin"]?["bucket"] == "syncline")
            let app = value["analytics"]?["plugins"]?["awsPinpointAnalyticsPlugin"]?["pinpointAnalytics"]?["appId"]
            #expect(app?.stringValue == server.service.analyticsApps.first && app != nil)

            let outputs = try JSONReader.read(client.ask("GET", Self.path + "amplify_outputs.json?host=10.0.2.2").body)
            #expect(outputs["data"]?["url"]?.stringValue == "http://10.0.2.2:\(server.port)/graphql")
            #expect(outputs["data"]?["model_introspection"]?["models"]?["Message"] != nil)
            let own = try JSONReader.read(client.ask("GET", Self.path + "amplify_outputs.json").body)
            #expect(own["data"]?["url"]?.stringValue == server.service.url)
        }
    }

    @Test("a pool's settings are in the files in the words of the clients")
    func poolSettings() async throws {
        let pool: JSONObject = [
            "id": "us-east-1_People", "name": "people", "usernameAttributes": ["email"],
            "requiredAttributes": ["email", "name"], "autoVerifiedAttributes": ["email"],
            "mfaConfiguration": "OPTIONAL",
            "enabledMfas": ["SOFTWARE_TOKEN_MFA", "SMS_MFA"], "domain": "pages.example.test",
            "passwordPolicy": ["minimumLength": 12, "requireNumbers": true],
            "groups": [["name": "Admin", "precedence": 3]],
            "identityProviders": [
                ["name": "Google", "type": "Google", "clientId": "g", "clientSecret": "s"],
                [
                    "name": "Work", "type": "OIDC", "issuer": "https://issuer.example.test", "clientId": "w",
                    "clientSecret": "s",
                ],
            ],
            "clients": [
                [
                    "id": "native1", "name": "native", "secret": "a-secret-of-thirty-two-characters",
                    "explicitAuthFlows": ["CUSTOM_AUTH_FLOW_ONLY"], "callbackURLs": ["myapp://in/"],
                    "logoutURLs": ["myapp://out/"],
                ],
                ["id": "web1", "name": "web", "explicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH"]],
            ],
            "lambdaConfig": [
                "defineAuthChallenge": "http://127.0.0.1:9/d", "createAuthChallenge": "http://127.0.0.1:9/c",
                "verifyAuthChallengeResponse": "http://127.0.0.1:9/v",
            ],
        ]
        try await with(mode: .dev, { $0.userPools.pools = [pool] }) { _, client in
            let file = try client.ask("GET", Self.path + "awsconfiguration.json").body
            let members = JSONValue.object(try #require(ClientFile.awsConfiguration.read(file)))
            let native = members["CognitoUserPool"]?["Default"]
            #expect(native?["AppClientId"] == "native1")
            #expect(native?["AppClientSecret"] == "a-secret-of-thirty-two-characters")
            let auth = members["Auth"]?["Default"]
            #expect(auth?["authenticationFlowType"] == "CUSTOM_AUTH")
            #expect(auth?["usernameAttributes"] == ["EMAIL"] && auth?["verificationMechanisms"] == ["EMAIL"])
            #expect(Set(auth?["signupAttributes"]?.arrayValue ?? []) == ["EMAIL", "NAME"])
            #expect(auth?["mfaConfiguration"] == "OPTIONAL" && auth?["mfaTypes"] == ["TOTP", "SMS"])
            let policy = auth?["passwordProtectionSettings"]
            #expect(policy?["passwordPolicyMinLength"] == 12)
            #expect(policy?["passwordPolicyCharacters"] == ["REQUIRES_NUMBERS"])
            #expect(auth?["OAuth"]?["WebDomain"] == "pages.example.test" && auth?["socialProviders"] == ["GOOGLE"])

            let outputs = try JSONReader.read(client.ask("GET", Self.path + "amplify_outputs.json").body)["auth"]
            #expect(outputs?["user_pool_client_id"] == "web1" && outputs?["oauth"] == nil)
            #expect(outputs?["groups"] == [["Admin": ["precedence": 3]]])
            #expect(outputs?["password_policy"]?["require_numbers"] == true)
            #expect(outputs?["password_policy"]?["require_symbols"] == false)
        }
    }

    @Test("after a reload the files have the app whose events are then accepted")
    func reloadedApp() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("type A @model @auth(rules: [{allow: public}]) { id: ID! }", to: "schema.graphql")
        try folder.write(#"{"analytics": {"appId": "app-one"}}"#, to: "config/syncline.json")
        let server = try Running(["dev", "--port", "0", "--tls", "off", "--ephemeral"], in: folder)
        defer { server.stop() }
        func file() throws -> String {
            try server.connect().ask("GET", Self.path + "amplifyconfiguration.json", headers: [:]).body
        }
        #expect(try file().contains("app-one"))
        try folder.write(#"{"analytics": {"appId": "app-two"}}"#, to: "config/syncline.json")
        try await eventually { server.complaint.contains("Reloaded in ") }
        try await eventually { try file().contains("app-two") }
    }

    @Test("publicURL is the address where the request names none, and a host named goes before it")
    func publicURL() async throws {
        try await with(mode: .dev, { $0.userPools.publicURL = "https://api.example.test" }) { server, client in
            let exports = ClientFile.awsExports
            func endpoint(_ query: String) throws -> String? {
                let text = try client.ask("GET", Self.path + exports.rawValue + query).body
                return exports.read(text)?["aws_appsync_graphqlEndpoint"]?.stringValue
            }
            let (usual, named) = (try endpoint(""), try endpoint("?host=192.168.1.20"))
            #expect(usual == "https://api.example.test/graphql")
            #expect(named == "http://192.168.1.20:\(server.port)/graphql")
        }
    }

    @Test(
        "the flow of sign-ins is one that the client allows",
        arguments: [
            (["CUSTOM_AUTH_FLOW_ONLY"], "CUSTOM_AUTH"), (["USER_PASSWORD_AUTH"], "USER_SRP_AUTH"),
            (["ALLOW_CUSTOM_AUTH", "ALLOW_USER_PASSWORD_AUTH"], "USER_PASSWORD_AUTH"),
            (["ALLOW_CUSTOM_AUTH", "ALLOW_USER_SRP_AUTH"], "USER_SRP_AUTH"),
            (["ALLOW_USER_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"], "USER_AUTH"),
        ])
    func authenticationFlow(flows: [String], flow: String) async throws {
        let functions: JSONObject = [
            "defineAuthChallenge": "http://127.0.0.1:9/", "createAuthChallenge": "http://127.0.0.1:9/",
            "verifyAuthChallengeResponse": "http://127.0.0.1:9/",
        ]
        try await with(
            mode: .dev,
            {
                $0.userPools.pools = [
                    [
                        "name": "pool", "lambdaConfig": .object(functions),
                        "clients": [["name": "app", "explicitAuthFlows": .array(flows.map(JSONValue.string))]],
                    ]
                ]
            }
        ) { _, client in
            let text = try client.ask("GET", Self.path + "awsconfiguration.json").body
            let auth = try JSONReader.read(text)["Auth"]?["Default"]
            #expect(auth?["authenticationFlowType"]?.stringValue == flow)
        }
    }

    @Test("where the app runs decides the address, as far as the server's is a loopback address")
    func hosts() async throws {
        try await with(mode: .dev) { server, client in
            func address(_ query: String) throws -> String? {
                let text = try client.ask("GET", Self.path + "amplify_outputs.json" + query).body
                return ClientFile.amplifyOutputs.read(text).flatMap { ClientFile.amplifyOutputs.address(of: $0) }?.url
            }
            let own = LocalNetwork.address
            let status = try client.ask("GET", Self.path + "amplify_outputs.json?host=device").status
            #expect(status == (own == nil ? 422 : 200))
            var expected = [
                ("simulator", "http://127.0.0.1:\(server.port)"), ("emulator", "http://10.0.2.2:\(server.port)"),
                ("10.1.1.1:443&url=https://127.0.0.1:8443", "https://10.1.1.1"),
            ]
            if let own { expected.append(("device", "http://\(own):\(server.port)")) }
            for host in ["simulator", "emulator", "device"] {
                expected.append(("\(host)&url=https://api.example.test", "https://api.example.test"))
            }
            for (query, url) in expected {
                let found = try address("?host=\(query)")
                #expect(found == url, "\(query)")
            }
        }
    }

    @Test("devices are given the machine's address in a home's network before that of a container's bridge")
    func localNetwork() {
        #expect(
            LocalNetwork.preferred(of: ["127.0.0.1", "172.17.0.1", "::1", "fe80::1", "192.168.1.20"]) == "192.168.1.20")
        #expect(LocalNetwork.preferred(of: ["172.17.0.1", "10.0.0.5"]) == "10.0.0.5")
        #expect(LocalNetwork.preferred(of: ["172.17.0.1", "203.0.113.9"]) == "203.0.113.9")
        #expect(LocalNetwork.preferred(of: ["127.0.0.1", "172.17.0.1"]) == "172.17.0.1")
        #expect(LocalNetwork.preferred(of: ["127.0.0.1", "169.254.1.1", "fe80::1"]) == nil)
    }

    @Test("a loopback address is the same however it is written, for pull as for the server")
    func loopback() throws {
        for (host, isLoopback) in [
            ("localhost", true), ("127.0.0.1", true), ("127.1.2.3", true), ("[::1]", true), ("app.localhost", true),
            ("127.example.org", false), ("10.0.2.2", false), ("localhost.example.org", false),
        ] {
            let address = try #require(ClientAddress(url: "http://\(host):20002"))
            #expect(address.isLoopback == isLoopback, "\(host)")
        }
    }

    @Test("pull warns of a loopback address, and not where the app is said to run on this machine")
    func loopbackWarning() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("type Post @model { id: ID! title: String }", to: "schema.graphql")
        for (arguments, warns) in [
            ([], true), (["--host", "simulator"], false), (["--host", "emulator"], false),
            (["--host", "localhost"], true), (["--host", "192.168.1.20"], false),
        ] {
            let outcome = try run(["pull", "--out", "app"] + arguments, in: folder)
            #expect(outcome.code == 0, "\(outcome)")
            #expect(outcome.complaint.contains("warning: The files have http://") == warns, "\(arguments): \(outcome)")
        }
    }

    @Test("what a hostile server answers changes no file, is bounded, and does not get the token by a redirect")
    func hostileServer() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let old = #"{"api": {"plugins": {"awsAPIPlugin": {}}}, "mine": 1}"#
        try folder.write(old, to: "app/amplifyconfiguration.json")
        try folder.write("secret-token", to: "token")
        let large = #"{"version": "\#(String(repeating: "x", count: ClientFile.bytesMax))"}"#
        try await FunctionServer.with(.init(body: "stolen")) { thief, thiefURL in
            for answer: FunctionServer.Answer in [
                .init(body: "{}"), .init(body: "[1]"), .init(body: "<html>"), .init(body: large),
                .init(body: String(repeating: "[", count: 100_000)),
                .init(
                    body:
                        #"{"api": {"plugins": {"awsAPIPlugin": {"a": {"endpointType": "GraphQL", "endpoint": "ftp://a"}}}}}"#
                ),
                .init(status: 302, fields: [("Location", thiefURL)], body: ""),
                .init(
                    status: 401,
                    body: #"{"error": {"code": "signed_out", "message": "\u001b]0;owned\u0007", "requestId": "r"}}"#),
                .init(status: 500, body: ""),
            ] {
                try await FunctionServer.with(answer) { server, url in
                    let base = try #require(ClientAddress(url: url)).url
                    let outcome = try run(["pull", base, "--out", "app", "--token-file", "token"], in: folder)
                    #expect(outcome.code != 0, "\(answer.body.prefix(80))")
                    #expect(!outcome.complaint.contains("\u{1B}") && !outcome.complaint.contains("secret-token"))
                    #expect(server.calls.count == 1)
                    let text = try String(contentsOfFile: folder.path("app/amplifyconfiguration.json"), encoding: .utf8)
                    #expect(text == old)
                }
            }
            #expect(thief.calls.isEmpty)
        }
    }

    @Test("an operator's token that is none is refused before it is sent, and is never printed")
    func unreadableToken() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await FunctionServer.with(.init(body: "{}")) { server, url in
            let base = try #require(ClientAddress(url: url)).url
            for token in ["secret\u{1}token", "secret\u{E9}token", "secret\u{0}token"] {
                try folder.write(token, to: "token")
                let outcome = try run(["pull", base, "--token-file", "token"], in: folder)
                #expect(outcome.code == 2 && outcome.complaint.contains("operator's token"), "\(outcome)")
                #expect(!outcome.complaint.contains("secret") && !outcome.output.contains("secret"))
            }
            #expect(server.calls.isEmpty)
        }
        #expect(!(try run(["help", "pull"], in: folder)).output.contains("--token "))
    }

    @Test("the command to copy is one command of the shell, whatever the names in it are")
    func shellWords() throws {
        let address = try #require(ClientAddress(url: "http://[::1]:20002"))
        let command = PullCommand(address, environment: "dev; touch x #", authority: "o'hara/ca.pem")
        #expect(
            command.text
                == #"syncline pull 'http://[::1]:20002' --env 'dev; touch x #' --cacert 'o'\''hara/ca.pem'"#)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("", to: "complaint")
        for word in ["", "$(id)", "a b", "`id`", "it's", "a\nb", "~", "*", "dev"] {
            try folder.write("", to: "output")
            let process = try ChildProcess(
                "/bin/sh", ["-c", "printf %s \(ShellWord.quoted(word))"], in: folder.url.path,
                output: folder.path("output"), complaint: folder.path("complaint"))
            #expect(process.waitUntilExit() == 0)
            #expect(try String(contentsOfFile: folder.path("output"), encoding: .utf8) == word)
        }
    }

    @Test("connect says how an app is connected, to an operator who may only look, and has nothing secret")
    func connect() async throws {
        let path = "/operators/v1/connect"
        try await with { server, client in
            let viewer = try Operators.create("ada", role: .viewer, of: server.configuration)
            let editor = try Operators.create("ben", role: .editor, of: server.configuration)
            for headers in [[:], ["x-api-key": TestServer.key], bearer("x")] {
                #expect(try client.ask("GET", path, headers: headers).status == 401, "\(headers)")
            }
            func steps(_ query: String) throws -> JSONValue {
                let answer = try client.ask("GET", path + query, headers: bearer(viewer))
                #expect(answer.status == 200 && !answer.body.contains(TestServer.key), "\(answer.body)")
                return try JSONReader.read(answer.body)
            }
            let base = "http://127.0.0.1:\(server.port)"
            let own = try steps("")
            #expect(own["endpoint"]?.stringValue == "\(base)/graphql" && own["lastPull"] == .null)
            #expect(own["realtime"]?.stringValue == "ws://127.0.0.1:\(server.port)/graphql/realtime")
            #expect(own["pull"]?.stringValue == "syncline pull \(base)")
            #expect(own["files"] == ["amplifyconfiguration.json", "awsconfiguration.json"])
            let emulator = try steps("?client=kotlin&host=emulator")
            #expect(emulator["endpoint"]?.stringValue == "http://10.0.2.2:\(server.port)/graphql")
            #expect(emulator["pull"]?.stringValue == "syncline pull \(base) --host emulator")
            #expect(emulator["notes"]?.arrayValue?.count == 1)
            let web = try steps("?client=javascript&host=api.example.test:443")
            #expect(web["endpoint"] == "http://api.example.test:443/graphql")
            #expect(web["pull"] == "syncline pull http://api.example.test:443 --format aws-exports.js")
            let terminal = try steps("?client=curl")
            #expect(terminal["pull"] == .null)
            for query in ["?client=cobol", "?host=a%20b", "?other=1"] {
                #expect(try client.ask("GET", path + query, headers: bearer(viewer)).status == 422, "\(query)")
            }
            _ = try client.ask("GET", Self.path + "aws-exports.js", headers: bearer(editor))
            let after = try steps("")
            #expect(after["lastPull"]?["from"] == "127.0.0.1")
        }
    }

    @Test("the command of connect is the banner's, and writes files with the address that connect shows")
    func connectCommand() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("type Post @model { id: ID! title: String }", to: "schema.graphql")
        try folder.write(#"{"environmentName": "staging"}"#, to: "config/syncline.json")
        let server = try Running(["dev", "--port", "0", "--tls", "off"], in: folder)
        defer { server.stop() }
        func steps(_ query: String) throws -> JSONValue {
            try JSONReader.read(try server.connect().ask("GET", "/operators/v1/connect\(query)", headers: [:]).body)
        }
        let pull = try #require(try steps("?client=swift")["pull"]?.stringValue)
        #expect(server.output.contains("  Pull      \(pull)\n") && pull.hasSuffix("--env staging"), "\(pull)")
        for platform in ClientPlatform.allCases where !platform.files.isEmpty {
            let shown = try steps("?client=\(platform.rawValue)&host=emulator")
            let words = try #require(shown["pull"]?.stringValue).split(separator: " ").dropFirst().map(String.init)
            let outcome = try run(words + ["--out", platform.rawValue], in: folder)
            #expect(outcome.code == 0, "\(outcome)")
            for file in platform.files {
                let text = try String(
                    contentsOfFile: folder.path("\(platform.rawValue)/\(file.rawValue)"), encoding: .utf8)
                let members = try #require(file.read(text))
                #expect(file.address(of: members)?.graphQLURL == shown["endpoint"]?.stringValue, "\(file)")
            }
        }
    }

    @Test("pull names the environment that it takes, and says what to give where it has none or another one")
    func environments() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let empty = try run(["pull"], in: folder)
        #expect(empty.code == 3 && empty.complaint.contains("syncline pull http://HOST:PORT"), "\(empty)")
        #expect(empty.complaint.contains("--schema FILE_OR_FOLDER"), "\(empty)")
        try folder.write("type Post @model { id: ID! title: String }", to: "schema.graphql")
        let unnamed = try run(["pull", "--env", "dev"], in: folder)
        #expect(unnamed.code == 2 && unnamed.complaint.contains("Leave --env out: "), "\(unnamed)")
        #expect(try !run(["pull"], in: folder).output.contains("Environment"))
        try folder.write(#"{"environmentName": "staging"}"#, to: "config/syncline.json")
        let other = try run(["pull", "--env", "dev"], in: folder)
        #expect(other.code == 2 && other.complaint.contains("or give --env staging."), "\(other)")
        let named = try run(["pull"], in: folder)
        #expect(named.code == 0 && named.output.contains("Environment: staging\n"), "\(named)")
    }

    @Test("pull without a URL says what only dev adds, and serve's files do not have it")
    func added() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("type Post @model @auth(rules: [{ allow: public }]) { id: ID! }", to: "schema.graphql")
        let note = "In the files that is: "
        let plain = try run(["pull"], in: folder)
        #expect(plain.code == 0 && plain.complaint.contains("\(note)user pool, identity pool and bucket."), "\(plain)")
        try folder.write(#"{"storage": {"name": "own"}}"#, to: "config/syncline.json")
        let own = try run(["pull", "--format", "aws-exports.js"], in: folder)
        #expect(own.complaint.contains("\(note)user pool and identity pool."), "\(own)")
        let server = try Running(["serve", "--port", "0"], in: folder)
        defer { server.stop() }
        let served = try run(["pull", "--format", "aws-exports.js"], in: folder)
        #expect(served.code == 0 && !served.complaint.contains(note), "\(served)")
        #expect(!(try String(contentsOfFile: folder.path("aws-exports.js"), encoding: .utf8)).contains("user_pools_id"))
    }

    @Test("a certificate that is not trusted is named as the reason, with what to do")
    func distrust() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("type Post @model { id: ID! title: String }", to: "schema.graphql")
        let server = try Running(["dev", "--port", "0"], in: folder)
        defer { server.stop() }
        let other = try TemporaryFolder()
        defer { other.remove() }
        try other.write("type Post @model { id: ID! title: String }", to: "schema.graphql")
        let second = try Running(["dev", "--port", "0"], in: other)
        #expect(second.stop().code == 0)
        let (url, authority) = ("https://127.0.0.1:\(server.port)", folder.path(".syncline/tls/ca.pem"))
        let foreign = other.path(".syncline/tls/ca.pem")
        for (arguments, words) in [
            ([], "no authority"), (["--cacert", foreign], "neither \(foreign) nor an authority"),
        ] {
            let refused = try run(["pull", url] + arguments, in: folder)
            #expect(refused.code == 1, "\(refused)")
            #expect(refused.complaint.contains("The certificate of \(url) is not trusted: \(words)"), "\(refused)")
            #expect(refused.complaint.contains("--cacert FILE") && refused.complaint.contains("syncline trust"))
        }
        let trusted = try run(["pull", url, "--cacert", authority], in: folder)
        #expect(trusted.code == 0, "\(trusted)")
        try folder.write("no certificate", to: "bad.pem")
        for file in ["bad.pem", "missing.pem"] {
            let bad = try run(["pull", url, "--cacert", file], in: folder)
            #expect(bad.code == 2 && bad.complaint.contains("--cacert: \(file) cannot be read"), "\(bad)")
        }
    }

    @Test("a certificate for another name is refused, with what to do")
    func otherName() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let names = CertificateNames(["api.example.test"])
        let made = try CertificateFolder.prepare(nil, for: names, now: Date())
        try folder.write("type Post @model { id: ID! title: String }", to: "schema.graphql")
        try folder.write(made.authority.certificate.pem, to: "ca.pem")
        try folder.write(made.leaf.certificate.pem, to: "cert.pem")
        try folder.write(made.leaf.key.pemRepresentation, to: "key.pem")
        let server = try Running(["dev", "--port", "0", "--tls", "cert.pem,key.pem"], in: folder)
        defer { server.stop() }
        let before = folder.names
        for host in ["localhost", "127.0.0.1"] {
            let url = "https://\(host):\(server.port)"
            let refused = try run(["pull", url, "--cacert", "ca.pem"], in: folder)
            #expect(refused.code == 1, "\(refused)")
            #expect(refused.complaint.contains("The certificate of \(url) is not for \(host)."), "\(refused)")
            #expect(refused.complaint.contains("'tlsHosts'"), "\(refused)")
        }
        #expect(folder.names == before, "nothing was written")
    }

    @Test("a reload changes the files")
    func reload() async throws {
        try await with(mode: .dev) { server, client in
            var configuration = server.configuration
            configuration.region = "eu-west-3"
            let summary = try server.service.reload(configuration)
            try await server.service.reloadServices(configuration, summary)
            let text = try client.ask("GET", Self.path + "aws-exports.js").body
            #expect(ClientFile.awsExports.read(text)?["aws_project_region"] == "eu-west-3")
        }
    }

    @Test("the socket of a running server and the folder without one give the same members")
    func socket() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await TestServer.with({ ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("data")) }) { server in
            let client = OperatorClient(server.configuration)
            var configuration = server.configuration
            configuration.address.port = server.port
            let alone = try ClientFileSource(withoutServer: configuration)
            for file in ClientFile.allCases {
                var request = ClientFileRequest(file)
                request.address = ClientAddress(url: "http://10.0.2.2:1")
                #expect(try await client.clientFile(request) == file.value(try alone.backend(request)), "\(file)")
            }
        }
    }

    @Test("pull writes the two files of amplify-swift from the folder alone, and keeps what it does not know")
    func verb() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("type Post @model { id: ID! title: String }", to: "schema.graphql")
        let first = try run(["pull"], in: folder)
        #expect(first.code == 0, "\(first)")
        #expect(folder.names == ["amplifyconfiguration.json", "awsconfiguration.json", "schema.graphql"])
        func value(_ name: String) throws -> JSONValue {
            try JSONReader.read(Array(try Data(contentsOf: folder.url.appending(path: name))))
        }
        var object = try #require(try value("amplifyconfiguration.json").objectValue)
        #expect(object["api"]?["plugins"]?["awsAPIPlugin"]?["syncline"]?["apiKey"]?.stringValue == TestServer.key)
        object["geo"] = ["plugins": [:]]
        try folder.write("\(JSONValue.object(object))", to: "amplifyconfiguration.json")
        #expect(try run(["pull", "--host", "10.0.2.2:8080"], in: folder).code == 0)
        let again = try value("amplifyconfiguration.json")
        #expect(again["geo"] == ["plugins": [:]])
        #expect(
            again["api"]?["plugins"]?["awsAPIPlugin"]?["syncline"]?["endpoint"] == "http://10.0.2.2:8080/graphql")
        #expect(try run(["pull", "--host", "10.0.2.2:8080"], in: folder).output.contains("as they were"))

        let web = try run(["pull", "--out", "web", "--format", "aws-exports.js"], in: folder)
        #expect(web.code == 0 && folder.names.filter { $0.hasPrefix("web/") } == ["web/aws-exports.js"], "\(web)")
        try folder.write("export default {}", to: "web/aws-exports.js")
        let refused = try run(["pull", "--out", "web"], in: folder)
        #expect(refused.code == 7 && refused.complaint.contains("web/aws-exports.js"), "\(refused)")
        for arguments in [["--host", "a b"], ["ftp://a"], ["--token-file", "x"], ["--format", "x"]] {
            #expect(try run(["pull"] + arguments, in: folder).code == 2, "\(arguments)")
        }
    }

    @Test("an operator's token is in no log and no output of pull, whether it is accepted or not")
    func tokenInLogs() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(
            "type Post @model @auth(rules: [{allow: public}]) { id: ID! title: String }", to: "schema.graphql")
        let server = try Running(["serve", "--port", "0", "--log-level", "trace"], in: folder)
        defer { server.stop() }
        let made = try run(["operators", "create", "ben", "--role", "editor", "--token"], in: folder)
        let token = try #require(made.output.firstMatch(of: /[A-Za-z0-9_.-]{30,}/)?.output, "\(made)")
        let url = "http://127.0.0.1:\(server.port)"
        for (text, code) in [(String(token), Int32(0)), (token + "x", 1)] {
            try folder.write(text, to: "token")
            let outcome = try run(["pull", url, "--out", "app", "--token-file", "token"], in: folder)
            #expect(outcome.code == code && !(outcome.output + outcome.complaint).contains(token), "\(outcome)")
        }
        #expect(!(server.output + server.complaint).contains(token) && !server.complaint.isEmpty)
    }

    @Test("pull with URL sends the token of SYNCLINE_OPERATOR_TOKEN or a file; without it serve refuses")
    func remote() async throws {
        try await with { server, _ in
            let token = try Operators.create("ben", role: .editor, of: server.configuration)
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.write(token + "\n", to: "token")
            let url = "http://127.0.0.1:\(server.port)"
            let refused = try run(["pull", url, "--out", "app"], in: folder)
            #expect(refused.code == 1 && refused.complaint.contains("operators create"), "\(refused)")
            #expect(!folder.names.contains { $0.hasPrefix("app") })
            let written = try run(
                ["pull", url, "--out", "app", "--token-file", "token", "--format", "amplify_outputs.json"], in: folder)
            #expect(written.code == 0, "\(written)")
            let text = try String(contentsOfFile: folder.path("app/amplify_outputs.json"), encoding: .utf8)
            #expect(try JSONReader.read(text)["data"]?["url"]?.stringValue == "\(url)/graphql")
            let other = try run(["pull", url, "--token-file", "token", "--env", "prod"], in: folder)
            #expect(other.code == 2 && other.complaint.contains("environment"), "\(other)")
        }
    }
}
