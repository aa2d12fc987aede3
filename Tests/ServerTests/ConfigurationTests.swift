import API
import Tables
import Testing
import Transformer
import UserPools

@testable import HTTP
@testable import Server

@Suite("Configuration")
struct ConfigurationTests {
    /// Loads a file's text with flags and environment, in a folder of its own.
    private func load(
        _ file: String? = nil, flags: [Setting: [String]] = [:], environment: [String: String] = [:]
    ) throws -> Configuration {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var flags = flags
        if let file {
            try folder.write(file, to: "syncline.json")
            flags[.config] = [folder.path("syncline.json")]
        }
        return try Configuration.load(SettingTexts(for: .serve, flags: flags, environment: environment))
    }

    private func error(_ file: String) throws -> ServerError {
        try #require(#expect(throws: ServerError.self) { try load(file) })
    }

    @Test("without anything, the defaults hold, and they are those of the settings' table")
    func defaults() throws {
        let configuration = try load("{}")
        #expect([configuration.schema.paths[0]] == [Setting.schema.defaultText])
        #expect(configuration.data.folder == Setting.data.defaultText)
        #expect(configuration.address.host == Setting.host.defaultText)
        #expect(String(configuration.address.port) == Setting.port.defaultText)
        #expect(configuration.log.level.rawValue == Setting.logLevel.defaultText)
        #expect(configuration.apiKeys.accepted == [APIKeys.defaultKey])
        #expect(!configuration.data.isEphemeral && configuration.address.isLoopback && configuration.readyFile == nil)
        #expect(configuration.transform == TransformOptions())
        #expect(configuration.compatibility.pages == .appsync && configuration.notes.isEmpty)
        #expect(configuration.allowsIntrospection && !configuration.compatibility.allowsGetMutations)
        #expect(!configuration.compatibility.forcesAppSyncStatus && !configuration.cors.allowsCredentials)
    }

