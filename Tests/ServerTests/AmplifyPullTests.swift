import Codegen
import Foundation
import JSON
import Testing

@testable import Server

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What is generated for the clients of the sample projects of `AmplifyTests`.
@Suite("Files for the clients of an Amplify project")
struct AmplifyPullTests {
    private func value(_ name: String, in folder: TemporaryFolder) throws -> JSONValue {
        try JSONReader.read(Array(try Data(contentsOf: folder.url.appending(path: name))))
    }

    @Test("pull over the files of the cloud changes the addresses, and neither ids nor keys nor names")
    func chat() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let (swift, aws) = ("amplifyconfiguration.json", "awsconfiguration.json")
        let old = (try value(swift, in: folder), try value(aws, in: folder))
        let outcome = try run(["pull", "--env", "dev"], in: folder)
        #expect(outcome.code == 0 && outcome.output.contains(swift), "\(outcome)")
        let new = (try value(swift, in: folder), try value(aws, in: folder))
        for category in ["analytics", "UserAgent", "Version"] { #expect(new.0[category] == old.0[category]) }
        func api(_ value: JSONValue, _ key: String) -> JSONValue? {
            value["api"]?["plugins"]?["awsAPIPlugin"]?["isolationchat"]?[key]
        }
        for key in ["endpointType", "region", "authorizationType", "apiKey"] {
            #expect(api(new.0, key) == api(old.0, key), "\(key)")
        }
        #expect(api(new.0, "endpoint") == "http://127.0.0.1:20002/graphql")
        for key in [
            "CredentialsProvider", "CognitoUserPool", "PinpointAnalytics", "PinpointTargeting", "IdentityManager",
        ] {
            #expect(new.1[key] == old.1[key] && new.1[key] != nil, "\(key)")
        }
        #expect(new.1["AppSync"]?.objectValue?.keys == old.1["AppSync"]?.objectValue?.keys)
        #expect(new.0["auth"]?["plugins"]?["awsCognitoAuthPlugin"] == new.1)
        #expect(try run(["pull", "--env", "nowhere"], in: folder).code != 0)
    }

    @Test("pull replaces no ids that only a client file of the project has, unless it is forced to")
    func onlySource() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let names = ["amplifyconfiguration.json", "awsconfiguration.json"]
        let (dev, prod) = (["pull", "--env", "dev"], ["pull", "--env", "prod"])
        // Ids that amplify-meta.json has are not lost.
        #expect(try run(prod, in: folder).code == 0)
        #expect(try run(dev, in: folder).code == 0)
        let texts = try names.map(folder.text)

