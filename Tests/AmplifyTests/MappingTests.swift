import JSON
import Testing
import Transformer

@testable import Amplify

@Suite("What an Amplify project's files become")
struct MappingTests {
    private static let chatAPI = "amplify/backend/api/isolationchat"
    private static let chatAuth = "amplify/backend/auth/isolationchat1c2d3e4f/parameters.json"
    private static let landmarksAuth = "amplify/backend/auth/landmarks5a6b7c8d/cli-inputs.json"

    @Test("cli-inputs.json goes before backend-config.json in the modes, and the difference is reported")
    func modes() throws {
        var sample = try SampleProject.chat
        sample.files["\(Self.chatAPI)/cli-inputs.json"] =
            #"{"version": 1, "serviceConfiguration": {"defaultAuthType": {"mode": "AWS_IAM"}}}"#
        let project = try sample.read()
        #expect(project.settings.value["authConfig"]?["defaultAuthentication"]?["authenticationType"] == "AWS_IAM")
        #expect(project.rows.filter { $0.name == "authConfig" && $0.status == .different }.count == 1)
    }

    @Test("without cli-inputs.json output.authConfig counts, without it securityType, and without that API_KEY")
    func olderModes() throws {
        var sample = try SampleProject.chat
        let path = "amplify/backend/backend-config.json"
        sample.files["amplify/backend/amplify-meta.json"] = nil
        sample.files["amplify/#current-cloud-backend/amplify-meta.json"] = nil
        sample.files[path] =
            #"{"api": {"isolationchat": {"service": "AppSync", "output": {"securityType": "AMAZON_COGNITO_USER_POOLS"}}}}"#
        func mode() throws -> JSONValue? {
            try sample.read().settings.value["authConfig"]?["defaultAuthentication"]?["authenticationType"]
        }
        #expect(try mode() == "AMAZON_COGNITO_USER_POOLS")
        sample.files[path] = #"{"api": {"isolationchat": {"service": "AppSync"}}}"#
        #expect(try mode() == "API_KEY")
    }

