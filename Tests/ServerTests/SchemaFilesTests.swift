import Foundation
import Tables
import Testing
import Transformer

@testable import Server

@Suite("The files of a schema, and those beside it")
struct SchemaFilesTests {
    static let post = "type Post @model { id: ID! }"

    private func withFolder(
        _ files: [String: String], schema: String = "", config: String = "{}",
        _ body: (_ folder: TemporaryFolder, _ texts: SettingTexts) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for (name, text) in files { try folder.write(text, to: name) }
        try folder.write(config, to: "other/syncline.json")
        try body(
            folder,
            SettingTexts(
                for: .serve,
                flags: [
                    .schema: [schema.isEmpty ? folder.url.path : folder.path(schema)],
                    .config: [folder.path("other/syncline.json")],
                ], environment: [:]))
    }

    private func refusal(_ texts: SettingTexts) throws -> ServerError {
        try #require(#expect(throws: ServerError.self) { try Configuration.load(texts).loadDefinition() })
    }

    @Test("a folder without schema.graphql is read as Amplify reads it: what is below its folder schema, by name")
    func splitSchema() throws {
        let files = [
            "schema/b.graphql": "type B @model { id: ID! }", "schema/a/2.graphql": "type A2 @model { id: ID! }",
            "schema/a/1.graphql": "type A1 @model { id: ID! }", "schema/.hidden.graphql": "type",
            "schema/notes.txt": "no schema",
        ]
        for schema in ["", "schema", "schema/"] {
            try withFolder(files, schema: schema) { folder, texts in
                let configuration = try Configuration.load(texts)
                #expect(try configuration.loadDefinition().models.map(\.name) == ["A1", "A2", "B"], "\(schema)")
                #expect(Watcher.view(of: configuration).keys.contains { $0.hasSuffix("/a/2.graphql") })
            }
        }
        try withFolder(files.merging(["schema.graphql": Self.post]) { $1 }) { _, texts in
            let definition = try Configuration.load(texts).loadDefinition()
            #expect(definition.models.map(\.name) == ["Post"])
        }
        try withFolder(files.merging(["more.graphql": Self.post]) { $1 }) { _, texts in
            let definition = try Configuration.load(texts).loadDefinition()
            #expect(definition.models.map(\.name) == ["Post", "A1", "A2", "B"])
        }
    }

    @Test(
        "transform.conf.json beside the schema counts; the configuration goes before it",
        arguments: ["", "schema.graphql"])
    func transformConfig(schema: String) throws {
        let file = """
            {"Version": 5, "ElasticsearchWarning": true, "ResolverConfig": {
              "project": {"ConflictHandler": "OPTIMISTIC_CONCURRENCY", "ConflictDetection": "VERSION"},
              "models": {"Post": {"ConflictHandler": "AUTOMERGE", "ConflictDetection": "VERSION"}}
            }}
            """
        let files = ["schema.graphql": Self.post, "transform.conf.json": file]
        try withFolder(files, schema: schema) { folder, texts in
            let configuration = try Configuration.load(texts)
            #expect(configuration.transform.conflictDetection == .version)
            #expect(configuration.transform.conflictHandler == .optimisticConcurrency)
            #expect(configuration.transform.modelConflictHandlers == ["Post": .automerge])
            #expect(try configuration.loadDefinition().tables[0].isVersioned)
            #expect(configuration.notes.count == 1 && configuration.notes[0].contains("transform.conf.json"))
            #expect(Watcher.view(of: configuration).keys.contains { $0.hasSuffix("/transform.conf.json") })
        }
        let config =
            #"{"resolverConfig": {"project": {"ConflictDetection": "NONE"}, "models": {"Post": {"ConflictDetection": "NONE"}}}}"#
        try withFolder(files, schema: schema, config: config) { _, texts in
            let definition = try Configuration.load(texts).loadDefinition()
            #expect(definition.tables[0].isVersioned == false)
        }
        // A verb that handles data alone does not depend on it.
        let none = SettingTexts(for: .serve, flags: [:], environment: [:], concernsSchema: false)
        #expect(try Configuration.load(none).transform.conflictDetection == .none)
    }