        for name in ["amplify/backend/amplify-meta.json", "amplify/#current-cloud-backend"] { try folder.remove(name) }
        let refused = try run(prod, in: folder)
        #expect(refused.code == 7 && refused.output.isEmpty, "\(refused)")
        #expect(
            refused.complaint.contains("./awsconfiguration.json has ") || refused.complaint.contains("./amplifyconf"))
        #expect(refused.complaint.contains("CognitoUserPool.Default.PoolId us-east-1_ChatDev01, which no other file"))
        #expect(refused.complaint.contains("it would be replaced by eu-west-1_"), "\(refused)")
        #expect(refused.complaint.contains("--out DIR") && refused.complaint.contains("--force"))
        #expect(!refused.complaint.contains("da2-chatdevexample000000000001"))
        #expect(try names.map(folder.text) == texts)
        #expect(try run(dev, in: folder).code == 0)
        #expect(try run(prod + ["--out", "other"], in: folder).code == 0)
        #expect(try run(prod + ["--force"], in: folder).code == 0)
        #expect(try folder.text(names[1]).contains("eu-west-1_"))
    }

    @Test("with several APIs in the project, ids that amplify-meta.json has are not reported as lost")
    func severalAPIs() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        try folder.replace(
            "\"api\": {", with: "\"api\": {\"second\": {\"service\": \"AppSync\"},",
            in: "amplify/backend/backend-config.json")
        try folder.write("type A @model { id: ID! }", to: "amplify/backend/api/second/schema.graphql")
        for environment in ["prod", "dev"] {
            let outcome = try run(["pull", "--env", environment, "--api", "isolationchat"], in: folder)
            #expect(outcome.code == 0 && outcome.output.contains("Written"), "\(environment) \(outcome)")
        }
    }

    @Test("pull replaces ids that are invented, and in the folder of web pages none that only its file has")
    func otherSources() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let old = try folder.text("amplifyconfiguration.json")
        for name in [
            "amplify/backend/amplify-meta.json", "amplify/#current-cloud-backend", "amplifyconfiguration.json",
            "awsconfiguration.json",
        ] { try folder.remove(name) }
        for environment in ["dev", "prod", "dev"] {
            let outcome = try run(["pull", "--env", environment], in: folder)
            #expect(outcome.code == 0 && outcome.output.contains("Written"), "\(environment) \(outcome)")
        }
        let pages =
            #"{"projectName": "isolationchat", "version": "3.1", "frontend": "javascript", "javascript": "#
            + #"{"config": {"SourceDir": "src"}}}"#
        try folder.write(pages, to: "amplify/.config/project-config.json")
        try folder.write(old, to: "src/amplifyconfiguration.json")
        let refused = try run(["pull", "--env", "prod", "--out", "src"], in: folder)
        #expect(refused.code == 7 && refused.complaint.contains("src/amplifyconfiguration.json has "), "\(refused)")
    }

    @Test("a project whose users sign in at hosted pages has this server's host for them, and its own redirect URLs")
    func landmarks() throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        let old = try value("awsconfiguration.json", in: folder)
        let outcome = try run(["pull", "https://127.0.0.1:1"], in: folder)
        #expect(outcome.code == 1 && outcome.complaint.contains("does not answer"), "\(outcome)")
        #expect(try value("awsconfiguration.json", in: folder) == old)
        #expect(try run(["pull", "--env", "dev", "--host", "auth.example.test"], in: folder).code == 0)
        let new = try value("awsconfiguration.json", in: folder)
        let pages = new["Auth"]?["Default"]?["OAuth"]
        #expect(pages?["WebDomain"] == "auth.example.test")
        for key in ["AppClientId", "SignInRedirectURI", "SignOutRedirectURI", "Scopes"] {
            let own = old["Auth"]?["Default"]?["OAuth"]?[key]
            #expect(pages?[key].map { Set($0.arrayValue ?? [$0]) } == own.map { Set($0.arrayValue ?? [$0]) }, "\(key)")
        }
        for key in ["usernameAttributes", "signupAttributes", "authenticationFlowType", "mfaConfiguration"] {
            #expect(new["Auth"]?["Default"]?[key] == old["Auth"]?["Default"]?[key], "\(key)")
        }
        #expect(new["CognitoUserPool"] == old["CognitoUserPool"])
        #expect(new["CredentialsProvider"] == old["CredentialsProvider"])
    }

    @Test("a project without a GraphQL API has files without one, by folder, socket and URL, and nothing to migrate")
    func withoutAPI() throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        try folder.removeAPI()
        func pull(_ arguments: [String], to out: String) throws -> [String] {
            let outcome = try run(["pull", "--out", out] + arguments, in: folder)
            #expect(outcome.code == 0, "\(outcome)")
            return try ["amplifyconfiguration.json", "awsconfiguration.json"].map { try folder.text("\(out)/\($0)") }
        }
        let texts = try pull([], to: ".")
        for text in texts {
            #expect(text.contains("eu-west-1_LmDev0002"))
            for gone in ["AppSync", "awsAPIPlugin", "graphql"] { #expect(!text.contains(gone), "\(gone)") }
        }
        let server = try Running(["dev", "--port", "0", "--tls", "off"], in: folder)
        #expect(try pull([], to: "socket") == pull(["http://127.0.0.1:\(server.port)"], to: "url"))
        #expect(server.stop().code == 0)
        for verb in ["plan", "apply", "drop"] {
            let outcome = try run(["migrate", verb], in: folder)
            #expect(outcome.code == 0, "\(verb) \(outcome)")
        }
    }

    @Test("codegen models follows the flags of cli.json, and the configuration file goes before them")
    func flags() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        func models(_ arguments: [String] = []) throws -> String {
            try? FileManager.default.removeItem(atPath: folder.path("Models"))
            let outcome = try run(["codegen", "models", "--out", "Models"] + arguments, in: folder)
            #expect(outcome.code == 0, "\(outcome)")
            return try String(contentsOfFile: folder.path("Models/Reply+Schema.swift"), encoding: .utf8)
        }
        var cli = try #require(try value("amplify/cli.json", in: folder).objectValue)
        func set(_ flags: JSONValue) throws {
            var features = try #require(cli["features"]?.objectValue)
            features["codegen"] = flags
            cli["features"] = .object(features)
            try folder.write("\(JSONValue.object(cli))", to: "amplify/cli.json")
        }
        try set(["addTimestampFields": false])
        #expect(try !models().contains("isReadOnly"))
        try set(["addTimestampFields": true, "emitauthprovider": true])
        let text = try models()
        #expect(text.contains("updatedAt, is: .optional, isReadOnly: true"), "\(text)")
        try folder.write(#"{ "codegen": { "addTimestampFields": false } }"#, to: "config/syncline.json")
        #expect(try !models().contains("isReadOnly"))
    }

    @Test("pull changes no file where one cannot be read")
    func unreadable() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let (swift, aws) = ("amplifyconfiguration.json", "awsconfiguration.json")
        let old = try folder.text(swift)
        let own = "{ \"Own\": \"é\" }"
        let tooLarge = "{ \"Own\": \"" + String(repeating: "x", count: 5 << 20) + "\" }"
        for (bytes, reason) in [
            (own.data(using: .utf16), "it is not UTF-8"), (own.data(using: .isoLatin1), "it is not UTF-8"),
            (Data(tooLarge.utf8), "File too large"),
        ] {
            let bytes = try #require(bytes)
            try bytes.write(to: folder.url.appending(path: aws))
            // A file of another environment would lose its ids, too: the failed read comes first.
            for arguments in [[], ["--force"], ["--format", aws]] {
                let refused = try run(["pull", "--env", "prod"] + arguments, in: folder)
                #expect(refused.code == 7 && refused.output.isEmpty, "\(reason) \(refused)")
                #expect(refused.complaint.contains(aws) && refused.complaint.contains(reason), "\(refused)")
            }
            #expect(try Data(contentsOf: folder.url.appending(path: aws)) == bytes)
            #expect(try folder.text(swift) == old)
        }
        try folder.remove(aws)
        #expect(unsafe mkfifo(folder.path(aws), 0o600) == 0)
        let pipe = try run(["pull", "--env", "dev"], in: folder)
        #expect(pipe.code == 7 && pipe.complaint.contains("Not a regular file"), "\(pipe)")
        #expect(try folder.text(swift) == old)
        // Foundation has no word for a pipe.
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(aws))
        #expect(attributes[.type] as? FileAttributeType == .typeUnknown)
    }

    @Test("pull keeps a file's permissions and a link to a file of its name, and follows no other link")
    func permissions() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let files = FileManager.default
        func mode(_ name: String) throws -> Int? {
            try files.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
        }
        let (swift, aws, pull) = ("amplifyconfiguration.json", "awsconfiguration.json", ["pull", "--env", "dev"])
        try folder.write("{}", to: "shared/\(swift)")
        try folder.remove(swift)
        try folder.link(swift, to: "shared/\(swift)")
        try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.path("shared/\(swift)"))
        let outcome = try run(pull + ["--format", swift], in: folder)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(try files.destinationOfSymbolicLink(atPath: folder.path(swift)) == "shared/\(swift)")
        #expect(try folder.text("shared/\(swift)").contains("awsAPIPlugin"))
        let hasSecret = try folder.text("shared/\(swift)").contains("AppClientSecret")
        #expect(try mode("shared/\(swift)") == (hasSecret ? 0o600 : 0o640))

        try folder.write("", to: "aws-exports.js")
        try files.setAttributes([.posixPermissions: 0o604], ofItemAtPath: folder.path("aws-exports.js"))
        #expect(try run(pull + ["--format", "aws-exports.js"], in: folder).code == 0)
        #expect(try mode("aws-exports.js") == 0o604)
        try folder.write("{}", to: "elsewhere/settings.json")
        for target in ["elsewhere/settings.json", "elsewhere/nothing"] {
            try folder.remove(aws)
            try folder.link(aws, to: target)
            let refused = try run(pull + ["--format", aws], in: folder)
            #expect(refused.code == 7 && refused.complaint.contains("is a link"), "\(refused)")
        }
        #expect(try folder.text("elsewhere/settings.json") == "{}")
    }

    @Test("files that pull has written change no id of the project, whose environment they are of")
    func readBack() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        for name in [
            "amplify/backend/amplify-meta.json", "amplify/#current-cloud-backend", "amplifyconfiguration.json",
            "awsconfiguration.json",
        ] { try folder.remove(name) }
        try folder.replace("eu-west-1", with: "us-east-1", in: "amplify/team-provider-info.json")
        func shown(_ environment: String) throws -> [String] {
            let outcome = try run(["config", "show", "--origin", "--env", environment], in: folder)
            #expect(outcome.code == 0, "\(outcome)")
            return outcome.output.split(separator: "\n").map(String.init)
        }
        let (dev, prod) = (try shown("dev"), try shown("prod"))
        #expect(dev.contains { $0.hasPrefix("userPool.id ") && $0.hasSuffix("invented") } && dev != prod)
        for environment in ["prod", "dev"] {
            #expect(try run(["pull", "--env", environment], in: folder).code == 0)
            #expect(try shown("dev") == dev && shown("prod") == prod, "\(environment)")
            let check = try run(["check", "--env", "dev"], in: folder)
            #expect(check.output.contains("No ids of AWS are known for 'dev'"), "\(check)")
            #expect(check.output.contains("No key of the environment is known"), "\(check)")
        }
    }

    @Test("pull does not replace the amplify_outputs.json that a project of Gen 2 is read from, unless it is forced to")
    func outputsOfGen2() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let outputs = "amplify_outputs.json"
        let source = """
            {"version": "1", "data": {"url": "https://x.appsync-api.us-east-1.amazonaws.com/graphql",
              "aws_region": "us-east-1", "default_authorization_type": "API_KEY", "authorization_types": [],
              "model_introspection": {"version": 1, "models": {"Todo": {"name": "Todo", "fields": {
                "id": {"name": "id", "isArray": false, "type": "ID", "isRequired": true, "attributes": []}},
                "syncable": true, "pluralName": "Todos", "attributes": [{"type": "model", "properties": {}},
                  {"type": "auth", "properties": {"rules": [{"allow": "public"}]}}],
                "primaryKeyInfo": {"isCustomPrimaryKey": false, "primaryKeyFieldName": "id", "sortKeyFieldNames": []}}},
                "enums": {}, "nonModels": {}, "queries": {"echo": {"name": "echo", "isArray": false, "type": "String"}}}}}
            """
        try folder.write("", to: "amplify/backend.ts")
        try folder.write(source, to: outputs)
        func shown() throws -> String { try run(["config", "show"], in: folder).output }
        let before = try shown()
        #expect(!before.contains("userPool.") && !before.contains("storage."))
        let refused = try run(["pull"], in: folder)
        #expect(refused.code == 7 && refused.output.isEmpty, "\(refused)")
        #expect(
            refused.complaint.contains("are read from ./amplify_outputs.json, and nothing was written"), "\(refused)")
        #expect(refused.complaint.contains("'syncline pull --out DIR --format amplify_outputs.json'"))
        #expect(try folder.text(outputs) == source)
        // Elsewhere the file of Gen 2 is the one that is written.
        let elsewhere = try run(["pull", "--out", "app"], in: folder)
        #expect(elsewhere.code == 0 && folder.names.contains("app/\(outputs)"), "\(elsewhere)")
        #expect(try run(["pull", "--out", "app"], in: folder).output.contains("as they were"))
        #expect(try shown() == before)
        // What was written is none of the project, though it is asked for.
        #expect(try run(["pull", "--force"], in: folder).code == 0)
        #expect(try folder.text(outputs).contains("user_pool_id"))
        let after = try run(["check"], in: folder)
        #expect(
            after.output.contains("amplify_outputs.json is not read: its address is none of AppSync"), "\(after)")
        let forced = try shown()
        #expect(!forced.contains("userPool.") && !forced.contains("storage.") && !forced.contains("da2-fake"))
        // Such a file may be replaced.
        #expect(try run(["pull", "--host", "emulator", "--format", outputs, "--force"], in: folder).code == 7)
        // A project whose schema is elsewhere has an address in the file, and one without any has not.
        try folder.remove(outputs)
        let none = try run(["pull", "--format", outputs, "--force"], in: folder)
        #expect(none.code == 7 && none.complaint.contains("would be read as a file of the Amplify project"), "\(none)")
        try folder.write(
            "const schema = `type Note @model @auth(rules: [{allow: public}]) { id: ID! }`;",
            to: "amplify/data/resource.ts")
        for _ in 0..<2 { #expect(try run(["pull", "--format", outputs], in: folder).code == 0) }
        #expect(try !shown().contains("userPool."))
    }
}
