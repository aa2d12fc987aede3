import JSON
import Testing
import Transformer

@testable import Amplify

@Suite("Amplify projects of Gen 2")
struct Gen2Tests {
    private static let outputs = """
        {
          "version": "1.1",
          "auth": {
            "user_pool_id": "eu-west-1_Gen2Pool1", "aws_region": "eu-west-1", "user_pool_client_id": "gen2client",
            "identity_pool_id": "eu-west-1:0d0d0d0d-2222-4333-8444-123456789abc",
            "mfa_configuration": "OPTIONAL", "mfa_methods": ["TOTP"], "standard_required_attributes": ["email"],
            "username_attributes": ["email"], "user_verification_types": ["email"],
            "groups": [{"ADMINS": {"precedence": 0}}, {"EDITORS": {"precedence": 1}}],
            "password_policy": {"min_length": 10, "require_lowercase": true, "require_numbers": false},
            "oauth": {"identity_providers": ["GOOGLE"], "domain": "pages.auth.eu-west-1.amazoncognito.com",
              "scopes": ["openid"], "redirect_sign_in_uri": ["app://in"], "redirect_sign_out_uri": ["app://out"],
              "response_type": "code"},
            "unauthenticated_identities_enabled": true
          },
          "data": {
            "url": "https://x.appsync-api.eu-west-1.amazonaws.com/graphql", "aws_region": "eu-west-1",
            "api_key": "da2-gen2example0000000000000", "default_authorization_type": "API_KEY",
            "authorization_types": ["AMAZON_COGNITO_USER_POOLS", "AWS_IAM", "OPENID_CONNECT"],
            "model_introspection": {
              "version": 1,
              "models": {"Todo": {"name": "Todo", "fields": {
                "id": {"name": "id", "isArray": false, "type": "ID", "isRequired": true, "attributes": []},
                "tags": {"name": "tags", "isArray": true, "type": "String", "isRequired": true, "isArrayNullable": true},
                "createdAt": {"name": "createdAt", "isArray": false, "type": "AWSDateTime", "isRequired": false, "isReadOnly": true},
                "updatedAt": {"name": "updatedAt", "isArray": false, "type": "AWSDateTime", "isRequired": false, "isReadOnly": true}
              }, "syncable": true, "pluralName": "Todos", "attributes": [{"type": "model", "properties": {}},
                {"type": "auth", "properties": {"rules": [{"allow": "public", "provider": "apiKey",
                  "operations": ["create", "update", "delete", "read"]}]}}],
                "primaryKeyInfo": {"isCustomPrimaryKey": false, "primaryKeyFieldName": "id", "sortKeyFieldNames": []}}},
              "enums": {}, "nonModels": {},
              "queries": {"echo": {"name": "echo", "isArray": false, "type": "String", "isRequired": false}}
            }
          },
          "storage": {"aws_region": "eu-west-1", "bucket_name": "gen2-bucket", "buckets": [{"name": "files",
            "bucket_name": "gen2-bucket", "aws_region": "eu-west-1", "paths": {"photos/*": {"guest": ["get"]}}}]}
        }
        """

    private func read(_ files: [String: String]) throws -> AmplifyProject {
        try SampleProject(files: files).read()
    }