    @Test("of many errors and warnings the first hundred are printed, and the others are counted")
    func manyErrors() throws {
        let types = (0..<130).map { #"type T\#($0) @model @key(fields: ["missing"]) { id: ID! }"# }
        try withFolder(["schema.graphql": types.joined(separator: " ")]) { _, texts in
            let error = try refusal(texts)
            #expect(error.diagnostics.count == 130)
            let lines = error.text.split(separator: "\n")
            #expect(lines.count { $0.contains("schema.graphql:1:") } == 100)
            #expect(lines.last == "30 more errors, not shown.")
            let report = CheckReport(texts)
            #expect(report.text.contains("30 more errors, not shown.") && report.text.contains("130 errors."))
            #expect(report.errors.count == 130)
        }
        let warnings = (0..<101).map { Diagnostic(kind: "Warning", message: "\($0)") }
        let lines = Diagnostic.texts(warnings, "warning")
        #expect(lines.count == 101 && lines.last == "1 more warning, not shown.")
        #expect(Diagnostic.texts(warnings.dropLast(), "warning").last == "warning: 99")
    }

    @Test("a function that transform.conf.json names has its URL in the configuration")
    func conflictFunction() throws {
        let file = """
            {"Version": 5, "ResolverConfig": {"project": {"ConflictDetection": "VERSION", "ConflictHandler": "LAMBDA",
              "LambdaConflictHandler": {"name": "decide-${env}"}}}}
            """
        let files = ["schema.graphql": Self.post, "transform.conf.json": file]
        try withFolder(files, config: #"{"functions": {"decide-${env}": "http://127.0.0.1:9"}}"#) { _, texts in
            let configuration = try Configuration.load(texts)
            #expect(
                configuration.resolverConfig.functions.project?.url == "http://127.0.0.1:9"
                    && configuration.notes.isEmpty)
        }
        try withFolder(files) { _, texts in
            let error = try refusal(texts)
            #expect(error.text.contains(#""decide-${env}", which decides conflicts, has no URL"#))
        }
    }