    @Test("OpenID Connect and Lambda modes keep their words; a missing issuer is an error with its place")
    func otherModes() throws {
        var sample = try SampleProject.chat
        let path = "\(Self.chatAPI)/cli-inputs.json"
        sample.files[path] = #"""
            {"version": 1, "serviceConfiguration": {
              "defaultAuthType": {"mode": "OPENID_CONNECT", "openIDProviderName": "x", "openIDIssuerURL": "https://i.example",
                "openIDClientID": "c", "openIDAuthTTL": "1000"},
              "additionalAuthTypes": [{"mode": "AWS_LAMBDA", "lambdaFunction": "check-${env}", "ttlSeconds": 300}]}}
            """#
        let project = try sample.read()
        #expect(
            project.settings.value["authConfig"]?["defaultAuthentication"]?["openIDConnectConfig"] == [
                "name": "x", "issuerUrl": "https://i.example", "clientId": "c", "authTTL": "1000",
            ])
        #expect(
            project.settings.value["authConfig"]?["additionalAuthenticationProviders"]?.arrayValue?[0][
                "lambdaAuthorizerConfig"] == ["lambdaFunction": "check", "ttlSeconds": 300])
        sample.replace("\"openIDIssuerURL\": \"https://i.example\",", with: "", in: path)
        let error = try #require(sample.error())
        #expect(error.diagnostics[0].place?.sourceName == path && error.diagnostics[0].place?.line == 2)
    }

    @Test(
        "conflict resolution of transform.conf.json counts only where cli-inputs.json has none; NONE for a model does nothing"
    )
    func conflicts() throws {
        var sample = try SampleProject.booking
        let inputs = "amplify/backend/api/bookingstay/cli-inputs.json"
        sample.replace("\"AUTOMERGE\"", with: "\"OPTIMISTIC_CONCURRENCY\"", in: inputs)
        sample.replace(
            "\"OPTIMISTIC_CONCURRENCY\"\n          },\n          \"entityName\"",
            with: "\"NONE\"\n          },\n          \"entityName\"", in: inputs)
        var project = try sample.read()
        #expect(project.settings.value["resolverConfig"]?["project"]?["ConflictHandler"] == "OPTIMISTIC_CONCURRENCY")
        #expect(project.settings.value["resolverConfig"]?["models"] == nil)
        #expect(project.rows.contains { $0.name == "Booking" && $0.sentence.contains("no effect") })
        sample.files[inputs] = nil
        project = try sample.read()
        #expect(project.settings.value["resolverConfig"]?["project"]?["ConflictHandler"] == "AUTOMERGE")
        #expect(
            project.settings.value["resolverConfig"]?["models"]?["Booking"]?["ConflictHandler"]
                == "OPTIMISTIC_CONCURRENCY")
    }

    @Test("custom transformers and old configurations of the transformer are refused, each by name")
    func transformers() throws {
        var sample = try SampleProject.chat
        let path = "\(Self.chatAPI)/transform.conf.json"
        sample.files[path] = #"{"Version": 5, "transformers": ["one", "two"]}"#
        #expect(sample.error()?.diagnostics.count == 2)
        #expect(sample.error(ReadingOptions(ignoresCustomTransformers: true)) == nil)
        for text in [#"{"Version": 4}"#, "{}"] {
            sample.files[path] = text
            #expect(sample.error()?.diagnostics[0].place?.sourceName == path)
        }
    }

    @Test("parameters that refer to others have their values, or are left out with a warning")
    func references() throws {
        var sample = try SampleProject.chat
        let auth = "amplify/backend/auth/isolationchat1c2d3e4f/parameters.json"
        sample.replace(
            "\"AppSyncApiName\"", with: "\"CreateAPIKey\": {\"Ref\": \"WithKey\"}, \"AppSyncApiName\"",
            in: "\(Self.chatAPI)/parameters.json")
        sample.replace(
            "\"passwordPolicyMinLength\": 8",
            with: "\"passwordPolicyMinLength\": {\"Ref\": \"length\"}, \"length\": \"9\"",
            in: auth)
        sample.replace(
            "\"emailVerificationSubject\": \"Your verification code\"",
            with: "\"emailVerificationSubject\": {\"Ref\": \"env\"}", in: auth)
        sample.replace(
            "\"smsVerificationMessage\": \"Your verification code is {####}\"",
            with: "\"smsVerificationMessage\": {\"Fn::Join\": [\"\", [\"a\", \"b\"]]}", in: auth)
        sample.replace(
            "\"identityPoolName\": \"isolationchat1c2d3e4f_identitypool_1c2d3e4f\"",
            with: "\"identityPoolName\": {\"Ref\": \"poolName\"}", in: auth)
        let project = try sample.read()
        #expect(project.createsAPIKey)
        let pool = project.settings.value["userPool"]
        #expect(pool?["passwordPolicy"]?["minimumLength"]?.intValue == 9, "\(pool?["passwordPolicy"] ?? .null)")
        #expect("\(pool ?? .null)".contains("\"dev\""))
        let warnings = project.warnings.filter { $0.message.contains("refers to") }
        let names = warnings.map { $0.message.split(separator: "'")[1] }
        #expect(names == ["identityPoolName", "smsVerificationMessage", "CreateAPIKey"])
        #expect(warnings.allSatisfy { $0.place?.sourceName.hasSuffix("parameters.json") == true })
        // What every project has is no warning.
        #expect(try !SampleProject.chat.read().warnings.contains { $0.message.contains("refers to") })
        #expect(try !SampleProject.landmarks.read().warnings.contains { $0.message.contains("refers to") })
    }

    @Test("an API key that has expired is accepted in dev, and by serve only if asked")
    func expiredKeys() throws {
        let sample = try SampleProject.chat
        func expires(_ purpose: ReadingOptions.Purpose, allows: Bool = false, now: Int64 = 1_767_225_600_000) throws
            -> JSONValue?
        {
            let options = ReadingOptions(purpose: purpose, allowsExpiredKeys: allows, nowMilliseconds: now)
            return try sample.read(options).settings.value["apiKey"]?.arrayValue?[0]["expires"]
        }
        #expect(try expires(.develop) == nil)
        #expect(try expires(.serve) == "2022-03-01T09:00:00Z")
        #expect(try expires(.serve, allows: true) == nil)
        #expect(try expires(.develop, now: 0) == "2022-03-01T09:00:00Z")
        #expect(try expires(.importing) == "2022-03-01T09:00:00Z", "what is written keeps the end")
        let imported = try sample.read(ReadingOptions(purpose: .importing, nowMilliseconds: 1_767_225_600_000))
        #expect(imported.tasks.contains { $0.contains("API key has expired") })
        var closed = sample
        closed.replace(
            "\"AppSyncApiName\"", with: "\"CreateAPIKey\": 0, \"AppSyncApiName\"", in: "\(Self.chatAPI)/parameters.json"
        )
        #expect(try closed.read().settings.value["apiKey"] == nil && !closed.read().createsAPIKey)
    }

    @Test(
        "the end of an API key is read in each form that files have; one that cannot be read is an error with its place",
        arguments: [
            ("\"2020-01-01\"", "2020-01-01T00:00:00Z"), ("\"1577836800000\"", "2020-01-01T00:00:00Z"),
            ("1577836800", "2020-01-01T00:00:00Z"), ("\"Wed, 01 Jan 2020 00:00:00 GMT\"", "2020-01-01T00:00:00Z"),
            ("\"2020-01-01T01:30:00+01:30\"", "2020-01-01T00:00:00Z"), ("\"2020-02-30\"", nil), ("\"soon\"", nil),
            ("\"2020-01-01T\"", nil), ("true", nil), ("-1", nil), ("99999999999999999", nil),
        ] as [(String, String?)])
    func expirationDates(_ text: String, _ expires: String?) throws {
        var sample = try SampleProject.chat
        let path = "amplify/backend/backend-config.json"
        sample.replace("\"2022-03-01T09:00:00.000Z\"", with: text, in: path)
        let options = ReadingOptions(purpose: .serve, nowMilliseconds: 1_767_225_600_000)
        if let expires {
            #expect(
                try sample.read(options).settings.value["apiKey"]?.arrayValue?[0]["expires"]?.stringValue == expires)
        } else {
            let diagnostics = try #require(sample.error(options)?.diagnostics)
            let diagnostic = try #require(diagnostics.first { $0.message.contains("is not a date") })
            #expect(diagnostic.place?.sourceName == path && diagnostic.place?.line == 12)
        }
    }

    @Test("one text with two user name attributes is two, and an absent case sensitivity is true")
    func userNames() throws {
        var sample = try SampleProject.chat
        sample.replace(
            "\"aliasAttributes\": []", with: "\"usernameAttributes\": [\"email, phone_number\"]", in: Self.chatAuth)
        sample.replace("\"usernameCaseSensitive\": false,", with: "", in: Self.chatAuth)
        let pool = try sample.read().settings.value["userPool"]
        #expect(pool?["usernameAttributes"] == ["email", "phone_number"] && pool?["usernameCaseSensitive"] == true)
    }

    @Test("triggers as an object and as a text are one; a function without a URL is skipped, refused or an error")
    func triggers() throws {
        var sample = try SampleProject.landmarks
        let name = "landmarks5a6b7c8dPostConfirmation"
        let url: JSONObject = ["functions": ["\(name)-dev": "http://127.0.0.1:1"]]
        func trigger(_ options: ReadingOptions) throws -> JSONValue? {
            try sample.read(options).settings.value["userPool"]?["lambdaConfig"]
        }
        #expect(try trigger(ReadingOptions(overrides: url)) == ["postConfirmation": .string("\(name)-dev")])
        #expect(try trigger(ReadingOptions()) == nil, "it only informs")
        let error = try #require(sample.error(ReadingOptions(purpose: .serve)))
        #expect(!error.isUsage && error.diagnostics[0].message.contains(name))
        let options = ReadingOptions(purpose: .serve)
        let served = AmplifyProject.examine(ProjectFolder(files: sample.files), options).project
        #expect(!served.rows.contains { $0.sentence.contains("skipped") }, "serve exits, and skips nothing")
        let object = "{\n      \"PostConfirmation\": [\n        \"add-to-group\"\n      ]\n    }"
        sample.replace(
            "\"triggers\": \(object)", with: #""triggers": "{\"PostConfirmation\":[\"add-to-group\"]}""#,
            in: Self.landmarksAuth)
        #expect(try trigger(ReadingOptions(overrides: url)) == ["postConfirmation": .string("\(name)-dev")])
        sample.replace("PostConfirmation", with: "PreSignup", in: Self.landmarksAuth)
        #expect(try trigger(ReadingOptions()) == ["preSignUp": "landmarks5a6b7c8dPreSignup"], "it decides, and refuses")
        sample.replace("PreSignup", with: "PreEverything", in: Self.landmarksAuth)
        #expect(sample.error()?.diagnostics[0].message.contains("'PreEverything' is unknown") == true)
    }

    @Test("groups and their precedence are those of the precedence file, whatever the pool's inputs list")
    func groups() throws {
        var sample = try SampleProject.landmarks
        let list = "amplify/backend/auth/userPoolGroups/user-pool-group-precedence.json"
        sample.files[list] = #"[{"groupName": "Visitors", "precedence": 1}, {"groupName": "Staff", "precedence": 2}]"#
        #expect(sample.files[Self.landmarksAuth]?.contains("\"Editors\"") == true)
        #expect(
            try sample.read().settings.value["userPool"]?["groups"]?.arrayValue?.map {
                "\($0["name"]?.stringValue ?? "") \($0["precedence"]?.intValue ?? 0)"
            } == ["Visitors 1", "Staff 2"])
    }

    @Test("the secret of a native client with an id of AWS must be known to serve")
    func secrets() throws {
        var sample = try SampleProject.chat
        for path in ["amplify/backend/amplify-meta.json", "amplify/#current-cloud-backend/amplify-meta.json"] {
            sample.replace("\"AppClientSecret\"", with: "\"Other\"", in: path)
        }
        #expect(sample.error(ReadingOptions(purpose: .serve))?.diagnostics[0].message.contains("secret") == true)
        let project = try sample.read()
        #expect(project.rows.contains { $0.status == .missing } && !project.warnings.isEmpty)
    }

    @Test("the old form of a bucket's permissions gives the same access; an imported bucket is closed until told")
    func buckets() throws {
        var sample = try SampleProject.landmarks
        let folder = "amplify/backend/storage/landmarkimages"
        let expected = try sample.read().settings.value["storage"]
        sample.files["\(folder)/cli-inputs.json"] = nil
        sample.files["\(folder)/parameters.json"] = #"""
            {"bucketName": "b", "selectedGuestPermissions": ["s3:GetObject", "s3:ListBucket"],
             "selectedAuthenticatedPermissions": ["s3:PutObject", "s3:GetObject", "s3:ListBucket", "s3:DeleteObject"],
             "triggerFunction": "NONE"}
            """#
        sample.files["\(folder)/storage-params.json"] =
            #"{"groupPermissionMap": {"Editors": ["create/update", "read", "delete"]}}"#
        #expect(try sample.read().settings.value["storage"] == expected)
        sample.files["\(folder)/parameters.json"] = #"{"resourceName": "landmarkimages", "serviceType": "imported"}"#
        #expect(
            sample.error(
                ReadingOptions(
                    purpose: .serve, overrides: ["functions": ["landmarks5a6b7c8dPostConfirmation": "http://x"]]))?
                .diagnostics[0].message.contains("imported") == true)
        let told: JSONObject = [
            "storage": ["authAccess": ["READ"]], "functions": ["landmarks5a6b7c8dPostConfirmation": "http://x"],
        ]
        #expect(sample.error(ReadingOptions(purpose: .serve, overrides: told)) == nil)
        #expect(try sample.read().settings.value["storage"]?["authAccess"] == [])
    }

    @Test("of several buckets an imported one is closed until the configuration lists all of them")
    func severalBuckets() throws {
        var sample = try SampleProject.landmarks
        sample.replace(
            "\"storage\": {", with: "\"storage\": {\"old\": {\"service\": \"S3\", \"serviceType\": \"imported\"},",
            in: "amplify/backend/backend-config.json")
        sample.files["amplify/backend/storage/old/parameters.json"] = "{}"
        func errors(_ storage: JSONObject) -> [String?] {
            let functions: JSONValue = ["landmarks5a6b7c8dPostConfirmation": "http://x"]
            let options = ReadingOptions(
                purpose: .serve, overrides: ["functions": functions, "storage": .object(storage)])
            return sample.error(options)?.diagnostics.map(\.hint) ?? []
        }
        // The server knows no access of several buckets but in their list.
        for storage: JSONObject in [[:], ["authAccess": ["READ"]], ["paths": [:]]] {
            let hints = errors(storage)
            #expect(hints.count == 1 && hints[0]?.contains("'storage.buckets'") == true, "\(storage) \(hints)")
        }
        #expect(errors(["buckets": [["name": "one"], ["name": "two", "authAccess": ["READ"]]]]) == [])
    }

    @Test("providers of the hosted pages are on where variables have their credentials, and otherwise reported")
    func identityProviders() throws {
        var sample = try SampleProject.landmarks
        let meta = JSONValue.string(
            #"[{"ProviderName":"Google","authorize_scopes":"openid email profile","AttributeMapping":{"email":"email","username":"sub"}}]"#
        )
        sample.replace(
            "\"hostedUIProviderMeta\": \"[]\",",
            with: "\"authProvidersUserPool\": [\"Google\", \"Facebook\", \"SignInWithApple\"],\n"
                + "\"hostedUIProviderMeta\": \(meta),", in: Self.landmarksAuth)
        func status(_ project: AmplifyProject) -> [String: ReportRow.Status] {
            Dictionary(
                project.rows.filter { ["Google", "Facebook", "SignInWithApple"].contains($0.name) }
                    .map { ($0.name, $0.status) }, uniquingKeysWith: { $1 })
        }
        let without = try sample.read()
        #expect(without.settings.value["userPool"]?["identityProviders"] == nil)
        #expect(status(without) == ["Google": .notServed, "Facebook": .notServed, "SignInWithApple": .notServed])
        #expect(without.tasks.contains { $0.contains("SYNCLINE_GOOGLE_CLIENT_ID, SYNCLINE_GOOGLE_CLIENT_SECRET") })
        let variables = ["SYNCLINE_GOOGLE_CLIENT_ID": "id", "SYNCLINE_GOOGLE_CLIENT_SECRET": "hidden"]
        let with = try sample.read(ReadingOptions(variables: variables))
        #expect(
            with.settings.value["userPool"]?["identityProviders"] == [
                [
                    "type": "Google", "clientId": "id", "clientSecret": ["env": "SYNCLINE_GOOGLE_CLIENT_SECRET"],
                    "scopes": ["openid", "email", "profile"], "attributeMapping": ["email": "email"],
                ]
            ])
        #expect(status(with) == ["Google": .same, "Facebook": .notServed, "SignInWithApple": .notServed])
        let told: JSONObject = ["userPool": ["identityProviders": []]]
        #expect(status(try sample.read(ReadingOptions(overrides: told))).values.allSatisfy { $0 == .different })
    }

    @Test("an imported pool has the ids and names of team-provider-info.json, and the rest is reported")
    func importedPool() throws {
        var sample = try SampleProject.landmarks
        sample.files["amplify/backend/amplify-meta.json"] = nil
        sample.files["amplify/#current-cloud-backend/amplify-meta.json"] = nil
        for name in ["awsconfiguration.json", "amplifyconfiguration.json", Self.landmarksAuth] {
            sample.files[name] = nil
        }
        sample.files["amplify/backend/auth/landmarks5a6b7c8d/parameters.json"] =
            #"{"authSelections": "identityPoolAndUserPool", "resourceName": "x", "serviceType": "imported", "region": "eu-west-1"}"#
        sample.replace(
            "\"landmarks5a6b7c8d\": {},",
            with: #"""
                "landmarks5a6b7c8d": {"userPoolId": "eu-west-1_Imported1", "userPoolName": "people", "webClientId": "web1",
                  "nativeClientId": "native1", "identityPoolId": "eu-west-1:id", "identityPoolName": "ids",
                  "authRoleArn": "arn:aws:iam::000000000000:role/mine"},
                """#, in: "amplify/team-provider-info.json")
        let project = try sample.read()
        let (pool, identities) = (project.settings.value["userPool"], project.settings.value["identityPool"])
        #expect(pool?["id"] == "eu-west-1_Imported1" && pool?["name"] == "people" && project.hasCloudIDs)
        #expect(pool?["clients"]?.arrayValue?.map { $0["id"] } == ["web1", "native1"])
        #expect(pool?["passwordPolicy"] == nil)
        #expect(!project.rows.contains { $0.name == "ids" } && !project.tasks.contains { $0.contains("invented") })
        #expect(identities?["id"] == "eu-west-1:id" && identities?["name"] == "ids")
        #expect(identities?["authRole"] == "arn:aws:iam::000000000000:role/mine")
        #expect(
            project.rows.filter { $0.name == "landmarks5a6b7c8d" && $0.category == "auth" }.map(\.status) == [
                .different
            ])
        #expect(project.tasks.contains { $0.contains("describe-user-pool") })
        sample.replace("\"nativeClientId\": \"native1\",", with: "", in: "amplify/team-provider-info.json")
        #expect(try sample.read().rows.contains { $0.name == "nativeClientId" && $0.status == .missing })
    }

    @Test("a table of DynamoDB beside the API is reported with its deployed name and its keys")
    func dynamoDB() throws {
        var sample = try SampleProject.chat
        sample.replace(
            "\"api\": {", with: #""storage": {"seats": {"service": "DynamoDB"}}, "api": {"#,
            in: "amplify/backend/backend-config.json")
        sample.files["amplify/backend/storage/seats/cli-inputs.json"] =
            #"{"tableName": "seats", "partitionKey": {"fieldName": "room"}, "sortKey": {"fieldName": "number"}}"#
        let row = try #require(try sample.read().rows.first { $0.name == "seats" })
        #expect(
            row.status == .notServed
                && row.sentence == "The DynamoDB table seats-dev (keys: room, number) is not served.")
        sample.files["amplify/backend/storage/seats/cli-inputs.json"] = "{"
        #expect(sample.error()?.diagnostics[0].place?.sourceName == "amplify/backend/storage/seats/cli-inputs.json")
    }

    @Test("the banner has a line for each category that there is, at most twelve, and nothing secret")
    func banner() throws {
        let lines = try SampleProject.landmarks.read().bannerLines(api: "version 2, 1 model, user pool")
        #expect(
            lines == [
                "Amplify project landmarks (Gen 1, iOS), environment dev, eu-west-1    --env NAME: dev",
                "  api       landmarks         version 2, 1 model, user pool; ids of the cloud kept",
                "  auth      landmarks5a6b7c8d eu-west-1_LmDev0002, 2 clients, groups Editors, Visitors",
                "  storage   landmarkimages    guests read, users write read delete, 1 group",
            ])
        // Below them what is not as at Amplify, without the title a second time.
        let report = try SampleProject.landmarks.read().reportLines(isWhole: false)
        #expect(report[0].contains("3 not served") && report[0].hasSuffix("    all: syncline check"), "\(report)")
        #expect(!report.contains { $0.contains("Amplify project landmarks") })
        #expect(report.dropFirst().allSatisfy { !$0.contains(": same.") && $0.hasPrefix("  ") })
        let chat = try SampleProject.chat.read().bannerLines(api: "")
        #expect(chat.count <= 12 && chat.allSatisfy { !$0.contains("da2-") && !$0.contains("secretexample") })
        #expect(chat.contains { $0.hasPrefix("  analytics") })
    }

    @Test("what has no counterpart is one row each, and the project is read")
    func others() throws {
        var sample = try SampleProject.chat
        let path = "amplify/backend/backend-config.json"
        sample.replace(
            "\"analytics\": {",
            with: #"""
                "geo": {"map": {"service": "Map"}}, "custom": {"a": {"service": "customCDK"}, "b": {"service": "customCDK"}},
                "analytics": {"stream": {"service": "Kinesis"},
                """#, in: path)
        sample.replace("\"api\": {", with: #""api": {"rest": {"service": "API Gateway"},"#, in: path)
        sample.replace("\"auth\": {", with: #""function": {"layer": {"service": "LambdaLayer"}}, "auth": {"#, in: path)
        for folder in ["analytics/stream", "api/rest", "function/layer"] {
            sample.files["amplify/backend/\(folder)/x"] = ""
        }
        let rows = try sample.read().rows.filter { $0.status == .notServed }
        #expect(rows.map(\.name).sorted() == ["1 resource", "2 resources", "layer", "rest", "stream"])
    }

    @Test("resolvers and stacks of AppSync are named in dev and refused by serve")
    func logic() throws {
        var sample = try SampleProject.chat
        sample.files["\(Self.chatAPI)/resolvers/Query.getUser.req.vtl"] = "{}"
        sample.files["\(Self.chatAPI)/stacks/Own.json"] = #"{"Resources": {"R": {"Type": "AWS::AppSync::Resolver"}}}"#
        let project = try sample.read()
        #expect(project.apiFolder == Self.chatAPI && project.warnings.count >= 2)
        let error = try #require(sample.error(ReadingOptions(purpose: .serve)))
        #expect(error.diagnostics.count == 2 && error.diagnostics[0].message.contains("Query.getUser.req.vtl"))
        #expect(!error.diagnostics[0].message.contains("generated resolver"))
        let served = AmplifyProject.examine(ProjectFolder(files: sample.files), ReadingOptions(purpose: .serve))
        let rows = served.project.rows.filter { $0.file?.hasSuffix("vtl") == true }
        #expect(rows.map(\.sentence) == ["'syncline serve' does not start with it."])
    }

    @Test("administrators' roles are those of custom-roles.json and of functions that may call the API")
    func roles() throws {
        var sample = try SampleProject.landmarks
        sample.files["amplify/backend/api/landmarks/custom-roles.json"] = #"{"adminRoleNames": ["admin-${env}"]}"#
        let path = "amplify/backend/function/landmarks5a6b7c8dPostConfirmation/function-parameters.json"
        sample.replace(
            "\"trigger\": true,", with: #""permissions": {"api": {"landmarks": ["Query"]}}, "trigger": true,"#, in: path
        )
        #expect(
            try sample.read().settings.value["transformParameters"]?["adminRoles"] == [
                "admin-dev", "landmarks5a6b7c8dPostConfirmation-dev",
            ])
    }

    @Test("a schema.graphql beside the project is not read, and this is said")
    func schemaBeside() throws {
        var sample = try SampleProject.chat
        sample.files["schema.graphql"] = "type A @model { id: ID! }"
        #expect(try sample.read().warnings.contains { $0.message.contains("schema.graphql is not read") })
        #expect(try sample.read(ReadingOptions(overrides: ["schema": "schema.graphql"])).warnings.isEmpty)
    }

    @Test("the Markdown report has a section for each category and one of what to do, the same each time")
    func report() throws {
        let text = try SampleProject.landmarks.read().markdown
        for part in [
            "# Amplify project landmarks", "## api", "## auth", "## storage", "## function", "## What you must do",
        ] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(text == (try SampleProject.landmarks.read().markdown))
    }

    @Test("parameters of the environment go before those of the files: key, password policy, factors and access")
    func parametersOfEnvironment() throws {
        var sample = try SampleProject.landmarks
        let info = "amplify/team-provider-info.json"
        sample.replace(
            "\"landmarks5a6b7c8d\": {}",
            with: #""landmarks5a6b7c8d": {"passwordPolicyMinLength": 14, "mfaConfiguration": "ON", "other": 1}"#,
            in: info)
        sample.replace(
            "\"landmarkimages\": {}",
            with: #""landmarkimages": {"bucketName": "other", "selectedGuestPermissions": []}"#, in: info)
        for path in [
            "amplify/backend/amplify-meta.json", "amplify/#current-cloud-backend/amplify-meta.json",
            "awsconfiguration.json", "amplifyconfiguration.json",
        ] { sample.files[path] = nil }
        let before = try SampleProject.landmarks.read()
        let project = try sample.read()
        let (pool, storage) = (project.settings.value["userPool"], project.settings.value["storage"])
        #expect(pool?["passwordPolicy"]?["minimumLength"] == 14 && pool?["mfaConfiguration"] == "ON")
        let place = try #require(project.settings.places[["userPool", "passwordPolicy", "minimumLength"]])
        #expect(place.sourceName == info)
        #expect(
            storage?["guestAccess"] == [] && storage?["authAccess"] == before.settings.value["storage"]?["authAccess"])
        // It is not imported, so that its name is made of the parameter.
        #expect(storage?["name"] == "other145210-dev")
        #expect(!project.warnings.contains { $0.message.contains("'other'") })
        // The older form, where the file has more.
        let folder = "amplify/backend/storage/landmarkimages"
        sample.files["\(folder)/cli-inputs.json"] = nil
        sample.files["\(folder)/parameters.json"] =
            #"{"bucketName": "b", "selectedGuestPermissions": ["s3:GetObject"], "selectedAuthenticatedPermissions": []}"#
        #expect(try sample.read().settings.value["storage"]?["guestAccess"] == [])

        var chat = try SampleProject.chat
        chat.replace("\"isolationchat\": {}", with: "\"isolationchat\": {\"CreateAPIKey\": 0}", in: info)
        #expect(try !chat.read().createsAPIKey && chat.read().settings.value["apiKey"] == nil)
        chat.files["\(Self.chatAPI)/parameters.json"] = nil
        #expect(try !chat.read().createsAPIKey)
    }

    @Test("without the file of the groups they are those of the inputs; of another shape it is an error")
    func missingGroups() throws {
        var sample = try SampleProject.landmarks
        let list = "amplify/backend/auth/userPoolGroups/user-pool-group-precedence.json"
        func groups(_ project: AmplifyProject) -> [JSONValue?]? {
            project.settings.value["userPool"]?["groups"]?.arrayValue?.map { $0["name"] }
        }
        func row(_ project: AmplifyProject) -> ReportRow.Status? {
            project.rows.first { $0.name == "userPoolGroups" }?.status
        }
        sample.files[list] = nil
        sample.files["amplify/backend/auth/userPoolGroups/build/x"] = ""
        var project = try sample.read()
        #expect(groups(project) == ["Editors", "Visitors"] && row(project) == .different)
        #expect(project.warnings.contains { $0.message.contains("no precedence") })
        sample.files[Self.landmarksAuth] = sample.files[Self.landmarksAuth]?
            .replacing("userPoolGroupList", with: "userPoolGroupLists")
        project = try sample.read()
        #expect(groups(project) == nil && row(project) == .missing)
        #expect(project.warnings.contains { $0.message.contains("has no groups") })
        for text in ["{}", #"{"Admins": 1}"#, "null"] {
            sample.files[list] = text
            #expect(sample.error()?.diagnostics.first?.place?.sourceName == list, "\(text)")
        }
        sample.files[list] = "[]"
        #expect(try row(sample.read()) == .same)
    }

    @Test("a bucket without the files of its access is an error; overrides of each category are named")
    func missingInputs() throws {
        var sample = try SampleProject.landmarks
        sample.files["amplify/backend/storage/landmarkimages/cli-inputs.json"] = nil
        sample.files["amplify/backend/storage/landmarkimages/build/x"] = ""
        #expect(
            sample.error()?.diagnostics.first?.message.hasPrefix("storage.landmarkimages has neither cli-inputs.json")
                == true)
        sample = try SampleProject.landmarks
        for path in ["auth/landmarks5a6b7c8d", "storage/landmarkimages", "api/landmarks", "awscloudformation"] {
            sample.files["amplify/backend/\(path)/override.ts"] = ""
        }
        let overrides = try sample.read().rows.filter { $0.name == "override.ts" && $0.status == .notServed }
        #expect(Set(overrides.map(\.category)) == ["auth", "storage", "api", "project"])
    }

    @Test("the report names the pools that the project has", arguments: ["userPoolOnly", "identityPoolOnly"])
    func selections(_ selection: String) throws {
        var sample = try SampleProject.landmarks
        sample.replace("\"identityPoolAndUserPool\"", with: "\"\(selection)\"", in: Self.landmarksAuth)
        let (project, _) = AmplifyProject.examine(ProjectFolder(files: sample.files), ReadingOptions())
        let words = selection == "userPoolOnly" ? "The user pool is served." : "The identity pool is served."
        #expect(project.rows.first { $0.name == "landmarks5a6b7c8d" }?.sentence == words)
    }

    @Test("packages below the hooks are not looked at")
    func hooks() throws {
        var sample = try SampleProject.landmarks
        let before = try sample.read().rows
        for number in 0...ProjectLimits.listedFilesMax {
            sample.files["amplify/hooks/node_modules/p/pre-\(number).js"] = ""
        }
        #expect(try sample.read().rows == before)
    }
}