    @Test(
        "an access key has a role, owner by default; an unknown one or an unknown service stops the load with its place"
    )
    func accessKeyRoles() throws {
        let keys = try load(
            #"""
            {"accessKeys": [{"id": "A", "secret": "s"}, {"id": "B", "secret": "s", "role": "viewer"},
                            {"id": "C", "secret": "s", "role": "editor", "services": ["cognito-idp"]}]}
            """#
        ).userPools.accessKeys
        #expect(keys.map(\.role) == [.owner, .viewer, .editor] && keys[2].services == ["cognito-idp"])
        let rows = [
            (#"{"id": "A", "secret": "s", "role": "admin"}"#, "'role' is one of viewer, editor, owner"),
            (#"{"id": "A", "secret": "s", "role": 1}"#, "'role' is one of viewer, editor, owner"),
            (#"{"id": "A", "secret": "s", "services": "all"}"#, "'services' is a list"),
            (
                #"{"id": "A", "secret": "s", "services": ["s3", "mobiletargetting"]}"#,
                "'services' has the unknown service 'mobiletargetting'."
            ),
            (
                #"{"id": "A", "secret": "s", "services": ["pinpoint"]}"#,
                "Known here: cognito-idp, cognito-identity, sts, s3, mobiletargeting, appsync."
            ),
            (#"{"id": "A", "secret": "s", "services": []}"#, "'services' is empty"),
            (
                #"{"id": "A", "secret": "s", "services": []}"#,
                "all services: cognito-idp, cognito-identity, sts, s3, mobiletargeting, appsync."
            ),
            (#"{"id": "A", "secret": "s", "roles": "viewer"}"#, "Unknown key 'roles'"),
            (#"{"id": "A", "secret": "s"}, {"id": "A", "secret": "t"}"#, "Two access keys have the id A"),
        ]
        for (text, part) in rows {
            let error = try error("{\n\"accessKeys\": [\(text)]}")
            #expect(error.text.contains("syncline.json:2:") && error.text.contains(part), "\(error.text)")
        }
    }

    @Test(
        "an access key has a user, a federated user or a session as its owner; another ARN stops the load"
    )
    func accessKeyOwners() throws {
        let (user, session) = ("arn:aws:iam::123456789012:user", "arn:aws:sts::123456789012:assumed-role")
        for arn in [
            "\(user)/ada", "\(user)/team:a/west!/ada.l+x=y,z@w_v-u", "\(session)/Reports/nightly",
            "arn:aws:sts::123456789012:federated-user/ada", "\(user)/\(String(repeating: "n", count: 64))",
        ] {
            let keys = try load(#"{"accessKeys": [{"id": "A", "secret": "s", "arn": "\#(arn)"}]}"#).userPools.accessKeys
            #expect(keys.map(\.userARN) == [arn] && keys.map(\.accountID) == ["123456789012"], "\(arn)")
        }
        for arn in [
            "", "ada", "arn:aws:iam::", "arn:aws:iam::x", user, "\(user)/", "\(user)//ada", "\(user)/a b",
            "\(user)/ada/",
            "arn:aws:iam::12345678901:user/ada", "arn:aws:iam::1234567890123:user/ada", "arn:aws:iam::user/ada",
            "arn:aws:iam:us-east-1:123456789012:user/ada", "arn:aws:iam::123456789012:role/Reports",
            "arn:aws:iam::123456789012:root", "arn:aws:sts::123456789012:user/ada", session, "\(session)/Reports",
            "\(session)/Reports/nightly/", "\(session)/path/Reports/nightly", "\(session)/Reports/a:b",
            "\(session)/Reports/CognitoIdentityCredentials", "arn:aws:iam::123456789012:assumed-role/Reports/nightly",
            "arn:aws:s3:::media", "\(user)/\(String(repeating: "n", count: 65))", "\(user)/\u{E9}",
            "\(user)/\(String(repeating: "p/", count: 1_020))ada",
        ] {
            let error = try error(#"{"accessKeys": [{"id": "A", "secret": "s",\#n"arn": "\#(arn)"}]}"#)
            #expect(error.text.contains("syncline.json:2:"), "\(error.text)")
            #expect(error.text.contains("'arn' is the ARN of a user or of the session of a role"), "\(error.text)")
        }
    }

    @Test("every key of the file counts, with comments and trailing commas")
    func everyKey() throws {
        let configuration = try load(
            """
            // A comment.
            {
                "schema": ["a", "b.graphql"], "data": "here", "host": "::1", "port": 0, "apiKey": ["k1", "k2"],
                "region": "eu-west-1", "transformerVersion": 1, /* and another */
                "featureFlags": {"ImprovePluralization": true, "secondarykeyasgsi": false,},
                "transformConfig": {"Version": 5, "ResolverConfig": {"project": {"ConflictDetection": "NONE"}}},
                "authConfig": {
                    "defaultAuthentication": {"authenticationType": "API_KEY", "apiKeyConfig": {"apiKeyExpirationDays": 7}},
                    "additionalAuthenticationProviders": [],
                },
                "compatibility": {"pages": "full", "getMutations": true, "forceAppSyncStatus": true},
                "introspectionConfig": "DISABLED",
                "limits": {"bodyBytesMax": 5, "pageItemsMax": 7, "batchCountMax": 9, "busyMilliseconds": 11},
                "cors": {"origins": "https://a.example", "credentials": true, "maxAgeSeconds": 1},
                "log": {"format": "json", "level": "debug"},
                "userPool": {}, "identityPool": {}, "storage": {}, "analytics": {}, "transformParameters": {},
                "resolverConfig": {}, "functions": {"decide": "http://localhost:9000/decide"},
            }
            """)
        #expect(configuration.schema.paths == ["a", "b.graphql"] && configuration.schema.isNamed)
        #expect(
            configuration.data.folder == "here" && configuration.address.host == "::1"
                && configuration.address.port == 0)
        #expect(configuration.apiKeys.accepted == ["k1", "k2"] && configuration.region == "eu-west-1")
        #expect(configuration.transform.transformerVersion == .v1)
        #expect(configuration.transform.improvePluralization && !configuration.transform.secondaryKeyAsGSI)
        #expect(configuration.compatibility.pages == .full && !configuration.allowsIntrospection)
        #expect(configuration.compatibility.allowsGetMutations && configuration.compatibility.forcesAppSyncStatus)
        #expect(configuration.cors.allowsCredentials)
        #expect(configuration.limits.http.bodyBytesMax == 5 && configuration.limits.api.pageItemsMax == 7)
        #expect(configuration.limits.store.batchCountMax == 9 && configuration.limits.store.busyMilliseconds == 11)
        #expect(configuration.cors.origins == ["https://a.example"] && configuration.cors.maxAgeSeconds == 1)
        #expect(configuration.log.format == .json && configuration.log.level == .debug)
        #expect(configuration.notes.isEmpty, "nothing of it is without effect: \(configuration.notes)")
        #expect(configuration.storage.isConfigured)
    }

    @Test("a real cli.json is taken as it is; the pipelined transformer is version 2, whatever its number")
    func cliJSON() throws {
        let configuration = try load(
            """
            {"featureFlags": {"features": {
                "graphqltransformer": {
                    "addmissingownerfields": false, "improvepluralization": true, "transformerversion": 1,
                    "useexperimentalpipelinedtransformer": true
                },
                "frontend-ios": {"enablexcodeintegration": true}, "codegen": {"addtimestampfields": true}
            }, "debug": {}}}
            """)
        #expect(!configuration.transform.addMissingOwnerFields && configuration.transform.improvePluralization)
        #expect(configuration.transform.transformerVersion == .v2)
        #expect(configuration.notes.count == 1 && configuration.warnings.isEmpty)
    }

    @Test("a configuration of a version 2 project is read")
    func cliJSONVersionTwo() throws {
        let configuration = try load(
            """
            {"featureFlags": {"features": {"graphqltransformer": {
                "transformerversion": 2, "enableautoindexquerynames": false,
                "respectprimarykeyattributesonconnectionfield": false, "shoulddeepmergedirectiveconfigdefaults": false,
                "suppressschemamigrationprompt": true
            }}}}
            """)
        #expect(
            configuration.transform
                == TransformOptions(
                    transformerVersion: .v2, enableAutoIndexQueryNames: false,
                    respectPrimaryKeyAttributesOnConnectionField: false, shouldDeepMergeDirectiveConfigDefaults: false))
        #expect(configuration.notes.count == 1)
    }

    @Test("conflict detection is read in Amplify's words, per project and per model; --datastore goes before it")
    func resolverConfig() throws {
        let config = """
            {"project": {"ConflictDetection": "VERSION", "ConflictHandler": "OPTIMISTIC_CONCURRENCY"},
             "models": {"A": {"ConflictDetection": "NONE"}, "B": {"ConflictHandler": "AUTOMERGE"}}}
            """
        let expected = TransformOptions(
            conflictDetection: .version, modelConflictDetection: ["A": .none], conflictHandler: .optimisticConcurrency,
            modelConflictHandlers: ["B": .automerge])
        #expect(try load("{\"transformConfig\": {\"ResolverConfig\": \(config)}}").transform == expected)
        #expect(try load("{\"resolverConfig\": \(config)}").transform == expected)
        let merged = TransformOptions(conflictDetection: .version)
        #expect(try load("{\"resolverConfig\": \(config)}", flags: [.datastore: ["true"]]).transform == merged)
        #expect(try load("{\"resolverConfig\": \(config)}", flags: [.datastore: ["false"]]).transform == expected)
    }

    @Test("functions are named in Amplify's words, and have their URLs in one place")
    func functions() throws {
        let config = """
            {"functions": {"f-${env}": "http://127.0.0.1:9000/f?x=1", "g": "https://g.example/", "h": "http://[::1]:1"},
             "transformConfig": {"ResolverConfig": {
               "project": {"ConflictDetection": "VERSION", "ConflictHandler": "LAMBDA",
                           "LambdaConflictHandler": {"name": "f-${env}", "region": "eu-west-1", "new": true}},
               "models": {"A": {"LambdaConflictHandler": {"name": "g", "lambdaArn": {"Ref": "x"}}},
                          "B": {"ConflictHandler": "LAMBDA"},
                          "C": {"ConflictHandler": "AUTOMERGE", "LambdaConflictHandler": {"name": "nobody"}}}}}}
            """
        let configuration = try load(config)
        #expect(configuration.transform.conflictHandler == .lambda)
        #expect(configuration.transform.modelConflictHandlers == ["B": .lambda, "C": .automerge])
        let functions = configuration.resolverConfig.functions
        #expect(functions.function(of: "A")?.url == "https://g.example/")
        #expect(functions.function(of: "B") == Function(name: "f-${env}", url: "http://127.0.0.1:9000/f?x=1"))
        #expect(Set(configuration.resolverConfig.modelPlaces.keys) == ["A", "B", "C"])
        let project = "transformConfig.ResolverConfig.project.LambdaConflictHandler"
        let models = "transformConfig.ResolverConfig.models"
        #expect(
            Set(configuration.notes) == [
                "\(project).region is accepted and has no effect.", "\(project).new is accepted and has no effect.",
                "\(models).A.LambdaConflictHandler.lambdaArn is accepted and has no effect.",
                "\(models).C.LambdaConflictHandler is accepted and has no effect.",
            ])
    }

    @Test("a function of conflicts without a URL is missing, and no other function decides in its place")
    func missingFunctions() throws {
        let config = """
            {"functions": {"merge": "http://a", "own": "http://b"}, "resolverConfig": {
               "project": {"ConflictDetection": "VERSION", "ConflictHandler": "LAMBDA",
                           "LambdaConflictHandler": {"name": "merges"}},
               "models": {"A": {"LambdaConflictHandler": {"name": "f"}}, "B": {"LambdaConflictHandler": {"name": "own"}},
                          "C": {"ConflictHandler": "LAMBDA"}}}}
            """
        // The function of each model, or the line that names one without a URL, and a hint.
        func found(_ config: String) throws -> [String] {
            let functions = try load(config).resolverConfig.functions
            return ["A", "B", "C"].map { model in
                if let function = functions.function(of: model) { return function.name }
                let missing = functions.missingFunction(of: model)
                return "\(missing?.place?.line ?? 0): \(missing?.hint ?? "")"
            }
        }
        let own = #"4: Say where it answers: "functions": {"f": "http://…"}."#
        #expect(try found(config) == [own, "own", #"3: Did you mean "merge"?"#])
        #expect(try found(config.replacing(#""merges""#, with: #""merge""#)) == [own, "own", "merge"])
        // What is read later replaces what an earlier place says.
        func after(_ name: String) -> String {
            config.replacing(
                #""resolverConfig""#,
                with: #""transformConfig": {"ResolverConfig": {"project": {"ConflictHandler": "LAMBDA", "#
                    + #""LambdaConflictHandler": {"name": "\#(name)"}}}}, "resolverConfig""#)
        }
        #expect(try found(after("merge")) == [own, "own", #"3: Did you mean "merge"?"#])
        #expect(try found(after("x").replacing(#""merges""#, with: #""own""#)) == [own, "own", "own"])
    }

    @Test("a URL that cannot be called is refused")
    func functionURLs() {
        for url in [
            "", "f", "/f", "//a/f", "http:", "http://", "ftp://a", "http://a:0", "http://a:65536", "http://u:p@a",
        ] {
            #expect(!Function(name: "f", url: url).isCallable, "\(url)")
        }
        for url in [
            "http://a", "HTTPS://a:65535/b?c=d", "http://[::1]:1/", "http://127.0.0.1:1/2015-03-31/functions/f",
        ] {
            #expect(Function(name: "f", url: url).isCallable, "\(url)")
        }
    }

    @Test("a model that ResolverConfig names and the schema lacks is said with its place; not with --datastore")
    func unknownModel() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("type Booking @model { id: ID! }", to: "schema.graphql")
        let file = """
            {"schema": "\(folder.path("schema.graphql"))", "resolverConfig": {"models": {
              "Bookin": {"ConflictHandler": "AUTOMERGE"}, "Booking": {},
              "Elephant": {"ConflictDetection": "VERSION"}
            }}}
            """
        let error = try #require(#expect(throws: ServerError.self) { try load(file).loadDefinition() })
        #expect(error.code == .invalid && error.diagnostics.count == 2)
        #expect(error.text.contains("syncline.json:2:3: error: ResolverConfig names Bookin, which is no model of the"))
        #expect(error.text.contains("syncline.json:3:3: error: ResolverConfig names Elephant"), "\(error.text)")
        #expect(error.diagnostics.map(\.hint) == [#"Did you mean "Booking"?"#, nil])
        #expect(try load(file, flags: [.datastore: ["true"]]).loadDefinition().models.count == 1)
    }

    @Test("flag goes before environment, environment before file, file before default")
    func precedence() throws {
        let file = #"{"port": 1, "data": "file", "log": {"level": "debug"}}"#
        #expect(try load(file).address.port == 1)
        #expect(try load(file, environment: ["SYNCLINE_PORT": "2"]).address.port == 2)
        #expect(try load(file, flags: [.port: ["3"]], environment: ["SYNCLINE_PORT": "2"]).address.port == 3)
        #expect(try load(file, flags: [.data: ["flag"]]).data.folder == "flag")
        #expect(try load(file, environment: ["SYNCLINE_DATA": ""]).data.folder == "file", "an empty variable is absent")
        #expect(try load(file, environment: ["SYNCLINE_LOG_LEVEL": "error"]).log.level == .error)
        #expect(try load(nil, environment: ["SYNCLINE_SCHEMA": "a:b"]).schema.paths == ["a", "b"])
        #expect(try load(file, flags: [.data: [":memory:"]]).data.isEphemeral)
        #expect(try load(file, flags: [.ephemeral: ["true"]]).data.isEphemeral)
        #expect(try load(file, environment: ["SYNCLINE_EPHEMERAL": "1"]).data.isEphemeral)
        let kept = try load(file, flags: [.data: ["kept"]], environment: ["SYNCLINE_EPHEMERAL": "1"])
        #expect(!kept.data.isEphemeral && kept.data.folder == "kept")
        #expect(try load(#"{"data": ":memory:"}"#, flags: [.data: ["kept"]]).data.isEphemeral == false)
    }

    @Test("every setting that has a key in the file can be given by flag and by environment")
    func settings() throws {
        let rows: [(Setting, String, (Configuration) -> String)] = [
            (.schema, "s", { $0.schema.paths[0] }), (.data, "d", \.data.folder), (.host, "localhost", \.address.host),
            (.port, "81", { "\($0.address.port)" }),
            (
                .listen, "127.0.0.1:443,tls",
                { $0.address.listeners.map { "\($0.host):\($0.port),\($0.listenerProtocol)" }.joined() }
            ),
            (.hosts, "h.test", { $0.address.names.joined() }),
            (.apiKey, "k", { $0.apiKeys.accepted[0] }),
            (.log, "json", { $0.log.format?.rawValue ?? "" }), (.logLevel, "trace", \.log.level.rawValue),
            (.tls, "auto", { $0.tls.setting.map { "\($0)" } ?? "" }), (.tlsPort, "8443", { "\($0.tls.port ?? 0)" }),
            (.tlsOnly, "true", { "\($0.tls.isRequired)" }),
            (.console, "true", { $0.console.isEnabled.map { "\($0)" } ?? "" }),
            (.awsNames, "true", { "\($0.awsNameOptions.isOn)" }), (.readyFile, "r", { $0.readyFile ?? "" }),
            (.ephemeral, "true", { "\($0.data.isEphemeral)" }),
            (.datastore, "true", { "\($0.transform.conflictDetection == .version)" }),
        ]
        // Those of an Amplify project have no effect without one; the tests of such projects give them.
        let ofProject: Set<Setting> = [
            .amplify, .noAmplify, .environment, .api, .allowExpiredKeys, .ignoreCustomTransformers,
        ]
        #expect(Set(rows.map(\.0)).union([.config]).union(ofProject) == Set(Setting.allCases))
        for (setting, text, read) in rows {
            #expect(read(try load(flags: [setting: [text]])) == text, "\(setting.flag)")
            #expect(read(try load(environment: [setting.variable: text])) == text, "\(setting.variable)")
        }
    }

    /// A file and where and how it is wrong.
    static let errors: [(file: String, place: String, message: String, hint: String?)] = [
        ("{\n  \"prot\": 1\n}", ":2:3:", "Unknown key 'prot'.", #"Did you mean "port"?"#),
        (
            #"{"limits": {"bodyByteMax": 1}}"#, ":1:13:", "Unknown key 'limits.bodyByteMax'.",
            #"Did you mean "bodyBytesMax", "batchBytesMax", "itemBytesMax", or "planBytesMax"?"#
        ),
        (
            #"{"compatibility": {"pages": "ful"}}"#, ":1:20:",
            #"'compatibility.pages' is one of "appsync", "full", and not "ful"."#, nil
        ),
        (
            #"{"introspectionConfig": "OFF"}"#, ":1:2:",
            #"'introspectionConfig' is one of "ENABLED", "DISABLED", and not "OFF"."#, nil
        ),
        (
            #"{"limits": {"queryDepthLimit": 76}}"#, ":1:13:",
            "'limits.queryDepthLimit' is a whole number from 0 to 75, and not 76.", nil
        ),
        (#"{"port": "80"}"#, ":1:2:", #"'port' is a whole number from 0 to 65535, and not "80"."#, nil),
        (#"{"port": 65536}"#, ":1:2:", "'port' is a whole number from 0 to 65535, and not 65536.", nil),
        (
            #"{"limits": {"idleSeconds": 0}}"#, ":1:13:",
            "'limits.idleSeconds' is a whole number from 1 to 86400, and not 0.", nil
        ),
        (#"{"tls": "on"}"#, ":1:2:", "'tls' is off, auto, or CERT,KEY: a certificate's file and its key's file.", nil),
        (
            #"{"tlsHosts": ["good.test", "not good"]}"#, ":1:2:",
            #"'tlsHosts' lists host names and addresses, and "not good" is neither."#, nil
        ),
        (#"{"limits": 3}"#, ":1:2:", "'limits' is an object, { … }, and not 3.", nil),
        (#"{"schema": []}"#, ":1:2:", "'schema' is a text or a list of texts, and not [].", nil),
        (
            #"{"featureFlags": {"improvePluralization": 1}}"#, ":1:19:",
            "'featureFlags.improvePluralization' is true or false, and not 1.", nil
        ),
        (#"{"transformerVersion": 3}"#, ":1:2:", #"'transformerVersion' is 1, 2 or "auto", and not 3."#, nil),
        (
            #"{"transformConfig": {"ResolverConfig": {"project": {"ConflictDetection": "VERSIONS"}}}}"#, ":1:53:",
            "'transformConfig.ResolverConfig.project.ConflictDetection' is one of \"VERSION\", \"NONE\", and not "
                + "\"VERSIONS\".", nil
        ),
        (
            #"{"transformConfig": {"ResolverConfig": {"models": {"Post": {"ConflictHandler": "LAMBDA"}}}}}"#,
            ":1:61:", "The conflict handler LAMBDA needs a function.",
            #"Name it, "LambdaConflictHandler": {"name": "…"}, and give its URL in "functions"."#
        ),
        (
            #"{"resolverConfig": {"project": {"ConflictHandler": "LAMBDA", "LambdaConflictHandler": {}}}}"#, ":1:62:",
            "'resolverConfig.project.LambdaConflictHandler.name' is missing.", nil
        ),
        (
            #"{"functions": {"f": "ftp://a"}, "resolverConfig": {"project": {"ConflictHandler": "LAMBDA", "#
                + #""LambdaConflictHandler": {"name": "f"}}}}"#,
            ":1:16:", "'functions.f' is the URL of a function, http://… or https://…, and not \"ftp://a\".", nil
        ),
        (
            #"{"resolverConfig": {"project": {"ConflictHandlers": "AUTOMERGE"}}}"#, ":1:33:",
            "Unknown key 'resolverConfig.project.ConflictHandlers'.",
            #"Did you mean "ConflictHandler" or "LambdaConflictHandler"?"#
        ),
        (
            #"{"transformConfig": {"Version": 4}}"#, ":1:22:",
            "Version 4 of the transformer's configuration is not served.",
            "Write \"Version\": 5. Its mutations take a `condition`, and its filters are of other names, for example "
                + "ModelStringInput in place of ModelStringFilterInput: generate the code of clients that use those names "
                + "again, from 'syncline schema print'."
        ),
        (
            #"{"authConfig": {"defaultAuthentication": {"authenticationType": "AWS_IMA"}}}"#, ":1:43:",
            #"The authorization mode "AWS_IMA" is unknown."#,
            #"It is one of "API_KEY", "AMAZON_COGNITO_USER_POOLS", "AWS_IAM", "OPENID_CONNECT", "AWS_LAMBDA"."#
        ),
        (
            #"{"authConfig": {"additionalAuthenticationProviders": [{"authenticationType": "AWS_IAM"}]}}"#, ":1:2:",
            "'authConfig.defaultAuthentication' is missing: it is the mode of everything that names none.",
            #"Give "defaultAuthentication": {"authenticationType": "…"}, one of "API_KEY", "AMAZON_COGNITO_USER_POOLS", "#
                + #""AWS_IAM", "OPENID_CONNECT", "AWS_LAMBDA"."#
        ),
        (
            #"{"authConfig": {"defaultAuthentication": {}}}"#, ":1:17:", "'authenticationType' is missing.", nil
        ),
        (
            #"{"authConfig": {"defaultAuthentication": {"authenticationType": "API_KEY"}, "#
                + #""additionalAuthenticationProviders": [{"authenticationType": "OPENID_CONNECT"}]}}"#,
            ":1:115:", "OPENID_CONNECT needs the issuer of the tokens.",
            #"Give "openIDConnectConfig": {"issuerUrl": "https://…"}."#
        ),
        (
            #"{"authConfig": {"defaultAuthentication": {"authenticationType": "AWS_LAMBDA"}}}"#, ":1:17:",
            "AWS_LAMBDA needs the function that accepts tokens.", nil
        ),
        (
            #"{"authConfig": {"defaultAuthentication": {"authenticationType": "API_KEY", "openIDConnectConfig": {"name": "x"}}}}"#,
            ":1:76:",
            "'authConfig.defaultAuthentication.openIDConnectConfig' belongs to OPENID_CONNECT, and the mode is API_KEY.",
            "Remove it, or add a provider of that mode to additionalAuthenticationProviders."
        ),
        (
            #"{"authConfig": {"defaultAuthentication": {"authenticationType": "API_KEY"}, "#
                + #""additionalAuthenticationProviders": [{"authenticationType": "API_KEY"}]}}"#,
            ":1:116:", "API_KEY is a mode of the API already.", nil
        ),
        (
            #"{"authConfig": {"defaultAuthentication": {"authenticationType": "OPENID_CONNECT", "#
                + #""openIDConnectConfig": {"issuerUrl": "https://a.example", "clientSecret": "s"}}}}"#,
            ":1:141:", "Unknown key 'authConfig.defaultAuthentication.openIDConnectConfig.clientSecret'.",
            nil
        ),
        (
            #"{"authConfig": {"defaultAuthentication": {"authenticationType": "AMAZON_COGNITO_USER_POOLS", "#
                + #""userPoolConfig": {"userPoolId": "us-east-1_None"}}}, "userPool": {"id": "us-east-1_One"}}"#,
            ":1:113:",
            "'authConfig.defaultAuthentication.userPoolConfig.userPoolId' is us-east-1_None, and no user pool with this id "
                + "is configured.",
            "Name one of these: us-east-1_One; or give the pool in 'userPool' this 'id'."
        ),
        (
            #"{"authConfig": {"defaultAuthentication": {"authenticationType": "API_KEY"}, "#
                + #""additionalAuthenticationProviders": [{"authenticationType": "AMAZON_COGNITO_USER_POOLS", "#
                + #""userPoolConfig": {"userPoolId": "us-east-1_None"}}]}}"#, ":1:186:",
            "'authConfig.additionalAuthenticationProviders.0.userPoolConfig.userPoolId' is us-east-1_None, and no user pool "
                + "with this id is configured.",
            "Name one of these: us-east-1_266clk83d; or give the pool in 'userPool' this 'id'."
        ),
        (
            #"{"authConfig": {"defaultAuthentication": {"authenticationType": "AMAZON_COGNITO_USER_POOLS", "#
                + #""userPoolConfig": {"appIdClientRegex": "("}}}}"#,
            ":1:113:",
            "'authConfig.defaultAuthentication.userPoolConfig.appIdClientRegex' is a regular expression, and \"(\" is none. At character 2: a group does not end with \")\".",
            nil
        ),
        (
            #"{"authConfig": {"defaultAuthentication": {"authenticationType": "AMAZON_COGNITO_USER_POOLS", "#
                + #""userPoolConfig": {"defaultAction": "OPEN"}}}}"#,
            ":1:113:",
            "'authConfig.defaultAuthentication.userPoolConfig.defaultAction' is one of \"ALLOW\", \"DENY\", and not "
                + "\"OPEN\".", nil
        ),
        ("[1]", ":1:1:", "A configuration is one JSON object, { … }.", nil),
    ]

    @Test("what is wrong is said with file, line, column, source line and hint; exit 3", arguments: errors.indices)
    func wrong(row: Int) throws {
        let (file, place, message, hint) = Self.errors[row]
        let error = try error(file)
        #expect(error.code == .invalid)
        #expect(error.diagnostics.count == 1, "\(error.text)")
        #expect(error.text.contains("syncline.json\(place) error: \(message)\n"), "\(error.text)")
        if let hint { #expect(error.diagnostics.first?.hint == hint) }
    }

    @Test("authConfig names the pools and clients whose users are accepted")
    func userPoolProviders() throws {
        let configuration = try load(
            #"""
            {"userPool": [{"id": "us-east-1_One"}, {"id": "us-east-1_Two"}],
             "authConfig": {
                "defaultAuthentication": {"authenticationType": "AMAZON_COGNITO_USER_POOLS", "userPoolConfig":
                    {"userPoolId": "us-east-1_One", "appIdClientRegex": "ios.*", "awsRegion": "us-east-1", "defaultAction": "ALLOW"}},
                "additionalAuthenticationProviders": [
                    {"authenticationType": "API_KEY"},
                    {"authenticationType": "AMAZON_COGNITO_USER_POOLS", "userPoolConfig": {"userPoolId": "us-east-1_Two"}}]}}
            """#)
        #expect(configuration.authModes == [.userPools, .apiKey])
        #expect(
            configuration.userPoolProviders == [
                UserPoolProvider(poolID: "us-east-1_One", clientIDPattern: "ios.*"),
                UserPoolProvider(poolID: "us-east-1_Two"),
            ])
    }

    @Test("authConfig has all five modes, as Amplify writes them")
    func fiveModes() throws {
        let configuration = try load(
            #"""
            {"functions": {"gate-dev": "http://127.0.0.1:9/gate"}, "environmentName": "dev",
             "transformParameters": {"enableIamAccess": true, "adminRoles": ["Admin"], "identityPoolId": "us-east-1:p"},
             "authConfig": {
                "defaultAuthentication": {"authenticationType": "AMAZON_COGNITO_USER_POOLS", "userPoolConfig":
                    {"defaultAction": "DENY"}},
                "additionalAuthenticationProviders": [
                    {"authenticationType": "API_KEY", "apiKeyConfig": {"apiKeyExpirationDays": 30, "description": "d"}},
                    {"authenticationType": "AWS_IAM"},
                    {"authenticationType": "OPENID_CONNECT", "openIDConnectConfig": {"name": "n",
                        "issuerUrl": "https://a.example/", "clientId": "x|y", "iatTTL": "1000", "authTTL": 0}},
                    {"authenticationType": "OPENID_CONNECT", "openIDConnectConfig": {"providerUrl": "https://b.example"}},
                    {"authenticationType": "AMAZON_COGNITO_USER_POOLS", "userPoolConfig": {"userPoolId": "us-east-1_Far",
                        "issuer": "https://cognito-idp.us-east-1.amazonaws.com/us-east-1_Far", "appIdClientRegex": "web"}},
                    {"authenticationType": "AWS_LAMBDA", "lambdaAuthorizerConfig": {"lambdaFunction": "gate-${env}",
                        "ttlSeconds": 300, "identityValidationExpression": "t-.*"}}]}}
            """#)
        #expect(configuration.authModes == [.userPools, .apiKey, .iam, .oidc, .lambda])
        #expect(
            configuration.warnings.contains { $0.message.contains("https://a.example/ and https://b.example are both") }
        )
        #expect(configuration.transform.deniesByDefault && configuration.transform.enablesIAMAccess)
        #expect(configuration.transform.adminRoles == ["Admin"] && configuration.auth.identityPoolID == "us-east-1:p")
        #expect(configuration.userPoolProviders == [UserPoolProvider()])
        #expect(
            configuration.auth.issuers == [
                TokenIssuer(
                    kind: .openID, issuer: "https://a.example/", clientIDPattern: "x|y", issuedMillisecondsMax: 1_000),
                TokenIssuer(kind: .openID, issuer: "https://b.example"),
                TokenIssuer(
                    kind: .userPool, issuer: "https://cognito-idp.us-east-1.amazonaws.com/us-east-1_Far",
                    clientIDPattern: "web"),
            ])
        #expect(
            configuration.auth.authorizer
                == LambdaAuthorizer(
                    function: Function(name: "gate-dev", url: "http://127.0.0.1:9/gate"), pattern: "t-.*", seconds: 300)
        )
    }

    @Test("a key of the configuration lives for one to 365 days")
    func keyLife() throws {
        for (days, isValid) in [("1", true), ("365", true), ("0", false), ("366", false), ("\"x\"", false)] {
            let file =
                "{\"authConfig\": {\"defaultAuthentication\": {\"authenticationType\": \"API_KEY\", "
                + "\"apiKeyConfig\": {\"apiKeyExpirationDays\": \(days)}}}}"
            if isValid {
                _ = try load(file)
            } else {
                #expect(try error(file).text.contains("is a whole number from 1 to 365, and not"), "\(days)")
            }
        }
    }

    @Test("all errors of the file come at once, with those of flags and environment")
    func allAtOnce() throws {
        let error = try error(#"{"prot": 1, "port": -1, "cors": {"x": 1}, "transformerVersion": 3}"#)
        #expect(error.diagnostics.count == 4, "\(error.text)")
    }

    @Test("a broken flag or variable is a usage error that names it")
    func usage() throws {
        let rows: [([Setting: [String]], [String: String], String)] = [
            ([.port: ["99999"]], [:], "--port is a number from 0 to 65535, and not '99999'."),
            (
                [.tls: ["a.pem"]], [:],
                "--tls is off, auto, or CERT,KEY: a certificate's file and its key's file, and not 'a.pem'."
            ),
            ([:], ["SYNCLINE_LOG": "xml"], "SYNCLINE_LOG is one of text, json, and not 'xml'."),
            ([:], ["SYNCLINE_EPHEMERAL": "perhaps"], "SYNCLINE_EPHEMERAL is true or false, and not 'perhaps'."),
        ]
        for (flags, environment, message) in rows {
            let error = #expect(throws: ServerError.self) { try load(flags: flags, environment: environment) }
            #expect(error?.code == .usage && error?.diagnostics.map(\.message) == [message])
        }
    }

    @Test("a file that is named and not there, or is no JSON, is refused with its name")
    func unreadable() throws {
        let missing = #expect(throws: ServerError.self) { try load(flags: [.config: ["/nowhere/c.json"]]) }
        #expect(missing?.code == .invalid && missing?.text.contains("/nowhere/c.json") == true)
        let broken = try error("{\n  \"port\" 1\n}")
        #expect(broken.code == .invalid && broken.text.contains("syncline.json:2:"), "\(broken.text)")
    }

    @Test("the key that everybody knows opens loopback addresses only")
    func defaultKey() throws {
        for (host, keys, isAllowed) in [
            ("127.0.0.1", [], true), ("localhost", [], true), ("::1", [], true), ("127.0.0.1", ["da2-own"], true),
            ("0.0.0.0", [], false), ("0.0.0.0", [APIKeys.defaultKey], false), ("::", [], false),
            ("127.example.org", [], false), ("localhost.", [], true), ("[::1]", [], true),
            ("[::1]example.org", [], false),
            ("::ffff:127.0.0.1", [], true), ("::ffff:10.0.0.1", [], false),
            ("10.0.0.1", ["da2-own", APIKeys.defaultKey], false),
            ("0.0.0.0", ["da2-own"], false), ("0.0.0.0", [String(repeating: "k", count: 19)], false),
            ("0.0.0.0", [String(repeating: "k", count: 20)], true),
            ("0.0.0.0", [String(repeating: "k", count: 20), "short"], false),
        ] as [(String, [String], Bool)] {
            var configuration = Configuration()
            (configuration.address.host, configuration.apiKeys.configured) = (host, keys)
            do {
                try configuration.apiKeys.check(for: configuration.address)
                #expect(isAllowed, "\(host) \(keys)")
            } catch {
                #expect(!isAllowed && error.code == .usage, "\(host) \(keys)")
                let proposed = try #require(error.text.firstMatch(of: /--api-key (da2-[a-z0-9]{26})\b/)).1
                for key in keys where key != APIKeys.defaultKey { #expect(!error.text.contains(key)) }
                configuration.apiKeys.configured = [String(proposed)]
                #expect(throws: Never.self) { try configuration.apiKeys.check(for: configuration.address) }
            }
        }
        #expect(APIKey.generate() != APIKey.generate())
    }

    @Test("an empty or blank key is refused wherever it is given, and no complaint repeats a key")
    func blankKey() throws {
        for key in ["", " ", "\t", "a\nb", " secret-key", "secret-key "] {
            let error = #expect(throws: ServerError.self, "\(key)") { try load(flags: [.apiKey: [key]]) }
            #expect(error?.code == .usage && error?.text.contains("--api-key is a key") == true)
            #expect(error?.text.contains("secret-key") == false)
            let other = #expect(throws: ServerError.self) { try load(environment: ["SYNCLINE_API_KEY": key]) }
            #expect(other?.code == .usage && other?.text.contains("SYNCLINE_API_KEY is a key") == true)
        }
        for file in [
            #"{"apiKey": ""}"#, #"{"apiKey": "  "}"#, #"{"apiKey": []}"#, #"{"apiKey": ["secret-key", ""]}"#,
            #"{"apiKey": ["secret-key", 1]}"#, #"{"apiKey": {"secret-key": 1}}"#,
        ] {
            let error = try error(file)
            #expect(error.code == .invalid && error.text.contains("'apiKey' is a key"), "\(file)")
            #expect(!error.text.contains("secret-key"), "\(error.text)")
        }
        // Nor does a complaint of something else show the line.
        for file in [
            #"{"apiKey": "secret-key", "prot": 1}"#, #"{"apikey": "secret-key"}"#,
            #"{"apiKey": "secret-key" "port": 1}"#,
            "{\"apiKey\": [\n\"other\",\n\"secret-key\"], \"prot\": 1\n}",
        ] {
            let error = try error(file)
            #expect(!error.text.contains("secret-key"), "\(error.text)")
        }
        #expect(try load(#"{"apiKey": ["one", "two"]}"#).apiKeys.accepted == ["one", "two"])
    }

    @Test("hosts are names and addresses, several in one variable")
    func hosts() throws {
        #expect(try load(#"{"hosts": ["a.test", "*.b.test"]}"#).address.names == ["a.test", "*.b.test"])
        #expect(try load(environment: ["SYNCLINE_HOSTS": "a.test,::1"]).address.names == ["a.test", "::1"])
        #expect(try load(flags: [.hosts: ["a.test", "b.test"]]).address.names == ["a.test", "b.test"])
        #expect(throws: ServerError.self) { try load(flags: [.hosts: ["a.test", "*"]]) }
        #expect(throws: ServerError.self) { try load(#"{"hosts": "http://a.test"}"#) }
    }

    @Test("every limit has a default within its range, and can be set")
    func limits() throws {
        #expect(Set(Limit.all.map(\.key)).count == Limit.all.count)
        for limit in Limit.all {
            #expect(limit.range.contains(limit.defaultValue), "\(limit.key)")
            for value in [limit.range.lowerBound, limit.range.upperBound] {
                let limits = try load(#"{"limits": {"\#(limit.key)": \#(value)}}"#).limits
                #expect(limits[keyPath: limit.path] == value, "\(limit.key)")
                // `HTTP` has ranges of its own; but a target cannot be longer than the head that it stands in.
                var http = limits.http
                http.targetBytesMax = min(http.targetBytesMax, http.requestHeadBytesMax)
                #expect(http.clamped == http && limits.webSocket.clamped == limits.webSocket, "\(limit.key)")
            }
        }
    }

    @Test("a limit outside its range is refused with the range, at 2⁶³ − 1 and beyond as well")
    func limitRanges() throws {
        for limit in Limit.all {
            let (least, greatest) = (limit.range.lowerBound, limit.range.upperBound)
            #expect(greatest < 1 << 41, "\(limit.key)")
            for value in ["\(least - 1)", "\(greatest + 1)", "9223372036854775807", "9223372036854775808"] {
                #expect(
                    try error(#"{"limits": {"\#(limit.key)": \#(value)}}"#).diagnostics.map(\.message)
                        == ["'limits.\(limit.key)' is a whole number from \(least) to \(greatest), and not \(value)."])
            }
        }
    }
}
