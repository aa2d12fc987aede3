import Foundation
import GraphQL
import JSON
import Testing
import Transformer

@testable import Server

/// The sample projects of `AmplifyTests`, served by the built binary or loaded as it loads them.
@Suite("An Amplify project, served as it is", .serialized)
struct AmplifyServingTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    private func golden(_ name: String) throws -> String {
        let file = Self.tests.appending(path: "TransformerTests/Fixtures/golden/\(name).out.graphql")
        return try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    /// Loads a project as `dev` does.
    private func load(_ folder: TemporaryFolder, _ flags: [Setting: [String]] = [:]) throws -> Configuration {
        // Not the configuration of the folder in which the tests run.
        try folder.write("{}", to: "empty.json")
        let own: [Setting: [String]] = [.amplify: [folder.url.path], .config: [folder.path("empty.json")]]
        let texts = SettingTexts(for: .develop, flags: flags.merging(own) { $1 }, environment: [:])
        return try Configuration.load(texts)
    }

    /// The bytes of each file below a folder, but for the data.
    private func contents(_ folder: TemporaryFolder) -> [String: Data] {
        let names = folder.names.filter { !$0.hasPrefix(".syncline") }
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { name in
                (try? Data(contentsOf: folder.url.appending(path: name))).map { (name, $0) }
            })
    }

    @Test(
        "the API of each sample project is the one that Amplify generates",
        arguments: [
            ("chat-v1", "seed-chat"), ("landmarks-v2-auth", "seed-landmark-v2"),
            ("booking-datastore", "seed-booking-public-datastore"),
        ])
    func generated(project: String, expected: String) throws {
        let folder = try TemporaryFolder.sampleProject(project)
        defer { folder.remove() }
        let definition = try load(folder).loadDefinition()
        #expect(Printer.print(definition.document).trimmingCharacters(in: .newlines) == (try golden(expected)))
    }

    @Test("without cli.json the landmarks project has the API of version 1; a directive of version 2 is then refused")
    func withoutFlags() throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        try FileManager.default.removeItem(at: folder.url.appending(path: "amplify/cli.json"))
        let configuration = try load(folder)
        #expect(configuration.transform.transformerVersion == .v1)
        let definition = try configuration.loadDefinition()
        #expect(Printer.print(definition.document).trimmingCharacters(in: .newlines) == (try golden("seed-landmark")))
    }

    @Test(
        "dev serves each sample project, and changes and executes nothing of it",
        arguments: ["chat-v1", "landmarks-v2-auth", "booking-datastore"])
    func nothingWritten(project: String) throws {
        let folder = try TemporaryFolder.sampleProject(project)
        defer { folder.remove() }
        let before = contents(folder)
        #expect(before.count > 10)
        let server = try Running(["dev", "--port", "0", "--tls", "off"], in: folder)
        let client = try Client(port: server.port)
        #expect(try client.ask("GET", "/health", headers: [:]).status == 200)
        let outcome = server.stop()
        #expect(outcome.code == 0 && outcome.output.contains("Amplify project "), "\(outcome)")
        #expect(contents(folder) == before)
        #expect(!folder.names.contains { $0.hasSuffix("HOOK_RAN") })
        let environment = project == "booking-datastore" ? "staging" : "dev"
        #expect(folder.names.contains(".syncline/\(environment)/tables.sqlite"), "\(folder.names)")
    }

    @Test("dev accepts the API key of the project and that of Amplify's mock")
    func keys() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let server = try Running(["dev", "--port", "0", "--tls", "off", "--ephemeral"], in: folder)
        defer { server.stop() }
        let body = #"{"query":"{ listUsers { items { id } } }"}"#
        for (key, status) in [
            ("da2-chatdevexample000000000001", 200), ("da2-fakeApiId123456", 200), ("da2-other", 401),
        ] {
            let headers = ["x-api-key": key, "content-type": "application/json"]
            #expect(
                try server.connect().ask("POST", "/graphql", headers: headers, body: body).status == status, "\(key)")
        }
    }

    @Test("serve does not begin without the functions that the triggers of the project need")
    func serveRefuses() throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        let outcome = try run(["serve", "--port", "0"], in: folder)
        #expect(outcome.code == 3 && outcome.complaint.contains("landmarks5a6b7c8dPostConfirmation"), "\(outcome)")
        #expect(outcome.complaint.contains("cli-inputs.json:"))
        try folder.write(
            #"{"functions": {"landmarks5a6b7c8dPostConfirmation": "http://127.0.0.1:9/"}}"#, to: "config/syncline.json")
        let server = try Running(["serve", "--port", "0"], in: folder)
        #expect(server.stop().code == 0)
    }

    @Test("a function without a URL keeps nobody from printing the schema, planning a migration or pulling files")
    func missingFunction() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(
            "type Query { h: Int @function(name: \"h\") } type A @model @auth(rules: [{ allow: public }]) { id: ID! }",
            to: "schema.graphql")
        for arguments in [["schema", "print"], ["migrate", "plan"], ["pull"], ["codegen", "models", "--out", "M"]] {
            let outcome = try run(arguments, in: folder)
            #expect(outcome.code == 0, "\(arguments) \(outcome)")
        }
        for arguments in [["check"], ["serve", "--port", "0"]] {
            let outcome = try run(arguments, in: folder)
            #expect(outcome.code == 3 && outcome.complaint.contains("there is no function \"h\""), "\(outcome)")
        }
    }

    @Test("an environment has to be named where none is checked out, and must be one of the project")
    func environments() throws {
        let folder = try TemporaryFolder.sampleProject("booking-datastore")
        defer { folder.remove() }
        let missing = try run(["serve", "--port", "0"], in: folder)
        #expect(missing.code == 2 && missing.complaint.contains("staging, prod"), "\(missing)")
        let unknown = try run(["dev", "--port", "0", "--env", "nope"], in: folder)
        #expect(unknown.code == 2 && unknown.complaint.contains("staging, prod"), "\(unknown)")
        let plural = try run(["config", "show", "--origin", "--env", "prod"], in: folder)
        #expect(plural.code == 0 && plural.output.contains("featureFlags.improvePluralization"), "\(plural)")
        let line = plural.output.split(separator: "\n").first { $0.hasPrefix("featureFlags.improvePluralization") }
        #expect(line?.contains("true") == true && line?.hasSuffix("amplify/cli.json:5") == true, "\(line ?? "")")
    }

    @Test("config show prints the order of origins: flag, variable, file, project, default; and no secret")
    func origins() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        try folder.write(
            #"{"port": 20100, "featureFlags": {"improvePluralization": true}}"#, to: "config/syncline.json")
        let outcome = try run(["config", "show", "--origin", "--host", "127.0.0.1"], in: folder)
        #expect(outcome.code == 0, "\(outcome)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        func row(_ key: String) -> String { lines.first { $0.hasPrefix("\(key) ") } ?? "" }
        #expect(row("host").hasSuffix("--host"))
        #expect(row("port").contains("20100") && row("port").hasSuffix("config/syncline.json:1"))
        #expect(row("featureFlags.improvePluralization").hasSuffix("config/syncline.json:1"))
        #expect(row("featureFlags.secondaryKeyAsGSI").hasSuffix("amplify/cli.json:8"))
        #expect(row("featureFlags.enableAutoIndexQueryNames").hasSuffix("default (Amplify)"))
        #expect(row("userPool.id").hasSuffix("amplify/backend/amplify-meta.json:26"), "\(row("userPool.id"))")
        #expect(row("log.level").hasSuffix("default"))
        #expect(!outcome.output.contains("chatnativeclientsecret") && !outcome.output.contains("da2-chatdevexample"))
        #expect(row("apiKey").isEmpty || row("apiKey").contains("da2-chat…"))

        let prod = try run(["config", "show", "--env", "prod"], in: folder)
        #expect(prod.output.contains("eu-west-1") && !prod.output.contains("ChatDev01"))
    }

    /// What is listed for a project whose configuration has these settings, by key.
    private func listing(
        _ folder: TemporaryFolder, _ configuration: String = "{}", _ flags: [Setting: [String]] = [:],
        _ environment: [String: String] = [:]
    ) throws -> [String: (value: String, origin: String)] {
        try folder.write(configuration, to: "own.json")
        let own: [Setting: [String]] = [.config: [folder.path("own.json")], .amplify: [folder.url.path]]
        let texts = SettingTexts(for: .develop, flags: own.merging(flags) { $1 }, environment: environment)
        let rows = try ConfigurationListing(texts).rows.map { row in
            let isOfFolder = row.origin.hasPrefix(folder.url.path)
            let origin = isOfFolder ? String(row.origin.dropFirst(folder.url.path.count + 1)) : row.origin
            return (row.key, (value: "\(row.value)", origin: origin))
        }
        return Dictionary(rows) { first, _ in first }
    }

    @Test("config show names where each kind of value comes from")
    func kindsOfOrigins() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let flag = "AMPLIFYCLI_graphqltransformer__improvePluralization"
        let rows = try listing(
            folder, "{\n\"log\": {\"level\": \"debug\"},\n\"region\": null\n}", [.host: ["127.0.0.1"]],
            ["SYNCLINE_PORT": "20106", "SYNCLINE_ENV": "dev", flag: "true"])
        for (key, origin) in [
            ("host", "--host"), ("port", "env SYNCLINE_PORT"), ("log.level", "own.json:2"), ("config", "--config"),
            ("amplify", "--amplify"), ("amplify.environment", "env SYNCLINE_ENV"),
            ("environmentName", "env SYNCLINE_ENV"), ("featureFlags.improvePluralization", "env \(flag)"),
            // A null says nothing.
            ("region", "amplify/team-provider-info.json:7"), ("userPool.id", "amplify/backend/amplify-meta.json:26"),
            ("schema", "amplify/backend/api/isolationchat/schema.graphql:1"), ("tls", "default"), ("data", "default"),
            ("transformerVersion", "amplify/cli.json:6"),
            ("featureFlags.subscriptionsInheritPrimaryAuth", "default (Amplify)"),
            ("userPool.clients.1.explicitAuthFlows", "default (Amplify)"),
            (
                "userPool.clients.1.refreshTokenValidityDays",
                "amplify/backend/auth/isolationchat1c2d3e4f/parameters.json:25"
            ),
        ] { #expect(rows[key]?.origin == origin, "\(key) \(rows[key] ?? ("", ""))") }
        #expect(rows["apiKey"]?.origin.hasPrefix("amplify/backend/amplify-meta.json:") == true)
        #expect(rows["userPool.clients.0.id"]?.origin.hasPrefix("amplify/backend/amplify-meta.json:") == true)

        // What chooses the environment.
        #expect(try listing(folder)["environmentName"]?.origin == "amplify/.config/local-env-info.json:4")
        let prod = try listing(folder, #"{"amplify": {"environment": "prod"}}"#)
        #expect(prod["environmentName"]?.origin == "own.json:1" && prod["environmentName"]?.value == "\"prod\"")
        #expect(prod["userPool.id"]?.origin == "invented" && prod["userPool.clients.1.id"]?.origin == "invented")
        #expect(prod["userPool.mfaConfiguration"]?.origin.contains("parameters.json:") == true)

        // Settings that others override or exclude.
        let ephemeral = try listing(folder, "{}", [.ephemeral: ["true"], .datastore: ["true"]])
        #expect(ephemeral["data"]?.value == "\":memory:\"" && ephemeral["data"]?.origin == "--ephemeral")
        #expect(ephemeral["resolverConfig"]?.origin == "--datastore")
        let grouped = #"{"featureFlags": {"features": {"graphqltransformer": {"addmissingownerfields": false}}}}"#
        let flags = try listing(folder, grouped)
        #expect(flags["featureFlags.features.graphqltransformer.addmissingownerfields"]?.origin == "own.json:1")
        #expect(flags["featureFlags.addMissingOwnerFields"] == nil)
        #expect(flags["featureFlags.secondaryKeyAsGSI"] != nil)
        let users = #"{"authConfig": {"defaultAuthentication": {"authenticationType": "AMAZON_COGNITO_USER_POOLS"}}}"#
        let closed = try listing(folder, users)["apiKey"]
        #expect(closed?.value.contains("API_KEY is no mode") == true && closed?.origin == "own.json:1")
        let parameters = "amplify/backend/api/isolationchat/parameters.json"
        try folder.replace("\"AppSyncApiName\"", with: "\"CreateAPIKey\": 0, \"AppSyncApiName\"", in: parameters)
        let none = try listing(folder)["apiKey"]
        #expect(
            none?.value.contains("makes no key") == true && none?.origin == "\(parameters):2", "\(none ?? ("", ""))")
    }

    @Test("paths or a list of buckets in the configuration replace the project's access levels, and levels its paths")
    func formsOfStorage() throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        let paths = try listing(folder, #"{"storage": {"paths": {"public/*": {"guest": ["get"]}}}}"#)
        #expect(paths["storage.paths.public/*.guest"]?.origin == "own.json:1")
        #expect(paths["storage.name"]?.origin.hasPrefix("amplify/") == true)
        for key in ["guestAccess", "authAccess"] { #expect(paths["storage.\(key)"] == nil, "\(key)") }
        let list = try listing(folder, #"{"storage": {"buckets": [{"name": "one"}, {"name": "two"}]}}"#)
        #expect(list["storage.buckets.1.name"]?.value == "\"two\"" && list["storage.name"] == nil)
        let levels = try listing(folder, #"{"storage": {"guestAccess": []}}"#)
        #expect(levels["storage.guestAccess"]?.value == "[]" && levels["storage.authAccess"] != nil)
        let over = ConfigurationFile.merged(
            ["storage": ["authAccess": ["READ"], "paths": nil]], over: ["storage": ["name": "own", "paths": [:]]])
        #expect(over == ["storage": ["name": "own", "authAccess": ["READ"]]])
    }

    @Test("environmentName may not differ from the environment of the project")
    func environmentNameOfConfiguration() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let error = #expect(throws: ServerError.self) { try listing(folder, #"{"environmentName": "prod"}"#) }
        #expect(error?.code == .invalid && error?.text.contains("'amplify.environment'") == true)
        #expect(error?.text.contains("is 'prod', and the environment of the Amplify project is 'dev'.") == true)
        for configuration in [
            #"{"environmentName": "dev"}"#, #"{"environmentName": "prod", "amplify": {"environment": "prod"}}"#,
        ] { #expect(try listing(folder, configuration)["environmentName"] != nil, "\(configuration)") }
        try folder.write(#"{"environmentName": "prod"}"#, to: "config/syncline.json")
        let imported = try run(["import", "amplify", ".", "--out", "new"], in: folder)
        #expect(imported.code == 3 && imported.complaint.contains("'environmentName'"), "\(imported)")
    }

    @Test("a switch of the environment that is neither on nor off is an error, and not off")
    func switches() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        for setting in [Setting.noAmplify, .allowExpiredKeys, .ignoreCustomTransformers, .datastore] {
            let error = #expect(throws: ServerError.self) {
                try listing(folder, "{}", [:], [setting.variable: "maybe"])
            }
            #expect(error?.code == .usage)
            #expect(error?.text.contains("\(setting.variable) is true or false, and not 'maybe'.") == true)
            #expect(try listing(folder, "{}", [:], [setting.variable: "no"])["userPool.id"] != nil)
        }
    }

    @Test("config show lists transform.conf.json beside a schema")
    func transformConfigOrigin() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("type Post @model { id: ID! }", to: "api/schema.graphql")
        try folder.write(
            "{\"Version\": 5,\n\"ResolverConfig\": {\"project\": {\"ConflictDetection\": \"VERSION\",\n"
                + "\"ConflictHandler\": \"AUTOMERGE\"}}}", to: "api/transform.conf.json")
        let flags: [Setting: [String]] = [.schema: [folder.path("api")], .amplify: [], .noAmplify: ["true"]]
        let rows = try listing(folder, "{}", flags)
        #expect(rows["resolverConfig.project.ConflictHandler"]?.origin == "api/transform.conf.json:3")
        #expect(rows["amplify"]?.origin == "--no-amplify" && rows["amplify"]?.value == "false")
        let own = try listing(
            folder, #"{"resolverConfig": {"project": {"ConflictHandler": "OPTIMISTIC_CONCURRENCY"}}}"#, flags)
        #expect(own["resolverConfig.project.ConflictHandler"]?.origin == "own.json:1")
    }

    @Test("the project is found from a folder below it, and --no-amplify or the configuration serve without it")
    func detection() async throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        try folder.write("", to: "ios/App/x")
        let below = try Command(["config", "show", "--origin"], in: folder)
        #expect(below.wait().output.contains("us-east-1_ChatDev01"))
        let inner = try inFolder("ios/App", of: folder)
        let outcome = try run(["schema", "print"], in: inner)
        #expect(outcome.code == 0 && outcome.output.contains("listUsers"), "\(outcome)")
        let server = try Running(["dev", "--port", "0", "--tls", "off", "--ephemeral"], in: inner)
        try await eventually {
            server.output.contains("Amplify project isolationchat") && server.output.contains("found in ../../")
        }
        #expect(server.stop().code == 0)
        for arguments in [["check", "--no-amplify"]] {
            let without = try run(arguments, in: folder)
            #expect(without.code == 3 && without.complaint.contains("schema.graphql"), "\(without)")
        }
        try folder.write(#"{"amplify": {"env": "dev"}}"#, to: "config/syncline.json")
        let unknown = try run(["check"], in: folder)
        #expect(unknown.code == 3 && unknown.complaint.contains("Unknown key 'amplify.env'"), "\(unknown)")
        try folder.write(#"{"amplify": false}"#, to: "config/syncline.json")
        #expect(try run(["check"], in: folder).code == 3)
    }

    @Test("a project in a folder above is not served by serve, nor beside a schema, nor where others may have put it")
    func above() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        try folder.write("", to: "ios/App/x")
        let inner = try inFolder("ios/App", of: folder)
        let checked = try run(["check"], in: inner)
        #expect(checked.code == 3 && checked.complaint.contains("'--amplify ../..'."), "\(checked)")
        #expect(!checked.complaint.contains("chat"))
        for verb in ["serve", "check", "dev"] {
            let help = try run([verb, "--help"], in: inner).output.split { $0.isWhitespace }.joined(separator: " ")
            #expect(help.contains("or, for all verbs but serve and check, of a folder above it."), "\(help)")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path("amplify"))
        #expect(try run(["schema", "print"], in: inner).code == 3)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path("amplify"))
        #expect(try run(["schema", "print"], in: inner).code == 0)
        try folder.write("type Own @model @auth(rules: [{ allow: public }]) { id: ID! }", to: "ios/App/schema.graphql")
        let own = try run(["schema", "print"], in: inner)
        #expect(own.code == 0 && own.output.contains("listOwns") && !own.output.contains("listUsers"), "\(own)")
    }

    @Test(
        "in a folder below, the configuration of the project's folder counts, and its paths are relative to that folder"
    )
    func configurationAbove() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        try folder.write("", to: "ios/App/x")
        let inner = try inFolder("ios/App", of: folder)
        func row(_ key: String, _ arguments: [String] = []) throws -> String {
            let outcome = try run(["config", "show", "--origin"] + arguments, in: inner)
            #expect(outcome.code == 0, "\(outcome)")
            return outcome.output.split(separator: "\n").map(String.init).first { $0.hasPrefix("\(key) ") } ?? ""
        }
        let users = #""userPool": {"users": {"file": "config/users.json"}}"#
        try folder.write("[]", to: "config/users.json")
        try folder.write(#"{"port": 20104, "data": "kept", \#(users)}"#, to: "config/syncline.json")
        #expect(try row("port").contains("20104") && row("port").hasSuffix("../../config/syncline.json:1"))
        #expect(try row("data").contains("\"../../kept\"") && row("data").hasSuffix("../../config/syncline.json:1"))
        #expect(try row("data", ["--data", "own"]).contains("\"own\""))
        #expect(try row("userPool.id").contains("us-east-1_ChatDev01"))
        let other = try TemporaryFolder()
        defer { other.remove() }
        let named = try run(["config", "show", "--amplify", folder.url.path], in: other)
        #expect(named.code == 0 && named.output.contains("20104"), "\(named)")

        try folder.write("type Own @model @auth(rules: [{ allow: public }]) { id: ID! }", to: "own/schema.graphql")
        try folder.write(#"{"schema": "own"}"#, to: "config/syncline.json")
        #expect(try run(["schema", "print"], in: inner).output.contains("listOwns"))
        // Without the project, its folder's schema and data.
        try folder.write("type Beside @model @auth(rules: [{ allow: public }]) { id: ID! }", to: "schema.graphql")
        try folder.write(#"{"amplify": false}"#, to: "config/syncline.json")
        #expect(try run(["schema", "print"], in: inner).output.contains("listBesides"))
        #expect(try row("data").contains("\"../../.syncline\""))
        try folder.write(#"{"port": 20105}"#, to: "ios/App/config/syncline.json")
        #expect(try row("port").contains("20105") && row("port").hasSuffix(" config/syncline.json:1"))
    }

    @Test("nothing is written under amplify/, by whatever option it is named")
    func underAmplify() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        try folder.link("elsewhere", to: "amplify/backend")
        let before = folder.names
        for (arguments, code) in [
            (["pull", "--env", "dev", "--out", "amplify/new/x"], 2),
            (["pull", "--env", "dev", "--out", "elsewhere"], 2),
            (["codegen", "models", "--out", "amplify/../amplify/Models"], 2),
            (["codegen", "models", "--out", "Models", "--list", "amplify/list.json"], 2),
            (["import", "amplify", ".", "--out", "amplify/backend/api", "--force"], 2),
            (["dev", "--port", "0", "--codegen", "amplify/Models"], 2),
            (["keys", "list", "--data", "amplify/data"], 2), (["check", "--data", "elsewhere/data"], 2),
            (["dev", "--port", "0", "--ready-file", "amplify/backend/amplify-meta.json"], 2),
            (["dev", "--port", "0", "--ready-file", "elsewhere/ready"], 2),
            (["files", "get", "media/a", "amplify/backend/api/a"], 2),
            (["files", "get", "media/a", "elsewhere/a"], 2), (["backup", "amplify/backup"], 2),
            (["backup", "elsewhere/backup.tar", "--archive"], 2),
        ] {
            let outcome = try run(arguments, in: folder)
            #expect(
                outcome.code == code && outcome.complaint.contains("where nothing is written"),
                "\(arguments) \(outcome)")
        }
        #expect(folder.names == before)
    }

    @Test("an option that names nothing is an error of usage, and nothing is written to the root folder")
    func emptyPaths() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let before = folder.names
        for arguments in [
            ["pull", "--env", "dev", "--out", ""], ["import", "amplify", ".", "--out", ""],
            ["import", "amplify", ".", "--out", "", "--dry-run"], ["codegen", "models", "--out", ""],
            ["codegen", "models", "--out", "", "--check"], ["codegen", "models", "--out", "Models", "--list", ""],
            ["dev", "--port", "0", "--codegen", ""],
        ] {
            let outcome = try run(arguments, in: folder)
            #expect(outcome.code == 2 && outcome.complaint.contains("names nothing."), "\(arguments) \(outcome)")
        }
        #expect(folder.names == before && !Files.exists("/amplifyconfiguration.json"))
    }

    @Test("nothing is written under amplify/ through a link in the folder that is named")
    func underAmplifyByLink() async throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        func files() -> [String: Data] { contents(folder).filter { $0.key.hasPrefix("amplify/") } }
        let name = "amplifyconfiguration.json"
        try folder.write("{}", to: "amplify/\(name)")
        try folder.write("", to: "new/x")
        try folder.link("new/config", to: "../amplify")
        try folder.link("new/\(name)", to: "../amplify/\(name)")
        let before = files()
        for arguments in [
            ["import", "amplify", ".", "--out", "new"], ["pull", "--env", "dev", "--out", "new", "--format", name],
        ] {
            let outcome = try run(arguments, in: folder)
            #expect(outcome.code == 2 && outcome.complaint.contains("where nothing is written"), "\(outcome)")
            #expect(files() == before)
        }
        #expect(!folder.names.contains("new/schema.graphql"), "nothing else is written either")

        // A folder that becomes a link while the server runs.
        let server = try Running(
            ["dev", "--port", "0", "--tls", "off", "--ephemeral", "--codegen", "Models"], in: folder)
        defer { server.stop() }
        // Once all of its files are there, nothing writes into the folder while it is removed.
        try await eventually {
            (try? run(["codegen", "models", "--out", "Models", "--check"], in: folder).code) == 0
        }
        try folder.remove("Models")
        try folder.link("Models", to: "amplify")
        let configuration = #"{"featureFlags": {"improvePluralization": true}}"#
        try folder.write(configuration, to: "config/syncline.json")
        try await eventually { server.complaint.contains("The models in Models are not current.") }
        #expect(files() == before && server.complaint.contains("where nothing is written"))
    }

    private func inFolder(_ path: String, of folder: TemporaryFolder) throws -> TemporaryFolder {
        TemporaryFolder(url: folder.url.appending(path: path))
    }

    @Test("the data of one environment is not served as that of another")
    func dataNote() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let server = try Running(["dev", "--port", "0", "--tls", "off", "--data", "data"], in: folder)
        #expect(server.stop().code == 0)
        let other = try run(["dev", "--port", "0", "--tls", "off", "--data", "data", "--env", "prod"], in: folder)
        #expect(
            other.code == 3
                && other.complaint.contains("The data folder data belongs to the environment 'dev', not 'prod'."),
            "\(other)")
        #expect(other.complaint.contains("hint: Name another folder with --data, or choose --env dev."), "\(other)")
    }

    @Test("a command that opens the data folder while no server runs refuses that of another environment as dev does")
    func dataNoteOfCommands() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        #expect(
            try Running(["dev", "--port", "0", "--tls", "off", "--data", "data"], in: folder).stop().code == 0)
        for verb in [["users", "list"], ["users", "create", "ann"], ["analytics", "users"], ["files", "ls"]] {
            let other = try run(verb + ["--data", "data", "--env", "prod"], in: folder)
            #expect(
                other.code == 3
                    && other.complaint.contains("The data folder data belongs to the environment 'dev', not 'prod'."),
                "\(verb): \(other)")
        }
        let own = try run(["users", "list", "--data", "data", "--env", "dev"], in: folder)
        #expect(own.code == 0, "\(own)")
    }

    @Test(
        "the data of a bucket or an app that the project no longer has is not served as that of another",
        arguments: [
            (
                "landmarks-v2-auth", "landmarks3f1c5e7a9b2d4c6e8f0a1b2c3d4e5f60145210-dev", "landmarks-other",
                "the bucket"
            ),
            (
                "chat-v1", "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210",
                "the analytics app"
            ),
        ])
    func storedIDs(project: String, old: String, new: String, words: String) throws {
        let folder = try TemporaryFolder.sampleProject(project)
        defer { folder.remove() }
        let arguments = ["dev", "--port", "0", "--tls", "off", "--data", "data"]
        #expect(try Running(arguments, in: folder).stop().code == 0)
        for path in ["backend", "#current-cloud-backend"] {
            try folder.replace(old, with: new, in: "amplify/\(path)/amplify-meta.json")
        }
        let other = try run(arguments, in: folder)
        #expect(
            other.code == 3
                && other.complaint.contains("has the data of \(words) '\(old)', and the project now has '\(new)'."),
            "\(other)")
        #expect(other.complaint.contains("name another folder with --data"), "\(other)")
        #expect(try Running(arguments.dropLast() + ["other"], in: folder).stop().code == 0)
        // The note of an earlier release has no such ids.
        try folder.replace(
            "\"\(words == "the bucket" ? "buckets" : "analyticsApps")\"", with: "\"none\"",
            in: "data/amplify-project.json")
        #expect(try Running(arguments, in: folder).stop().code == 0)
    }

    @Test("import writes configuration, schema and report once, which alone give the same configuration")
    func importing() throws {
        let project = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        let folder = try TemporaryFolder()
        defer {
            project.remove()
            folder.remove()
        }
        let path = project.url.appending(path: "amplify").path
        let dry = try run(["import", "amplify", path, "--dry-run"], in: folder)
        #expect(dry.code == 0 && folder.names.isEmpty, "\(dry)")
        #expect(!dry.output.contains("Next:"), "nothing was written")
        let first = try run(["import", "amplify", path], in: folder)
        #expect(first.code == 0, "\(first)")
        #expect(folder.names == ["amplify-report.md", "config", "config/syncline.json", "schema.graphql"])
        let files = contents(folder)
        let schema = "amplify/backend/api/landmarks/schema.graphql"
        #expect(files["schema.graphql"] == contents(project)[schema])
        #expect(String(decoding: files["amplify-report.md"] ?? Data(), as: UTF8.self).contains("## What you must do"))
        #expect(files.values.allSatisfy { !String(decoding: $0, as: UTF8.self).contains(project.url.path) })

        let second = try run(["import", "amplify", path], in: folder)
        #expect(second.code == 7 && second.complaint.contains("config/syncline.json"), "\(second)")
        #expect(contents(folder) == files)
        let again = try run(["import", "amplify", path, "--dry-run"], in: folder)
        #expect(again.code == 0 && again.output.contains("Amplify project landmarks"), "\(again)")
        #expect(try run(["import", "amplify", path, "--force"], in: folder).code == 0)
        #expect(contents(folder) == files)

        func shown(_ folder: TemporaryFolder) throws -> [String] {
            let lines = try run(["config", "show"], in: folder).output.split(separator: "\n").map(String.init)
            return lines.map { $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ") }
                .filter { !["schema ", "data ", "amplify ", "config "].contains(where: $0.hasPrefix) }.sorted()
        }
        #expect(try shown(folder) == shown(project))
        #expect(try run(["schema", "print"], in: folder).output == run(["schema", "print"], in: project).output)
        for place in [folder, project] {
            let models = try run(["codegen", "models", "--out", "Models"], in: place)
            #expect(models.code == 0, "\(models)")
        }
        let models = contents(folder).filter { $0.key.hasPrefix("Models/") }
        #expect(!models.isEmpty && models == contents(project).filter { $0.key.hasPrefix("Models/") })
        let server = try Running(["dev", "--port", "0", "--tls", "off", "--ephemeral"], in: folder)
        #expect(server.stop().code == 0)
    }

    @Test("import replaces no link without --force, and no folder; then nothing is written")
    func importingOverOthers() throws {
        let project = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        let folder = try TemporaryFolder()
        defer {
            project.remove()
            folder.remove()
        }
        try folder.link("schema.graphql", to: "nowhere")
        let link = try run(["import", "amplify", project.url.path], in: folder)
        #expect(link.code == 7 && link.complaint.contains("schema.graphql"), "\(link)")
        try folder.write("", to: "amplify-report.md/x")
        let refused = try run(["import", "amplify", project.url.path, "--force"], in: folder)
        #expect(refused.code == 7 && refused.complaint.contains("These are folders"), "\(refused)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("schema.graphql")) == "nowhere")
        #expect(!folder.names.contains { $0.hasPrefix("config") })
        try folder.remove("amplify-report.md")
        #expect(try run(["import", "amplify", project.url.path, "--force"], in: folder).code == 0)
    }

    @Test("import keeps what people have configured beside the project, and reports it")
    func importingOver() throws {
        let project = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        let folder = try TemporaryFolder()
        defer {
            project.remove()
            folder.remove()
        }
        let own =
            #"{"port": 20111, "data": "elsewhere", "functions": {"landmarks5a6b7c8dPostConfirmation": "#
            + #""http://127.0.0.1:9/"}, "featureFlags": {"improvePluralization": true}}"#
        let (file, report) = ("config/syncline.json", "amplify-report.md")
        try project.write(own, to: file)
        let first = try run(["import", "amplify", project.url.path], in: folder)
        #expect(first.code == 0, "\(first)")
        let shown = try run(["config", "show"], in: folder).output
        for (key, value) in [
            ("port", "20111"), ("featureFlags.improvePluralization", "true"),
            ("functions.landmarks5a6b7c8dPostConfirmation", "http://127.0.0.1:9/"),
            ("userPool.lambdaConfig.postConfirmation", "landmarks5a6b7c8dPostConfirmation"),
        ] {
            let line = shown.split(separator: "\n").first { $0.hasPrefix("\(key) ") }
            #expect(line?.contains(value) == true, "\(key): \(line ?? "")")
        }
        #expect(!shown.contains("elsewhere"))
        let rows = try folder.text(report)
        #expect(rows.contains("## configuration") && rows.contains("| port | same | It is kept as the file has it."))
        #expect(rows.contains("| featureFlags.improvePluralization | same | It is kept as the file has it, over"))
        #expect(rows.contains("| data | different |"), "\(rows)")

        // What is set in the result stays, and what the project says itself is read again.
        let written = try folder.text(file)
        #expect(try run(["import", "amplify", project.url.path, "--force"], in: folder).code == 0)
        #expect(try folder.text(file) == written)
        try folder.replace(
            "\"amplify\": false,", with: "\"amplify\": false, \"tlsHosts\": [\"kept.example.test\"],", in: file)
        try folder.replace("\"usernameAttributes\": [", with: "\"usernameAttributes\": [\"phone_number\",", in: file)
        #expect(try run(["import", "amplify", project.url.path], in: folder).code == 7)
        let again = try run(["import", "amplify", project.url.path, "--force"], in: folder)
        #expect(again.code == 0 && again.output.contains("configuration tlsHosts: same."), "\(again)")
        #expect(again.output.contains("configuration userPool.usernameAttributes: different."), "\(again)")
        let text = try folder.text(file)
        #expect(text.contains("kept.example.test") && !text.contains("phone_number"), "\(text)")

        // In the project's own folder, too.
        #expect(try run(["import", "amplify", "."], in: project).code == 7)
        #expect(try project.text(file) == own)
        #expect(try run(["import", "amplify", ".", "--force"], in: project).code == 0)
        #expect(try project.text(file).contains("20111") && project.text(file).contains("\"amplify\": false"))
    }

    @Test(
        "users sign up by the clients of the project, under its password policy and with its secret",
        arguments: [
            ("chat-v1", "2chatwebclientexample00002", "abcdefg", "Password not long enough"),
            ("chat-v1", "2chatwebclientexample00002", "abcdefgh", "UserSub"),
            ("chat-v1", "1chatnativeclientexample01", "abcdefgh", "SECRET_HASH was not received"),
            ("landmarks-v2-auth", "3landmarkswebclientexample2", "abcdefgh", "Password must have numeric characters"),
            ("landmarks-v2-auth", "3landmarkswebclientexample2", "abcdefg1", "UserSub"),
            ("landmarks-v2-auth", "4landmarksnativeclientexam2", "abcdefg1", "UserSub"),
        ])
    func signUp(project: String, client: String, password: String, answer: String) throws {
        let folder = try TemporaryFolder.sampleProject(project)
        defer { folder.remove() }
        let server = try Running(["dev", "--port", "0", "--tls", "off", "--ephemeral"], in: folder)
        defer { server.stop() }
        let headers = [
            "content-type": "application/x-amz-json-1.1",
            "x-amz-target": "AWSCognitoIdentityProviderService.SignUp",
        ]
        let name = project == "chat-v1" ? "ann" : "ann@example.test"
        let body =
            #"{"ClientId": "\#(client)", "Username": "\#(name)", "Password": "\#(password)", "#
            + #""UserAttributes": [{"Name": "email", "Value": "ann@example.test"}]}"#
        let found = try server.connect().ask("POST", "/", headers: headers, body: body).body
        #expect(found.contains(answer), "\(found)")
    }

    @Test("a trigger that decides, and whose function has no URL, refuses in dev; serve does not begin")
    func decidingTrigger() throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        let backend = folder.url.appending(path: "amplify/backend")
        try FileManager.default.moveItem(
            at: backend.appending(path: "function/landmarks5a6b7c8dPostConfirmation"),
            to: backend.appending(path: "function/landmarks5a6b7c8dPreSignup"))
        for path in ["backend-config.json", "auth/landmarks5a6b7c8d/cli-inputs.json"] {
            let text = try String(contentsOf: backend.appending(path: path), encoding: .utf8)
            try folder.write(text.replacing("PostConfirmation", with: "PreSignup"), to: "amplify/backend/\(path)")
        }
        let refused = try run(["serve", "--port", "0"], in: folder)
        #expect(refused.code == 3 && refused.complaint.contains("landmarks5a6b7c8dPreSignup"), "\(refused)")
        let server = try Running(["dev", "--port", "0", "--tls", "off", "--ephemeral"], in: folder)
        defer { server.stop() }
        let headers = [
            "content-type": "application/x-amz-json-1.1",
            "x-amz-target": "AWSCognitoIdentityProviderService.SignUp",
        ]
        let body =
            #"{"ClientId": "3landmarkswebclientexample2", "Username": "a@example.test", "Password": "abcdefg1", "#
            + #""UserAttributes": [{"Name": "email", "Value": "a@example.test"}]}"#
        let answer = try server.connect().ask("POST", "/", headers: headers, body: body).body
        #expect(answer.contains("UnexpectedLambdaException"), "\(answer)")
    }

    @Test("a conflict handler without a URL is named by dev, whose conflicts fail; serve does not begin")
    func conflictHandler() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let path = "amplify/backend/api/isolationchat/transform.conf.json"
        try folder.write(
            #"""
            {"Version": 5, "ResolverConfig": {"project": {"ConflictDetection": "VERSION", "ConflictHandler": "LAMBDA",
            "LambdaConflictHandler": {"name": "decide-${env}", "region": "us-east-1"}}}}
            """#, to: path)
        let refused = try run(["serve", "--port", "0"], in: folder)
        #expect(refused.code == 3 && refused.complaint.contains("\(path):2:"), "\(refused)")
        #expect(refused.complaint.contains(#"The function "decide", which decides conflicts, has no URL"#))
        let check = try run(["check"], in: folder)
        #expect(check.code == 3 && check.complaint.contains("The conflict handler has no URL"), "\(check)")

        let server = try Running(["dev", "--port", "0", "--tls", "off", "--ephemeral"], in: folder)
        let headers = ["x-api-key": "da2-fakeApiId123456", "content-type": "application/json"]
        func ask(_ query: String) throws -> String {
            try server.connect().ask("POST", "/graphql", headers: headers, body: Client.envelope(query)).body
        }
        let user = #"id: "u", sub: "s", username: "X", createdAt: "2026-01-01T00:00:00Z""#
        let created = try ask("mutation { createUser(input: {\(user)}) { _version } }")
        #expect(created == #"{"data":{"createUser":{"_version":1}}}"#)
        let conflict = try ask("mutation { updateUser(input: {\(user), _version: 9}) { id } }")
        #expect(conflict.contains("ConflictError"), "\(conflict)")
        let updated = try ask("mutation { updateUser(input: {\(user), _version: 1}) { _version } }")
        #expect(updated == #"{"data":{"updateUser":{"_version":2}}}"#)
        let outcome = server.stop()
        #expect(
            outcome.complaint.contains(#"The function "decide", which decides conflicts, has no URL"#), "\(outcome)")

        try folder.write(#"{"functions": {"decide-dev": "http://127.0.0.1:9/"}}"#, to: "config/syncline.json")
        let serving = try Running(["serve", "--port", "0", "--ephemeral", "--allow-expired-keys"], in: folder)
        #expect(serving.stop().code == 0)
    }

    @Test("a resolver template is named by dev, which serves the generated answer, and refused by serve")
    func templates() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let path = "amplify/backend/api/isolationchat/resolvers/Query.getUser.req.vtl"
        try folder.write("{}", to: path)
        let refused = try run(["serve", "--port", "0"], in: folder)
        #expect(refused.code == 3 && refused.complaint.contains(path), "\(refused)")
        let server = try Running(["dev", "--port", "0", "--tls", "off", "--ephemeral"], in: folder)
        #expect(try server.connect().graphql("{ getUser(id: 1) { id } }") == #"{"data":{"getUser":null}}"#)
        // The server answers before its banner is printed to the end.
        let outcome = server.stop()
        #expect(outcome.complaint.contains(path) && outcome.output.contains("Query.getUser.req.vtl"))
    }

    @Test("check reports what is served of the project, for people and for programs")
    func check() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let text = try run(["check"], in: folder)
        #expect(
            text.code == 0 && text.output.contains("Amplify project isolationchat (Gen 1, iOS), environment dev"),
            "\(text)")
        let json = try run(["check", "--json"], in: folder)
        #expect(json.output.contains(#""environments":["dev","prod"]"#), "\(json)")
    }

    @Test(
        "one broken file is one error: what it lists is not reported as absent, and the rest is checked",
        arguments: [
            "amplify/backend/backend-config.json", "amplify/backend/auth/isolationchat1c2d3e4f/parameters.json",
            "amplify/backend/api/isolationchat/transform.conf.json",
        ])
    func oneError(path: String) throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let check = ["check", "--api", "isolationchat", "--allow-expired-keys"]
        // The configuration names the user pool of the project.
        try folder.write(
            #"{"authConfig": {"defaultAuthentication": {"authenticationType": "AMAZON_COGNITO_USER_POOLS", "#
                + #""userPoolConfig": {"userPoolId": "us-east-1_ChatDev01"}}, "additionalAuthenticationProviders": "#
                + #"[{"authenticationType": "API_KEY"}]}, "#
                + #""identityPool": {"userPools": ["us-east-1_ChatDev01"]}}"#, to: "config/syncline.json")
        #expect(try run(check, in: folder).code == 0)
        try folder.write("{\n  \"a\": 1 \"b\": 2\n}", to: path)
        let outcome = try run(check, in: folder)
        #expect(outcome.code == 3 && outcome.complaint.contains("\(path):2:10: error: Expected"), "\(outcome)")
        #expect(outcome.complaint.contains("hint: ") && outcome.complaint.hasSuffix("\n1 error.\n"), "\(outcome)")
        #expect(!outcome.complaint.contains("The project has none") && !outcome.complaint.contains("no user pool"))
        // What else is wrong is in the same report.
        try folder.write(
            "type Broken @model { id: Nothing! }", to: "amplify/backend/api/isolationchat/schema.graphql")
        let both = try run(check, in: folder)
        #expect(
            both.complaint.contains("schema.graphql:1:22: error:") && both.complaint.contains("2 errors."), "\(both)")
    }

    @Test("check names the errors that only serve has, and by which rules it checks")
    func rules() throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        // A trigger without a URL: dev warns of it.
        let lenient = try run(["check"], in: folder)
        #expect(lenient.code == 3 && !lenient.complaint.contains("[serve]"), "\(lenient)")
        #expect(lenient.complaint.contains("These are the rules of 'syncline serve': 'syncline dev' starts"))
        #expect(try run(["check", "--json"], in: folder).output.contains(#""onlyServe":true"#))
        try folder.write(#"{"nonsense": 1}"#, to: "config/syncline.json")
        let both = try run(["check"], in: folder)
        let lines = both.complaint.split(separator: "\n")
        #expect(lines.contains { $0.contains("[serve]") && $0.contains("PostConfirmation") }, "\(both)")
        #expect(lines.contains { $0.contains("Unknown key 'nonsense'") && !$0.contains("[serve]") })
        #expect(both.complaint.contains("2 errors. Marked [serve]: 'syncline dev' only warns of it."))
        #expect(try run(["check", "--json"], in: folder).output.contains(#""onlyServe":false"#))
        // An environment that nobody has chosen: dev takes the first one.
        let booking = try TemporaryFolder.sampleProject("booking-datastore")
        defer { booking.remove() }
        let choice = try run(["check"], in: booking)
        #expect(choice.code == 2 && choice.complaint.contains("These are the rules of 'syncline serve'"), "\(choice)")
    }

    @Test("a broken file of the project is 3 with file, line and column; one that leaves the project is refused")
    func broken() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        try folder.write("{\n  \"features\": x\n}", to: "amplify/cli.json")
        let outcome = try run(["check"], in: folder)
        #expect(outcome.code == 3 && outcome.complaint.contains("amplify/cli.json:2:15: error:"), "\(outcome)")
        try FileManager.default.removeItem(at: folder.url.appending(path: "amplify/cli.json"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("amplify/cli.json"), withDestinationPath: "/etc/hostname")
        let link = try run(["check"], in: folder)
        #expect(link.code == 3 && link.complaint.contains("a link that leaves the project"), "\(link)")
    }

    @Test("dev does not change the environment when another is checked out, and serves a changed flag")
    func reload() async throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let server = try Running(["dev", "--port", "0", "--tls", "off", "--ephemeral"], in: folder)
        defer { server.stop() }
        let path = "amplify/cli.json"
        let flags = try String(contentsOf: folder.url.appending(path: path), encoding: .utf8)
        try folder.write(#"{"envName": "prod"}"#, to: "amplify/.config/local-env-info.json")
        try folder.write(
            flags.replacing(
                "\"addmissingownerfields\"", with: "\"improvepluralization\": true, \"addmissingownerfields\""),
            to: path)
        try await eventually { server.complaint.contains("Reloaded in ") }
        // The key is the one of the environment that was served first.
        let headers = ["x-api-key": "da2-chatdevexample000000000001", "content-type": "application/json"]
        let body = #"{"query":"{ listReplies { items { id } } }"}"#
        try await eventually {
            try server.connect().ask("POST", "/graphql", headers: headers, body: body).status == 200
        }
    }

    @Test(
        "conflict resolution of a model that the project no longer has is a warning at its line, and elsewhere an error"
    )
    func removedModel() throws {
        let folder = try TemporaryFolder.sampleProject("booking-datastore")
        defer { folder.remove() }
        let path = "amplify/backend/api/bookingstay/cli-inputs.json"
        let entry =
            #""perModelResolutionStrategy": [{"entityName": "Ghost", "resolutionStrategy": {"type": "AUTOMERGE"}},"#
        try folder.replace("\"perModelResolutionStrategy\": [", with: entry, in: path)
        let warnings = try load(folder, [.environment: ["staging"]]).loadDefinition().warnings
        let found = try #require(warnings.first { $0.message.contains("Ghost") }, "\(warnings)")
        #expect(found.message == "The conflict resolution of Ghost has no effect: it is no model of the schema.")
        #expect(found.place?.sourceName.hasSuffix(path) == true && found.place?.line == 16)
        try folder.remove(path)
        let older = "amplify/backend/api/bookingstay/transform.conf.json"
        let config = #""models": {"Ghost": {"ConflictDetection": "VERSION", "ConflictHandler": "AUTOMERGE"},"#
        try folder.replace("\"models\": {", with: config, in: older)
        let places = try load(folder, [.environment: ["staging"]]).loadDefinition().warnings
            .filter { $0.message.contains("Ghost") }.map { $0.place?.sourceName.hasSuffix(older) }
        #expect(places == [true])
        try folder.write(
            #"{"resolverConfig": {"models": {"Phantom": {"ConflictHandler": "AUTOMERGE"}}}}"#,
            to: "config/syncline.json")
        let refused = try run(["check", "--env", "staging"], in: folder)
        #expect(refused.code == 3 && refused.complaint.contains("ResolverConfig names Phantom"), "\(refused)")
    }

    @Test("the user, the password and the query of a function's URL are printed nowhere")
    func secretsInURLs() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let rows = try listing(folder, #"{"functions": {"f": "http://127.0.0.1:9/x?token=SECRET#y"}}"#)
        #expect(rows["functions.f"]?.value == #""http://127.0.0.1:9/x?…""#)
        for url in ["http://user:SECRET@127.0.0.1:9/x", "ftp://127.0.0.1/?SECRET", "http://SECRET:p@@h/"] {
            try folder.write("{\"functions\": {\"f\": \"\(url)\"}}", to: "config/syncline.json")
            let refused = try run(["check"], in: folder)
            #expect(refused.code == 3 && refused.complaint.contains("is the URL of a function"), "\(refused)")
            #expect(!refused.complaint.contains("SECRET"), "\(refused)")
        }
        #expect(Function.shown("https://a.test/x") == "https://a.test/x" && Function.shown("f") == "f")
    }
}
