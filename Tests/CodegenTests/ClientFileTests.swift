import JSON
import Testing
import Transformer

@testable import Codegen

@Suite("Configuration files of clients")
struct ClientFileTests {
    private func backend(_ url: String = "http://127.0.0.1:20002") throws -> ClientBackend {
        var backend = ClientBackend(address: try #require(ClientAddress(url: url)))
        backend.api = ClientBackend.API()
        backend.api?.key = "da2-key"
        return backend
    }

    /// A backend with everything, with the ids of an Amplify project.
    private func full(_ url: String = "https://api.example.test") throws -> ClientBackend {
        var backend = try backend(url)
        backend.region = "eu-west-3"
        var api = ClientBackend.API(defaultMode: .userPools, otherModes: [.apiKey, .iam])
        (api.name, api.key, api.modelIntrospection) = ("chat", "da2-key", ["version": 1])
        backend.api = api
        var native = ClientBackend.Client(id: "native1")
        native.secret = "secret1"
        native.callbackURLs = ["https://app.test/", "myapp://in/"]
        native.logoutURLs = ["https://app.test/", "myapp://out/"]
        native.scopes = ["openid", "email"]
        native.socialProviders = [.google, .apple]
        var web = native
        (web.id, web.secret) = ("web1", nil)
        var pool = ClientBackend.UserPool(id: "eu-west-3_Chat", nativeClient: native, webClient: web)
        (pool.usernameAttributes, pool.requiredAttributes) = (["email"], ["email"])
        (pool.autoVerifiedAttributes, pool.mfaConfiguration, pool.mfaTypes) = (["email"], "OPTIONAL", ["TOTP"])
        pool.passwordPolicy.minimumLength = 10
        pool.passwordPolicy.requiresNumbers = true
        pool.groups = [.init(name: "Admin", precedence: 0)]
        backend.userPool = pool
        backend.identityPool = .init(id: "eu-west-3:1-2", allowsUnauthenticatedIdentities: false)
        (backend.buckets, backend.analyticsApp) = (["media", "other"], "app1")
        return backend
    }

    private func text(_ file: ClientFile, _ backend: ClientBackend, keeping old: String? = nil) throws -> String {
        let members = file.value(backend)
        guard let old else { return file.text(members) }
        return try #require(file.text(members, keeping: old))
    }

    private func value(_ file: ClientFile, _ backend: ClientBackend) throws -> JSONValue {
        .object(try #require(file.read(try text(file, backend))))
    }

    @Test("the region of the buckets is theirs in each file, where it is another one")
    func bucketRegion() throws {
        var backend = try full()
        backend.bucketRegion = "us-west-2"
        let json = try value(.amplifyConfiguration, backend)
        #expect(json["storage"]?["plugins"]?["awsS3StoragePlugin"]?["region"] == "us-west-2")
        #expect(
            json["auth"]?["plugins"]?["awsCognitoAuthPlugin"]?["S3TransferUtility"]?["Default"]?["Region"]
                == "us-west-2")
        let aws = try value(.awsConfiguration, backend)
        #expect(aws["S3TransferUtility"]?["Default"]?["Region"] == "us-west-2")
        #expect(aws["CognitoUserPool"]?["Default"]?["Region"] == "eu-west-3")
        let outputs = try value(.amplifyOutputs, backend)
        #expect(outputs["storage"]?["aws_region"] == "us-west-2" && outputs["data"]?["aws_region"] == "eu-west-3")
        #expect(outputs["storage"]?["buckets"]?.arrayValue?.allSatisfy { $0["aws_region"] == "us-west-2" } == true)
        #expect(try value(.awsExports, backend)["aws_user_files_s3_bucket_region"] == "us-west-2")
    }

    @Test("with an API key alone, amplifyconfiguration.json has the API and no other category")
    func keyAlone() throws {
        #expect(
            try text(.amplifyConfiguration, backend()) == """
                {
                    "UserAgent": "aws-amplify-cli/2.0",
                    "Version": "1.0",
                    "api": {
                        "plugins": {
                            "awsAPIPlugin": {
                                "syncline": {
                                    "endpointType": "GraphQL",
                                    "endpoint": "http://127.0.0.1:20002/graphql",
                                    "region": "us-east-1",
                                    "authorizationType": "API_KEY",
                                    "apiKey": "da2-key"
                                }
                            }
                        }
                    }
                }
                """)
        let outputs = try value(.amplifyOutputs, backend())
        #expect(
            outputs == [
                "version": "1",
                "data": [
                    "aws_region": "us-east-1", "url": "http://127.0.0.1:20002/graphql", "api_key": "da2-key",
                    "default_authorization_type": "API_KEY", "authorization_types": .array([]),
                ],
            ])
        #expect(
            try text(.awsExports, backend()).hasPrefix(
                """
                /* eslint-disable */
                // Written by syncline pull. Members that it does not know are kept.

                const awsmobile = {
                    "aws_project_region": "us-east-1",
                    "aws_appsync_graphqlEndpoint": "http://127.0.0.1:20002/graphql",
                """))
        #expect(try text(.awsExports, backend()).hasSuffix("};\n\n\nexport default awsmobile;\n"))
    }

    @Test("the auth plugin of amplifyconfiguration.json is the whole of awsconfiguration.json")
    func auth() throws {
        let (swift, aws) = (try value(.amplifyConfiguration, full()), try value(.awsConfiguration, full()))
        #expect(swift["auth"]?["plugins"]?["awsCognitoAuthPlugin"] == aws)
        #expect(swift.objectValue?.keys == ["UserAgent", "Version", "analytics", "api", "auth", "storage"])
        #expect(
            aws["CognitoUserPool"]?["Default"] == [
                "PoolId": "eu-west-3_Chat", "AppClientId": "native1", "AppClientSecret": "secret1",
                "Region": "eu-west-3", "Endpoint": "api.example.test",
            ])
        #expect(
            aws["CredentialsProvider"]?["CognitoIdentity"]?["Default"] == [
                "PoolId": "eu-west-3:1-2", "Region": "eu-west-3",
            ])
        let auth = aws["Auth"]?["Default"]
        // One URL of each kind, that of the app.
        #expect(
            auth?["OAuth"] == [
                "WebDomain": "api.example.test", "AppClientId": "native1", "SignInRedirectURI": "myapp://in/",
                "SignOutRedirectURI": "myapp://out/", "Scopes": ["openid", "email"],
            ])
        #expect(auth?["signupAttributes"] == ["EMAIL"] && auth?["mfaConfiguration"] == "OPTIONAL")
        #expect(
            auth?["passwordProtectionSettings"] == [
                "passwordPolicyMinLength": 10, "passwordPolicyCharacters": ["REQUIRES_NUMBERS"],
            ])
        #expect(aws["S3TransferUtility"]?["Default"] == ["Bucket": "media", "Region": "eu-west-3"])
        #expect(aws["PinpointAnalytics"]?["Default"] == ["AppId": "app1", "Region": "eu-west-3"])
    }

    @Test("AppSync has the default mode and an entry for each other mode, with the key where the mode shows it")
    func modes() throws {
        let entries = try #require(try value(.awsConfiguration, full())["AppSync"]?.objectValue)
        #expect(entries.keys == ["Default", "chat_API_KEY", "chat_AWS_IAM"])
        #expect(entries["Default"]?["AuthMode"] == "AMAZON_COGNITO_USER_POOLS" && entries["Default"]?["ApiKey"] == nil)
        #expect(entries["chat_API_KEY"]?["ApiKey"] == "da2-key" && entries["chat_AWS_IAM"]?["ApiKey"] == nil)
        #expect(entries["Default"]?["ClientDatabasePrefix"] == "chat_AMAZON_COGNITO_USER_POOLS")
        let data = try value(.amplifyOutputs, full())["data"]
        #expect(data?["authorization_types"] == ["API_KEY", "AWS_IAM"] && data?["api_key"] == "da2-key")
        #expect(data?["model_introspection"] == ["version": 1])
    }

    @Test("files for the web have the web's client, all its URLs, and the words of their generation")
    func web() throws {
        let auth = try value(.amplifyOutputs, full())["auth"]
        #expect(auth?["user_pool_client_id"] == "web1" && auth?["mfa_configuration"] == "OPTIONAL")
        #expect(auth?["oauth"]?["redirect_sign_in_uri"] == ["https://app.test/", "myapp://in/"])
        #expect(auth?["groups"] == [["Admin": ["precedence": 0]]])
        #expect(auth?["unauthenticated_identities_enabled"] == false)
        #expect(auth?["oauth"]?["identity_providers"] == ["GOOGLE", "SIGN_IN_WITH_APPLE"])
        let exports = try value(.awsExports, full("https://10.0.2.2:8443"))
        #expect(exports["oauth"]?["redirectSignIn"] == "https://app.test/,myapp://in/")
        #expect(exports["oauth"]?["domain"] == "10.0.2.2:8443")
        #expect(exports["aws_mandatory_sign_in"] == "enable")
        #expect(exports["aws_cognito_social_providers"] == ["GOOGLE", "APPLE"])
        #expect(exports["aws_user_files_s3_bucket"] == "media" && exports["aws_mobile_analytics_app_id"] == "app1")
        let storage = try value(.amplifyOutputs, full())["storage"]
        #expect(storage?["bucket_name"] == "media" && storage?["buckets"]?.arrayValue?.count == 2)
    }

    @Test("the endpoint of the user pool is written only where amplify-swift can reach it, by https at port 443")
    func endpoint() throws {
        for url in ["http://api.example.test", "https://api.example.test:8443", "http://127.0.0.1:20002"] {
            let pool = try value(.awsConfiguration, full(url))["CognitoUserPool"]?["Default"]
            #expect(pool?["PoolId"] != nil && pool?["Endpoint"] == nil, "\(url)")
        }
        #expect(
            try value(.awsConfiguration, full("https://api.example.test:443"))["CognitoUserPool"]?["Default"]?[
                "Endpoint"]
                == "api.example.test")
    }

    @Test("members that a file has beside are kept, and those of what the server no longer has are removed")
    func merging() throws {
        let old = try text(.amplifyConfiguration, full())
        var file = try #require(ClientFile.amplifyConfiguration.read(old))
        file["geo"] = ["plugins": ["awsLocationGeoPlugin": ["region": "eu-west-3"]]]
        let analytics: JSONObject = [
            "pinpointAnalytics": ["appId": "app1", "region": "eu-west-3"], "autoFlushEventsInterval": 60,
        ]
        file["analytics"] = ["plugins": ["awsPinpointAnalyticsPlugin": .object(analytics)]]
        var apis = try #require(file["api"]?["plugins"]?["awsAPIPlugin"]?.objectValue)
        apis["rest"] = ["endpointType": "REST", "endpoint": "https://rest.test"]
        file["api"] = ["plugins": ["awsAPIPlugin": .object(apis)]]

        var next = try full()
        next.api?.key = nil
        next.api?.otherModes = []
        (next.userPool, next.identityPool, next.buckets) = (nil, nil, [])
        let edited = try text(.amplifyConfiguration, next, keeping: "\(JSONValue.object(file))")
        let merged = JSONValue.object(try #require(ClientFile.amplifyConfiguration.read(edited)))
        #expect(merged.objectValue?.keys == ["UserAgent", "Version", "analytics", "api", "geo"], "\(edited)")
        #expect(merged["geo"] == file["geo"])
        let plugin = merged["analytics"]?["plugins"]?["awsPinpointAnalyticsPlugin"]
        #expect(plugin?["autoFlushEventsInterval"] == 60 && plugin?["pinpointTargeting"] != nil)
        let api = merged["api"]?["plugins"]?["awsAPIPlugin"]
        #expect(api?["rest"]?["endpoint"] == "https://rest.test")
        #expect(api?["chat"]?["authorizationType"] == "AMAZON_COGNITO_USER_POOLS" && api?["chat"]?["apiKey"] == nil)

        next.analyticsApp = nil
        let last = try #require(
            ClientFile.amplifyConfiguration.read(try text(.amplifyConfiguration, next, keeping: edited)))
        #expect(
            last["analytics"]?["plugins"]?["awsPinpointAnalyticsPlugin"] == ["autoFlushEventsInterval": 60])
    }

    @Test("elements of lists keep what a file has beside, each by its name, and the rest of a plugin does, too")
    func mergingLists() throws {
        var outputs = try #require(ClientFile.amplifyOutputs.read(try text(.amplifyOutputs, full())))
        let paths: JSONValue = ["public/*": ["guest": ["get", "list"]]]
        outputs["storage"] = [
            "buckets": [
                ["name": "gone", "bucket_name": "gone", "paths": paths],
                ["name": "other", "bucket_name": "other", "aws_region": "old", "paths": paths],
            ]
        ]
        var auth = try #require(outputs["auth"]?.objectValue)
        auth["groups"] = [["Admin": ["precedence": 7, "mine": 1]], ["Gone": ["mine": 2]]]
        outputs["auth"] = .object(auth)
        var backend = try full()
        backend.userPool?.groups = [.init(name: "Admin", precedence: nil), .init(name: "New", precedence: 2)]
        let merged = JSONValue.object(
            try #require(
                ClientFile.amplifyOutputs.read(
                    try text(.amplifyOutputs, backend, keeping: "\(JSONValue.object(outputs))"))))
        #expect(
            merged["storage"]?["buckets"] == [
                ["name": "media", "bucket_name": "media", "aws_region": "eu-west-3"],
                ["name": "other", "bucket_name": "other", "aws_region": "eu-west-3", "paths": paths],
            ])
        #expect(merged["auth"]?["groups"] == [["Admin": ["mine": 1]], ["New": ["precedence": 2]]])

        let file = ClientFile.amplifyConfiguration
        let manager: JSONValue = ["Default": ["mine": 1]]
        var plugin = try #require(
            try value(file, full())["auth"]?["plugins"]?["awsCognitoAuthPlugin"]?.objectValue)
        plugin["IdentityManager"] = manager
        var members = try #require(file.read(try text(file, full())))
        members["auth"] = ["plugins": ["awsCognitoAuthPlugin": .object(plugin)]]
        for next in try [full(), self.backend()] {
            let kept = JSONValue.object(
                try #require(file.read(try text(file, next, keeping: "\(JSONValue.object(members))"))))
            #expect(kept["auth"]?["plugins"]?["awsCognitoAuthPlugin"]?["IdentityManager"] == manager)
        }
    }

    @Test("a script that names its object or begins comments ever again is read in one pass", .timeLimit(.minutes(1)))
    func longScripts() throws {
        let (names, comments) = (
            String(repeating: "awsmobile ", count: 40_000), String(repeating: "/*", count: 100_000)
        )
        #expect(ExportsScript(names) == nil && ExportsScript("\(comments) \(names)") == nil)
        let script = try #require(ExportsScript("\(names)= // x\n {} \(names)=\n\t{\"a\": 1}\(comments)"))
        #expect(script.object == "{\"a\": 1}" && script.tail == comments && !script.isGenerated)
        for other in ["awsmobile.a = {};", "myawsmobile = {};", "awsmobile_ = {};", "awsmobile == {};", "awsmobile {}"]
        {
            #expect(ExportsScript(other) == nil, "\(other)")
        }
        let generated = "// a\r\n/* b */const/**/awsmobile = {}/*/ */;\nexport // c\ndefault awsmobile;"
        #expect(ExportsScript(generated)?.isGenerated == true)
        #expect(ExportsScript("/*/ const awsmobile = {};export default awsmobile;")?.isGenerated == false)
    }

    @Test("a file of an Amplify project keeps what the generator does not know", arguments: ClientFile.allCases)
    func keeps(file: ClientFile) throws {
        var members = file.value(try full())
        members["mine"] = ["a": [1]]
        let old = file.text(members)
        let merged = try #require(file.read(try text(file, backend(), keeping: old)))
        #expect(merged["mine"] == ["a": [1]])
        // Nothing remains of what the first backend had and the second lacks.
        for gone in ["native1", "web1", "eu-west-3", "app1", "media", "chat_API_KEY", "chat"] {
            #expect(!"\(JSONValue.object(merged))".contains("\"\(gone)\""), "\(gone)")
        }
        // Pulled again, the file is the same.
        let again = try text(file, backend(), keeping: try text(file, backend(), keeping: old))
        #expect(again == (try text(file, backend(), keeping: old)))
    }

    @Test("without an API a file is recognized, and nothing of an API is left in it", arguments: ClientFile.allCases)
    func withoutAPI(file: ClientFile) throws {
        var next = try full()
        next.api = nil
        let members = file.value(next)
        #expect(file.recognizes(members) && file.address(of: members) == nil)
        #expect(!file.recognizes([:]) && !file.recognizes(["version": "2", "Version": "1.0"]))
        let merged = try #require(file.read(try text(file, next, keeping: try text(file, full()))))
        #expect(merged == members)
        for gone in ["graphql", "AppSync", "appsync", "awsAPIPlugin", "da2-key"] {
            #expect(!"\(JSONValue.object(merged))".contains(gone), "\(gone)")
        }
    }

    @Test("a text that is no such file is not merged with", arguments: ClientFile.allCases)
    func unreadable(file: ClientFile) throws {
        for old in ["[1]", "{\"a\": ", "const awsmobile = { a: 1 };"] {
            #expect(file.text(file.value(try backend()), keeping: old) == nil, "\(old)")
        }
    }

    @Test("an address is read from a URL and from host and port, and moved to another host")
    func address() throws {
        let local = try #require(ClientAddress(url: "http://127.0.0.1:20002/graphql"))
        #expect(local.graphQLURL == "http://127.0.0.1:20002/graphql")
        #expect(local.at("10.0.2.2").url == "http://10.0.2.2:20002")
        #expect(local.at("[fd00::1]", port: 443).url == "http://[fd00::1]:443")
        #expect(ClientAddress(url: "HTTPS://Api.Example:443")?.url == "https://api.example")
        for bad in [
            "", "ftp://a", "http://", "http://a b", "http://a:0", "http://a:99999", "http://a:x", "http://a\"b",
        ] {
            #expect(ClientAddress(url: bad) == nil, "\(bad)")
        }
        let secure = try #require(ClientAddress(url: "https://a.test:8443"))
        #expect(secure.at("b.test", port: 443).url == "https://b.test")
    }

    @Test("a host is where the app runs, or a name with or without a port, and is read as it is written")
    func host() {
        #expect(ClientHost("Simulator") == .simulator && ClientHost("emulator") == .emulator)
        #expect(ClientHost("device") == .device && ClientHost("device:80") == .named("device", port: 80))
        #expect(ClientHost("[fd00::1]:443") == .named("[fd00::1]", port: 443))
        for text in ["simulator", "emulator", "device", "api.example.test", "api.example.test:443", "[fd00::1]:443"] {
            #expect(ClientHost(text)?.text == text)
        }
        for bad in ["", "a b", "a:0", "a:x", "http://a", "a/b"] { #expect(ClientHost(bad) == nil, "\(bad)") }
    }

    @Test("the address of the API is found in each file", arguments: ClientFile.allCases)
    func apiAddress(file: ClientFile) throws {
        let members = file.value(try full("https://api.example.test:8443"))
        #expect(file.address(of: members)?.url == "https://api.example.test:8443")
        #expect(file.address(of: [:]) == nil)
    }

    @Test("an empty file and one with a byte order mark are merged with", arguments: ClientFile.allCases)
    func emptyFiles(_ file: ClientFile) throws {
        let members: JSONObject = ["own": "x"]
        let text = file.text(members)
        for existing in ["", " \n", "\u{FEFF}", "\u{FEFF}\(text)"] {
            #expect(file.text(members, keeping: existing) == text, "\(existing)")
        }
    }

    @Test("aws-exports.js keeps no __proto__, which would set a prototype in JavaScript")
    func prototypes() throws {
        let existing = #"const awsmobile = {"__proto__": {"a": 1}, "kept": [{"__proto__": 2, "b": 3}]};"#
        let text = try #require(ClientFile.awsExports.text(["own": "x"], keeping: existing))
        #expect(!text.contains("__proto__") && text.contains("\"b\": 3") && text.contains("\"own\": \"x\""), "\(text)")
    }

    @Test("JavaScript that somebody has written around the object of aws-exports.js is kept")
    func script() throws {
        let own = """
            import { custom } from './custom';
            // awsmobile {x}
            const awsmobile = {
                "aws_project_region": "us-east-1",
                "mine": "} \\" {"
            };

            // local override
            awsmobile.oauth = custom;
            awsmobile.more = { a: process.env.A };
            module.exports = awsmobile;

            """
        let file = ClientFile.awsExports
        let text = try #require(file.text(["aws_project_region": "eu-west-3", "oauth": ["a": 1]], keeping: own))
        let parts = own.split(separator: "= {\n", maxSplits: 1)
        let tail = try #require(own.firstRange(of: "};\n\n// local")).lowerBound
        #expect(text.hasPrefix(parts[0]) && text.hasSuffix(String(own[tail...])))
        let members = try #require(file.read(text))
        #expect(members["mine"] == "} \" {" && members["aws_project_region"] == "eu-west-3" && members["oauth"] != nil)
        // The same again, and around another object.
        #expect(file.text(["aws_project_region": "eu-west-3", "oauth": ["a": 1]], keeping: text) == text)
        let common = "/* eslint-disable */\nconst awsmobile = {};\nmodule.exports = awsmobile;\n"
        #expect(file.text(["a": 1], keeping: common)?.hasSuffix("};\nmodule.exports = awsmobile;\n") == true)
        // What the Amplify CLI has written is written anew.
        let generated =
            "/* eslint-disable */\n// DO NOT EDIT.\n\nconst awsmobile = {\"mine\": 1};\n\n\nexport default awsmobile;\n"
        let again = try #require(file.text(["a": 1], keeping: generated))
        #expect(!again.contains("DO NOT EDIT") && again.contains("Written by syncline pull") && again.contains("mine"))
    }
}