    @Test(
        "a transform.conf.json of another version, without one, with a transformer of its own or broken is refused",
        arguments: [
            (
                #"{"Version": 4}"#,
                "transform.conf.json:1:2: error: Version 4 of the transformer's configuration is not served."
            ),
            (#"{"ElasticsearchWarning": true}"#, "error: A file without a Version is not served."),
            (#"{"Version": 6}"#, "error: Version 6 of the"),
            (
                #"{"Version": 5, "transformers": ["graphql-ttl"]}"#,
                "error: The custom transformer graphql-ttl is not served yet."
            ),
            (#"{"Version": 5, "ResolverConfig": 1}"#, "error: 'ResolverConfig' is an object"), ("{", "error: "),
        ])
    func refusedTransformConfig(file: String, message: String) throws {
        try withFolder(["schema.graphql": Self.post, "transform.conf.json": file]) { _, texts in
            let error = try refusal(texts)
            #expect(error.code == .invalid && error.text.contains(message), "\(error.text)")
            #expect(error.text.contains("hint: ") || !file.contains("Version\": 4"), "\(error.text)")
        }
        let config = #"{"transformConfig": {"Version": 5}}"#
        guard file == #"{"Version": 4}"# else { return }
        try withFolder(["schema.graphql": Self.post, "transform.conf.json": file], config: config) { _, texts in
            let definition = try Configuration.load(texts).loadDefinition()
            #expect(definition.models.count == 1)
        }
    }

    @Test("an unknown key of transform.conf.json is a warning")
    func unknownKey() throws {
        try withFolder(["schema.graphql": Self.post, "transform.conf.json": #"{"Version": 5, "Own": 1}"#]) { _, texts in
            let report = CheckReport(texts)
            #expect(report.errors.isEmpty && report.warnings.count == 1)
            #expect(report.text.contains("transform.conf.json:1:16: warning: Unknown key 'Own': it has no effect."))
        }
    }

    @Test("resolvers of one's own beside the schema are refused by their names, and never passed over")
    func resolvers() throws {
        let stack = """
            {"Resources": {"EmptyResource": {"Type": "Custom::EmptyResource"},
              "MeResolver": {"Type": "AWS::AppSync::Resolver"}}}
            """
        let files = [
            "api/schema.graphql": Self.post, "api/resolvers/Query.me.req.vtl": "{}", "api/resolvers/README.md": "Hello",
            "api/resolvers/nested/Query.me.res.vtl": "{}", "api/pipelineFunctions/step.req.vtl": "{}",
            "api/stacks/CustomResources.json": #"{"Resources": {"EmptyResource": {"Type": "Custom::EmptyResource"}}}"#,
            "api/stacks/Mine.json": stack, "api/schema.sql.graphql": "type Legacy @model { id: ID! }",
            "resolvers/Query.other.req.vtl": "{}",
        ]
        try withFolder(files, schema: "api/schema.graphql") { folder, texts in
            let error = try refusal(texts)
            #expect(error.code == .invalid && error.diagnostics.count == 5, "\(error.text)")
            for name in [
                "resolvers/Query.me.req.vtl", "resolvers/nested/Query.me.res.vtl", "pipelineFunctions/step.req.vtl",
                "stacks/Mine.json", "schema.sql.graphql",
            ] {
                #expect(error.text.contains(folder.path("api/\(name)")), "\(name)")
            }
            #expect(error.diagnostics.allSatisfy { $0.hint != nil } && error.text.contains("MeResolver"))
            let report = CheckReport(texts)
            #expect(report.errors.count == 5 && report.code == .invalid)
        }
    }

    @Test("resolvers in JavaScript are refused in the folder of an API, and other files of JavaScript are not")
    func resolversInJavaScript() throws {
        let api = "amplify/backend/api/own"
        let files = [
            "\(api)/schema.graphql": Self.post, "\(api)/resolvers/Query.me.js": "", "\(api)/functions/step.js": "",
            "schema.graphql": Self.post, "functions/index.js": "",
        ]
        try withFolder(files, schema: "\(api)/schema.graphql") { _, texts in
            let error = try refusal(texts)
            #expect(error.diagnostics.count == 2 && error.text.contains("Query.me.js is not served"), "\(error.text)")
        }
        try withFolder(files, schema: "schema.graphql") { _, texts in
            #expect(CheckReport(texts).errors.isEmpty)
        }
    }

    @Test("problems of files beside a schema are reported together with the schema's errors")
    func allAtOnce() throws {
        try withFolder(["schema.graphql": "type Post @model { id: Nope }", "resolvers/Query.a.req.vtl": ""]) {
            _, texts in
            let error = try refusal(texts)
            #expect(error.diagnostics.count == 2)
        }
    }

    @Test(
        "a schema without a model is refused with what to write",
        arguments: [
            ("", "type Todo @model"), ("type Query { a: Int }", "type Todo @model"),
            ("type Query { a: Note } type Note { id: ID! }", "type Note @model { … }"),
            ("# nothing", "type Todo @model"),
            ("schema { query: Root } type Root { a: Int } enum E { A }", "type Todo @model"),
        ])
    func withoutModel(schema: String, hint: String) throws {
        try withFolder(["schema.graphql": schema]) { _, texts in
            let error = try refusal(texts)
            #expect(error.code == .invalid && error.diagnostics.count == 1, "\(error.text)")
            #expect(error.text.contains("has no type with @model") && error.diagnostics[0].hint?.contains(hint) == true)
        }
    }

    @Test("counts have the number of their nouns")
    func counts() throws {
        try withFolder(["schema.graphql": Self.post]) { _, texts in
            #expect(CheckReport(texts).text.hasSuffix("The schema is valid: 1 model, 0 indexes."))
        }
        let two = "type A @model @key(name: \"k\", fields: [\"a\"]) { id: ID! a: Int } type B @model { id: ID! }"
        try withFolder(["schema.graphql": two]) { _, texts in
            #expect(CheckReport(texts).text.hasSuffix("The schema is valid: 2 models, 1 index."))
        }
    }

    @Test("a schema that serve does not start with is invalid, with the place of the first model that is closed")
    func closedModel() throws {
        let schema = "type A @model @auth(rules: [{allow: public}]) { id: ID! @primaryKey }\ntype B @model { id: ID! }"
        try withFolder(["schema.graphql": schema]) { _, texts in
            let report = CheckReport(texts)
            #expect(report.code == .invalid)
            #expect(
                report.text.contains(
                    "schema.graphql:2:1: error: Nobody has access to the models without @auth: B."), "\(report.text)")
            #expect(report.text.contains("Access\n  A"), "\(report.text)")
            // It is named once, by the error, and not by a warning besides.
            #expect(report.warnings.isEmpty, "\(report.warnings)")
            let naming = (report.errors + report.warnings).filter { $0.message.matches(of: /\bB\b/).count > 0 }
            #expect(naming.count == 1)
        }
        try withFolder(["schema.graphql": schema]) { _, texts in
            #expect(
                CheckReport(texts).text.contains(":\n\(APIDefinition.sandboxInput)\n"), "the input is a line to paste")
        }
        let meant = #"{"transformParameters": {"sandboxModeEnabled": false}}"#
        try withFolder(["schema.graphql": schema], config: meant) { _, texts in
            let report = CheckReport(texts)
            #expect(report.code == nil)
            #expect(report.warnings.map(\.message) == ["B has no @auth and is closed to everyone."])
        }
    }

    @Test("sandboxModeEnabled: false goes before the input AMPLIFY, and a warning names both places")
    func overriddenSandbox() throws {
        let schema = "type B @model { id: ID! @primaryKey }\n\(APIDefinition.sandboxInput)"
        let rows = [(#""sandboxModeEnabled": false"#, ["B"]), (#""sandboxModeEnabled": true"#, []), ("", [])]
        for (parameters, models) in rows {
            let config = #"{"transformParameters": {\#(parameters)}}"#
            try withFolder(["schema.graphql": schema], config: config) { folder, texts in
                let definition = try Configuration.load(texts).loadDefinition(allowsClosedModels: false)
                #expect(definition.closedModels == models)
                let warnings = CheckReport(texts).warnings.filter { $0.message.contains("AMPLIFY") }
                #expect(warnings.count == models.count)
                guard let warning = warnings.first else { return }
                #expect(warning.place?.line == 2)
                #expect(
                    warning.message.hasPrefix("The input AMPLIFY has no effect: 'sandboxModeEnabled' is false in ")
                        && warning.message.contains("other/syncline.json:1:"), "\(warning.message)")
            }
        }
    }

    @Test("a sandbox opens nothing in an API without API keys: its models without rules are closed, and an error")
    func sandboxWithoutAPIKeys() throws {
        let users = #""authConfig": {"defaultAuthentication": {"authenticationType": "AMAZON_COGNITO_USER_POOLS"}}"#
        let model = "type B @model { id: ID! @primaryKey }"
        let input = "\(model)\n\(APIDefinition.sandboxInput)"
        let rows = [
            (model, "{\(users)}"), (input, "{\(users)}"),
            (model, #"{\#(users), "transformerVersion": 2, "transformParameters": {"sandboxModeEnabled": true}}"#),
        ]
        for (schema, config) in rows {
            try withFolder(["schema.graphql": schema], config: config) { _, texts in
                let report = CheckReport(texts)
                #expect(report.code == .invalid)
                #expect(
                    report.text.contains("error: Nobody has access to the models without @auth: B."), "\(report.text)")
                #expect(report.text.contains("or add API_KEY to 'authConfig'"), "\(report.text)")
                #expect(!report.text.contains("every caller with an API key"), "\(report.text)")
                #expect(throws: ServerError.self) {
                    try Configuration.load(texts).loadDefinition(allowsClosedModels: false)
                }
            }
        }
        try withFolder(["schema.graphql": input], config: "{\(users)}") { _, texts in
            let text = CheckReport(texts).text
            #expect(
                text.contains("the sandbox opens it to API keys alone, and API_KEY is no mode of this API."), "\(text)")
        }
    }

    @Test("a nested type that the rules of a model open to another mode than its author named is a warning")
    func openedType() throws {
        let schema = """
            type A @model @auth(rules: [{allow: public}]) { id: ID! @primaryKey inner: Inner }
            type Inner @aws_cognito_user_pools(cognito_groups: ["Admin"]) { secret: String }
            """
        let config = """
            {"authConfig": {
              "defaultAuthentication": {"authenticationType": "AMAZON_COGNITO_USER_POOLS"},
              "additionalAuthenticationProviders": [{"authenticationType": "API_KEY"}]}}
            """
        try withFolder(["schema.graphql": schema], config: config) { _, texts in
            let messages = CheckReport(texts).warnings.map(\.message)
            #expect(
                messages == [
                    "The rules of A add @aws_api_key to Inner, whose author wrote @aws_cognito_user_pools alone, for some groups."
                ],
                "\(messages)")
        }
    }