    @Test(
        "amplify_outputs.json alone gives pool, client, groups, modes, key, bucket and models; what it lacks is named")
    func outputs() throws {
        let project = try read(["amplify_outputs.json": Self.outputs])
        let settings = project.settings.value
        #expect(project.generation == 2 && project.region == "eu-west-1" && project.hasCloudIDs)
        #expect(settings["transformerVersion"] == 2 && settings["featureFlags"]?["enableAutoIndexQueryNames"] == true)
        #expect(settings["appSyncEndpoint"] == "https://x.appsync-api.eu-west-1.amazonaws.com/graphql")
        #expect(settings["featureFlags"]?["subscriptionsInheritPrimaryAuth"] == false)
        #expect(settings["codegen"]?["generateModelsForLazyLoadAndCustomSelectionSet"] == true)
        #expect(settings["userPool"]?["id"] == "eu-west-1_Gen2Pool1" && settings["userPool"]?["domain"] == "pages")
        #expect(settings["userPool"]?["mfaConfiguration"] == "OPTIONAL")
        #expect(settings["userPool"]?["enabledMfas"] == ["SOFTWARE_TOKEN_MFA"])
        #expect(
            settings["userPool"]?["passwordPolicy"] == [
                "minimumLength": 10, "requireLowercase": true, "requireNumbers": false,
            ])
        #expect(settings["userPool"]?["groups"]?.arrayValue?.map { $0["name"] } == ["ADMINS", "EDITORS"])
        let client = settings["userPool"]?["clients"]?.arrayValue?[0]
        #expect(client?["id"] == "gen2client" && client?["callbackURLs"] == ["app://in"])
        #expect(settings["identityPool"]?["allowUnauthenticatedIdentities"] == true)
        #expect(
            settings["authConfig"]?["additionalAuthenticationProviders"] == [
                [
                    "authenticationType": "AMAZON_COGNITO_USER_POOLS",
                    "userPoolConfig": ["userPoolId": "eu-west-1_Gen2Pool1"],
                ],
                ["authenticationType": "AWS_IAM"],
            ])
        #expect(settings["apiKey"] == [["key": "da2-gen2example0000000000000"]])
        #expect(settings["storage"]?["name"] == "gen2-bucket")
        #expect(settings["storage"]?["paths"] == ["photos/*": ["guest": ["get"]]])
        #expect(
            project.schemaText?.text
                == "type Todo @model @auth(rules: [{allow: public}]) {\n  id: ID!\n  tags: [String!]\n}\n")
        for name in ["Query.echo", "OPENID_CONNECT", "GOOGLE"] {
            #expect(project.rows.contains { $0.name == name && $0.status == .notServed }, "\(name)")
        }
        let lost = try #require(project.rows.first { $0.name == "schema" })
        for word in ["rules of fields", "default values", "validation", "sandbox rule"] {
            #expect(lost.sentence.contains(word), "\(word)")
        }
    }

    @Test("the region of the buckets is read where it is another one")
    func bucketRegion() throws {
        let outputs = Self.outputs.replacing(
            "\"storage\": {\"aws_region\": \"eu-west-1\"", with: "\"storage\": {\"aws_region\": \"us-west-2\""
        ).replacing(
            "\"bucket_name\": \"gen2-bucket\", \"aws_region\": \"eu-west-1\"",
            with: "\"bucket_name\": \"gen2-bucket\", \"aws_region\": \"us-west-2\"")
        let settings = try read(["amplify/backend.ts": "", "amplify_outputs.json": outputs]).settings.value
        #expect(settings["storage"]?["region"] == "us-west-2" && settings["region"] == "eu-west-1")
        let same = try read(["amplify/backend.ts": "", "amplify_outputs.json": Self.outputs]).settings.value
        #expect(same["storage"]?["region"] == nil)
    }

    @Test("a GraphQL text in amplify/data/resource.ts goes before the models of the client file")
    func literal() throws {
        let source = #"""
            import { defineData } from '@aws-amplify/backend';
            const branchName = process.env.AWS_BRANCH ?? 'sandbox';
            const schema = `# one \`line\`
            type Note @model @auth(rules: [{allow: private}]) {
              id: ID!
              words: Int @function(name: "count-${branchName}")
            }`;
            export const data = defineData({ schema, migratedAmplifyGen1DynamoDbTableMappings: [] });
            """#
        let project = try read(
            [
                "amplify/backend.ts": "", "amplify/data/resource.ts": source, "amplify_outputs.json": Self.outputs,
            ])
        #expect(project.schemaText?.name == "amplify/data/resource.ts")
        #expect(project.schemaText?.text.contains(#"@function(name: "count-${env}")"#) == true)
        #expect(project.schemaText?.text.hasPrefix("# one `line`\ntype Note") == true)
        let inner = source.replacing("const schema = `", with: "const x = 1; defineData({ schema: `")
        #expect(SchemaLiteral.schema(in: inner)?.contains("type Note") == true)
        for other in [
            "defineData({ schema: a.schema({}) })", "const schema = `type A { id: ID }`",
            "const schema = `@model ${a({})}`", "const schema = `@model",
        ] {
            #expect(SchemaLiteral.schema(in: other) == nil, "\(other)")
        }
        let next = try read(
            [
                "amplify/backend.ts": "", "amplify/data/resource.ts": "schema: a.schema({})",
                "amplify_outputs.json": Self.outputs,
            ])
        #expect(next.schemaText?.name == "amplify_outputs.json")
    }

    @Test("the schema of the last synthesis goes before both, and stays where it is")
    func synthesized() throws {
        let path = ".amplify/artifacts/cdk.out/asset.1/model-schema.graphql"
        let project = try read(
            ["amplify/backend.ts": "", path: "type A @model { id: ID! }", "amplify_outputs.json": Self.outputs])
        #expect(project.settings.value["schema"] == .string(path) && project.schemaText == nil)
        #expect(project.files.contains(path))
    }

    @Test("of several syntheses the newest schema is served")
    func newest() throws {
        let paths = ["asset.a", "asset.b", "asset.c"].map { ".amplify/artifacts/cdk.out/\($0)/model-schema.graphql" }
        var files = ["amplify/backend.ts": ""]
        for path in paths { files[path] = "type A @model { id: ID! }" }
        for newest in paths {
            let times = Dictionary(uniqueKeysWithValues: paths.map { ($0, Int64($0 == newest ? 200 : 100)) })
            let project = try AmplifyProject.read(
                ProjectFolder(files: files, modifiedSeconds: times), ReadingOptions())
            #expect(project.settings.value["schema"] == .string(newest))
        }
    }

    @Test("the age of a synthesized schema is reported, but for an import, whose report is the same at any time")
    func age() throws {
        let files = [
            "amplify/backend.ts": "",
            ".amplify/artifacts/cdk.out/asset/model-schema.graphql": "type A @model { id: ID! }",
        ]
        func report(_ purpose: ReadingOptions.Purpose, hours: Int64) throws -> String {
            let options = ReadingOptions(purpose: purpose, nowMilliseconds: hours * 3_600_000)
            return try AmplifyProject.read(ProjectFolder(files: files), options).markdown
        }
        #expect(try report(.develop, hours: 1).contains("the last sandbox or synthesis, 1 hour old."))
        #expect(try report(.develop, hours: 3).contains("the last sandbox or synthesis, 3 hours old."))
        #expect(try report(.importing, hours: 3).contains("the last sandbox or synthesis."))
        #expect(try report(.importing, hours: 3) == report(.importing, hours: 5))
    }

    @Test("a project without any schema is served without one, and says so; a broken client file has a place")
    func nothing() throws {
        let project = try read(["amplify/backend.ts": ""])
        #expect(project.settings.value["schema"] == false)
        #expect(project.warnings.contains { $0.message.contains("no schema that can be read") })
        let error = try #require(SampleProject(files: ["amplify_outputs.json": "{\n x"]).error())
        #expect(error.diagnostics[0].place?.line == 2)
    }

    @Test("with both generations in a folder Gen 1 is served, and this is said")
    func both() throws {
        var sample = try SampleProject.chat
        sample.files["amplify/backend.ts"] = ""
        let project = try sample.read()
        #expect(project.generation == 1 && project.warnings.contains { $0.message.contains("of Amplify Gen 2") })
    }

    @Test(
        "an environment has a name as in Gen 1, which is safe in a path and in a command",
        arguments: ["x; touch pwned", "-x", "a b", "a'b", "../x", "", "é"])
    func environmentName(name: String) throws {
        let sample = SampleProject(files: ["amplify_outputs.json": Self.outputs])
        let error = try #require(sample.error(ReadingOptions(environment: name)))
        #expect(error.isUsage && error.diagnostics[0].message.contains("A name of an environment"))
        #expect(sample.error(ReadingOptions(environment: "feature_1-b")) == nil)
    }

    @Test("names that are none become no part of the schema")
    func names() throws {
        let hostile: JSONValue = [
            "models": [
                "A { x: Int } type B": ["fields": [:]],
                "Good": [
                    "fields": [
                        "id": ["type": "ID", "isRequired": true], "a: Int } type C { b": ["type": "String"],
                        "c": ["type": "String } type D { e: Int"],
                    ],
                    "attributes": [["type": "model", "properties": ["x) @auth(rules: [{allow: public}]": true]]],
                ],
            ],
            "enums": ["E": ["values": ["ONE", "TWO } type F { g: Int"]]],
        ]
        #expect(IntrospectedSchema(hostile).text == "type Good @model {\n  id: ID!\n}\n\nenum E {\n  ONE\n}\n")
    }

    @Test("an amplify_outputs.json with the address of a server decides nothing: 'syncline pull' has written it")
    func pulled() throws {
        let url = "https://x.appsync-api.eu-west-1.amazonaws.com/graphql"
        let files = ["amplify/backend.ts": "", "amplify_outputs.json": Self.outputs]
        let known = try read(files)
        #expect(known.hasCloudIDs && known.warnings.isEmpty)
        for other in ["http://127.0.0.1:20002/graphql", "https://amazonaws.com.example.test/graphql"] {
            let project = try read(files.mapValues { $0.replacing(url, with: other) })
            let settings = project.settings.value
            for key in ["userPool", "identityPool", "storage", "apiKey", "authConfig"] {
                #expect(settings[key] == nil, "\(key)")
            }
            #expect(settings["schema"] == false && !project.hasCloudIDs)
            let warning = try #require(project.warnings.first)
            #expect(warning.message.contains("'syncline pull' has written") && warning.place?.line == 16)
        }
    }

    @Test("the key of Amplify's mock in amplify_outputs.json is no key of the environment")
    func keyOfMock() throws {
        let text = Self.outputs.replacing("da2-gen2example0000000000000", with: "da2-fakeApiId123456")
        #expect(try read(["amplify_outputs.json": text]).settings.value["apiKey"] == nil)
    }

    @Test(
        "a region that is none is an error with its place", arguments: ["us-\\u001b[31meast/../1", "EU-WEST-1", "a b"])
    func region(name: String) throws {
        let text = Self.outputs.replacing(
            "\"aws_region\": \"eu-west-1\", \"user_pool_client_id\"",
            with: "\"aws_region\": \"\(name)\", \"user_pool_client_id\""
        ).replacing("\"aws_region\": \"eu-west-1\",\n", with: "\"aws_region\": \"\(name)\",\n")
            .replacing("amazonaws.com/graphql\", \"aws_region\": \"eu-west-1\"", with: "amazonaws.com/graphql\"")
        let error = try #require(SampleProject(files: ["amplify_outputs.json": text]).error())
        #expect(error.diagnostics[0].message.hasPrefix("A region has") && error.diagnostics[0].place != nil)
    }

    @Test("a schema in a comment or in a text is none")
    func literalInComment() throws {
        let right = "const schema = /* GraphQL */ `\ntype Right @model { id: ID! t: String @default(value: \"//\") }`;"
        for before in [
            "// schema: `type Wrong @model { id: ID! }`\n", "/* const schema = `type Wrong @model { id: ID! }` */",
            #"const text = "schema: `type Wrong @model { id: ID! }`";"#, "const url = 'https://a.test/'; // it's\n",
            "const other = `schema: type Wrong @model { id: ID! }`;", "myschema: `type Wrong @model { id: ID! }`,",
            "schema: `none`,",
        ] {
            let found = SchemaLiteral.schema(in: before + right)
            #expect(found == "\ntype Right @model { id: ID! t: String @default(value: \"//\") }", "\(before)")
        }
    }

    @Test("packages below the synthesis are not searched, and very many files end the search with a warning")
    func manyFiles() throws {
        let root = ".amplify/artifacts/cdk.out"
        let schema = "\(root)/asset.1/model-schema.graphql"
        var files = ["amplify/backend.ts": "", schema: "type A @model { id: ID! }"]
        for number in 0...ProjectLimits.listedFilesMax { files["\(root)/asset.fn/node_modules/p/\(number).js"] = "" }
        let project = try read(files)
        #expect(project.settings.value["schema"] == .string(schema))
        #expect(!project.warnings.contains { $0.message.contains("more than 10000 files") })
        for number in 0...ProjectLimits.listedFilesMax { files["\(root)/asset.fn/p/\(number).js"] = "" }
        #expect(try read(files).warnings.contains { $0.message.contains("more than 10000 files") })
    }
}