    @Test("custom-roles.json beside the schema is not read, which is a warning with what to write instead")
    func customRoles() throws {
        let files = ["schema.graphql": Self.post, "custom-roles.json": #"{"adminRoleNames": ["Reports"]}"#]
        try withFolder(files) { _, texts in
            let warnings = CheckReport(texts).warnings
            #expect(warnings.count == 1 && warnings[0].message.contains("custom-roles.json is not read"), "\(warnings)")
            #expect(warnings.first?.hint?.contains("'adminRoles'") == true)
        }
    }

    @Test("directives of modes that the API does not have, and @aws_auth beside other modes, are warnings")
    func modeDirectives() throws {
        let schema = """
            type A @model {
              id: ID!
              a: String @aws_lambda
              b: String @aws_auth(cognito_groups: ["G"])
              c: String @aws_api_key
            }
            """
        try withFolder(["schema.graphql": schema]) { _, texts in
            let messages = CheckReport(texts).warnings.map(\.message)
            #expect(
                messages == [
                    "@aws_lambda on A.a names a mode that the API does not have: AWS_LAMBDA.",
                    "@aws_auth on A.b has no effect: it counts where AMAZON_COGNITO_USER_POOLS is the only mode.",
                ])
        }
        let alone = #"{"authConfig": {"defaultAuthentication": {"authenticationType": "AMAZON_COGNITO_USER_POOLS"}}}"#
        try withFolder(["schema.graphql": schema], config: alone) { _, texts in
            let messages = CheckReport(texts).warnings.map(\.message)
            #expect(messages.count == 2 && messages.allSatisfy { $0.contains("API does not have") }, "\(messages)")
        }
    }

    @Test("the report says of rules what a server would make of them")
    func rules() throws {
        let schema = """
            type A @model @auth(rules: [{allow: private}]) { id: ID! }
            type B @model @auth(rules: [{allow: private}, {allow: public}]) { id: ID! }
            type C @model @auth(rules: [{allow: public}]) { id: ID! }
            """
        try withFolder(["schema.graphql": schema]) { _, texts in
            let text = CheckReport(texts).text
            for sentence in ["Every caller is held to its rules.", "Directives: 6 same."] {
                #expect(text.contains(sentence), "\(text)")
            }
        }
        let closed = #"{"authConfig": {"defaultAuthentication": {"authenticationType": "API_KEY"}}}"#
        try withFolder(["schema.graphql": schema], config: closed) { _, texts in
            let report = CheckReport(texts)
            #expect(
                report.code == .invalid && report.text.contains("no Cognito User Pools authentication provider"),
                "\(report.text)")
        }
    }
}
