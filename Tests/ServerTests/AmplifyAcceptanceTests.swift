import AWSSignature
import Foundation
import JSON
import Server
import Synchronization
import Testing

@testable import Server

/// What callers of a served project may do, and what the command line prints of unusual folders.
@Suite("An Amplify project at work", .serialized)
struct AmplifyAcceptanceTests {
    private static let dev = ["dev", "--port", "0", "--tls", "off"]

    private static func cognito(_ client: Client, _ operation: String, _ body: JSONValue) throws -> JSONValue {
        let headers = [
            "content-type": "application/x-amz-json-1.1",
            "x-amz-target": "AWSCognitoIdentityProviderService.\(operation)",
        ]
        return try JSONReader.read(client.ask("POST", "/", headers: headers, body: body.description).body)
    }

    private func graphQL(_ server: Running, key: String, _ query: String = "{ listUsers { items { id } } }") throws
        -> Int
    {
        let headers = ["x-api-key": key, "content-type": "application/json"]
        return try server.connect().ask("POST", "/graphql", headers: headers, body: Client.envelope(query)).status
    }

    // MARK: Keys

    @Test("with CreateAPIKey 0 no key is accepted, neither the project's nor that of Amplify's mock")
    func noKey() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        try folder.replace(
            "\"AppSyncApiName\"", with: "\"CreateAPIKey\": 0, \"AppSyncApiName\"",
            in: "amplify/backend/api/isolationchat/parameters.json")
        let server = try Running(Self.dev + ["--ephemeral"], in: folder)
        defer { server.stop() }
        for key in ["da2-chatdevexample000000000001", "da2-fakeApiId123456"] {
            #expect(try graphQL(server, key: key) == 401, "\(key)")
        }
    }

    @Test("serve accepts the project's key if it may have expired, and never that of Amplify's mock")
    func keysOfServe() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        for (flags, status) in [([], 401), (["--allow-expired-keys"], 200)] {
            let server = try Running(["serve", "--port", "0", "--ephemeral"] + flags, in: folder)
            #expect(try graphQL(server, key: "da2-chatdevexample000000000001") == status)
            #expect(try graphQL(server, key: "da2-fakeApiId123456") == 401)
            server.stop()
        }
    }

    // MARK: Users

    @Test("user names that differ in case are two users where the project says nothing of case")
    func caseSensitive() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        try folder.replace(
            "\"usernameCaseSensitive\": false,", with: "",
            in: "amplify/backend/auth/isolationchat1c2d3e4f/parameters.json")
        let server = try Running(Self.dev + ["--ephemeral"], in: folder)
        defer { server.stop() }
        let client = try server.connect()
        for name in ["Ann", "ann"] {
            let body: JSONValue = [
                "ClientId": "2chatwebclientexample00002", "Username": .string(name), "Password": "abcdefgh",
                "UserAttributes": [["Name": "email", "Value": "ann@example.test"]],
            ]
            #expect(try Self.cognito(client, "SignUp", body)["UserSub"] != nil, "\(name)")
        }
    }

    @Test("both clients of landmarks, web and native, sign in, and each token opens the API")
    func signIn() throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        let server = try Running(Self.dev, in: folder)
        defer { server.stop() }
        let made = try run(["users", "create", "ann@example.test", "--password", "abcdefg1"], in: folder)
        #expect(made.code == 0, "\(made)")
        for id in ["3landmarkswebclientexample2", "4landmarksnativeclientexam2"] {
            let body: JSONValue = [
                "ClientId": .string(id), "AuthFlow": "USER_SRP_AUTH",
                "AuthParameters": ["USERNAME": "ann@example.test", "SRP_A": "0123456789abcdef"],
            ]
            let challenge = try Self.cognito(server.connect(), "InitiateAuth", body)
            #expect(challenge["ChallengeName"] == "PASSWORD_VERIFIER", "\(challenge)")
            let plain: JSONValue = [
                "ClientId": .string(id), "AuthFlow": "USER_PASSWORD_AUTH",
                "AuthParameters": ["USERNAME": "ann@example.test", "PASSWORD": "abcdefg1"],
            ]
            #expect(try "\(Self.cognito(server.connect(), "InitiateAuth", plain))".contains("USER_PASSWORD_AUTH"))
            let token = try run(["users", "token", "ann@example.test", "--client", id], in: folder)
            #expect(token.code == 0, "\(token)")
            let answer = try server.connect().ask(
                "POST", "/graphql",
                headers: [
                    "authorization": token.output.trimmingCharacters(in: .whitespacesAndNewlines),
                    "content-type": "application/json",
                ], body: Client.envelope("{ listLandmarkData { items { id } } }"))
            #expect(answer.status == 200 && !answer.body.contains("errors"), "\(answer.body)")
        }
    }

    private final class Confirmation: Sendable {
        let answer = Mutex<JSONValue?>(nil)
    }

    @Test("the function of a trigger receives the pool's id, and what it does for the user holds")
    func postConfirmation() async throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        let (name, email) = ("landmarks5a6b7c8dPostConfirmation", "ann@example.test")
        try await FunctionServer.with(nil) { function, url in
            try folder.write(#"{"functions": {"\#(name)": "\#(url)"}}"#, to: "config/syncline.json")
            let server = try Running(Self.dev, in: folder)
            defer { server.stop() }
            let signUp: JSONValue = [
                "ClientId": "3landmarkswebclientexample2", "Username": .string(email), "Password": "abcdefg1",
                "UserAttributes": [["Name": "email", "Value": .string(email)]],
            ]
            let sub = try #require(try Self.cognito(server.connect(), "SignUp", signUp)["UserSub"]?.stringValue)
            let message = try JSONReader.read(run(["outbox"], in: folder).output)
            let code = try #require(message["code"]?.stringValue, "\(message)")
            let confirmation: JSONValue = [
                "ClientId": "3landmarkswebclientexample2", "Username": .string(email),
                "ConfirmationCode": .string(code),
            ]
            let port = server.port
            // It waits for the function, and would keep one of the few threads on which the rest of this test runs.
            let confirmed = Confirmation()
            DispatchQueue.global().async {
                let answer = try? Self.cognito(Client(port: port), "ConfirmSignUp", confirmation)
                confirmed.answer.withLock { $0 = answer ?? "no answer" }
            }
            try await eventually { function.heldCount == 1 }
            let event = try #require(function.calls.first?.event)
            #expect(event["userPoolId"] == "eu-west-1_LmDev0002" && event["region"] == "eu-west-1")
            #expect(event["triggerSource"] == "PostConfirmation_ConfirmSignUp")
            #expect(event["userName"]?.stringValue == sub, "\(event)")
            // As the project's own function does, while the confirmation waits for it: five seconds, in which a busy machine starts no
            // process.
            var configuration = Configuration()
            configuration.data.folder = folder.path(".syncline/dev")
            _ = try await OperatorClient(configuration).userPools(
                "AdminAddUserToGroup",
                ["UserPoolId": "eu-west-1_LmDev0002", "Username": .string(email), "GroupName": "Visitors"])
            function.release(FunctionServer.Answer(body: event.description))
            try await eventually { confirmed.answer.withLock { $0 } != nil }
            #expect(confirmed.answer.withLock { $0 }?.objectValue?.isEmpty == true)
            #expect(try run(["users", "groups", email], in: folder).output.contains("Visitors"))
        }
    }

    // MARK: Objects

    /// An identity of a user of landmarks.
    private func identity(_ email: String, _ server: Running, _ folder: TemporaryFolder) throws -> BucketTests.Identity
    {
        let token = try run(["users", "token", email, "--id"], in: folder).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
        return try .make(
            ["cognito-idp.eu-west-1.amazonaws.com/eu-west-1_LmDev0002": .string(token)], server.connect(),
            pool: Self.identityPool)
    }

    private static let identityPool = "eu-west-1:0d0d0d0d-2222-4333-8444-123456789abc"
    private static let bucket = "/landmarks3f1c5e7a9b2d4c6e8f0a1b2c3d4e5f60145210-dev"

    @Test(
        "guests read public objects, users list protected ones of others and not private ones, Editors delete anything")
    func objects() throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        let server = try Running(Self.dev, in: folder)
        defer { server.stop() }
        for name in ["ann", "ben"] {
            let made = try run(["users", "create", "\(name)@example.test", "--password", "abcdefg1"], in: folder)
            #expect(made.code == 0, "\(made)")
        }
        let client = try server.connect()
        let ann = try identity("ann@example.test", server, folder)
        let (bucket, listing) = (Self.bucket, "list-type=2&prefix=")
        func list(_ prefix: String, by identity: BucketTests.Identity) throws -> Client.Answer {
            try client.send(
                BucketTests.request(
                    "GET", bucket, query: listing + prefix.replacing("/", with: "%2F"), by: identity.signer))
            return try client.receive()
        }
        for key in ["public/landmark1.jpg", "protected/\(ann.encodedID)/a", "private/\(ann.encodedID)/a"] {
            #expect(try ann.ask(client, "PUT", "\(bucket)/\(key)").status == 200, "\(key)")
        }
        let guest = try BucketTests.Identity.guest(client, pool: Self.identityPool)
        #expect(try guest.ask(client, "GET", "\(bucket)/public/landmark1.jpg").status == 200)
        #expect(try guest.ask(client, "GET", "\(bucket)/protected/\(ann.encodedID)/a").status == 200)
        for key in ["public/b", "uploads/b", "protected/\(guest.encodedID)/b"] {
            #expect(try guest.ask(client, "PUT", "\(bucket)/\(key)").status == 403, "\(key)")
        }
        let ben = try identity("ben@example.test", server, folder)
        #expect(try list("protected/\(ann.id.replacing(":", with: "%3A"))/", by: ben).body.contains("<KeyCount>1<"))
        #expect(try list("private/\(ann.id.replacing(":", with: "%3A"))/", by: ben).status == 403)
        #expect(try ben.ask(client, "PUT", "\(bucket)/uploads/c").status == 200)
        #expect(try ben.ask(client, "DELETE", "\(bucket)/private/\(ann.encodedID)/a").status == 403)
        #expect(try run(["users", "groups", "ben@example.test", "--add", "Editors"], in: folder).code == 0)
        let editor = try identity("ben@example.test", server, folder)
        #expect(try editor.ask(client, "DELETE", "\(bucket)/private/\(ann.encodedID)/a").status == 204)
    }

    @Test("guests who may create put objects into uploads/ and public/, and read neither")
    func uploads() throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        let path = "amplify/backend/storage/landmarkimages/cli-inputs.json"
        var inputs = try #require(try JSONReader.read(folder.text(path)).objectValue)
        inputs["guestAccess"] = ["CREATE_AND_UPDATE"]
        try folder.write("\(JSONValue.object(inputs))", to: path)
        let server = try Running(Self.dev + ["--ephemeral"], in: folder)
        defer { server.stop() }
        let client = try server.connect()
        let guest = try BucketTests.Identity.guest(client, pool: Self.identityPool)
        for key in ["uploads/a", "public/a"] {
            #expect(try guest.ask(client, "PUT", "\(Self.bucket)/\(key)").status == 200, "\(key)")
            #expect(try guest.ask(client, "GET", "\(Self.bucket)/\(key)").status == 403, "\(key)")
        }
    }

    // MARK: Schema

    @Test("a schema folder is read with its sub-folders and without hidden files; other files are named, not copied")
    func schemaFolder() throws {
        let folder = try TemporaryFolder.sampleProject("booking-datastore")
        defer { folder.remove() }
        let schema = "amplify/backend/api/bookingstay/schema"
        let before = try run(["schema", "print"], in: folder)
        #expect(before.code == 0 && !before.output.contains("type Extra "))
        try folder.write("type Extra @model { id: ID! }", to: "\(schema)/more/x.graphql")
        try folder.write("not a schema", to: "\(schema)/.hidden.graphql")
        try Data([0xFF, 0xFE]).write(to: folder.url.appending(path: "\(schema)/notes.bin"))
        let after = try run(["schema", "print"], in: folder)
        #expect(after.code == 0 && after.output.contains("type Extra "), "\(after)")
        let check = try run(["check", "--env", "staging"], in: folder)
        #expect(check.output.contains("notes.bin is not read"), "\(check)")
        let out = try TemporaryFolder()
        defer { out.remove() }
        let imported = try run(["import", "amplify", folder.url.path, "--env", "staging"], in: out)
        #expect(imported.code == 0, "\(imported)")
        #expect(
            out.names.filter { $0.hasPrefix("schema/") && $0.hasSuffix("ql") } == [
                "schema/1-user.graphql", "schema/2-room.graphql", "schema/3-booking.graphql", "schema/more/x.graphql",
            ])
        #expect(!out.names.contains { $0.hasSuffix("notes.bin") })
        #expect(try run(["schema", "print"], in: out).output == after.output)
    }

    @Test("a schema file whose name begins with a combining mark is imported under its own name")
    func combiningMark() throws {
        let project = try TemporaryFolder.sampleProject("booking-datastore")
        let out = try TemporaryFolder()
        defer {
            project.remove()
            out.remove()
        }
        try project.write(
            "type Extra @model { id: ID! }", to: "amplify/backend/api/bookingstay/schema/\u{301}1-user.graphql")
        let imported = try run(["import", "amplify", project.url.path, "--env", "staging"], in: out)
        #expect(imported.code == 0, "\(imported)")
        let printed = try run(["schema", "print"], in: out).output
        #expect(printed.contains("type Extra ") && printed.contains("type User "))
        #expect(try printed == run(["schema", "print"], in: project).output)
    }

    @Test("a file of an earlier import that the project has no longer is named, and nothing is written over the rest")
    func leftSchemaFile() throws {
        let project = try TemporaryFolder.sampleProject("booking-datastore")
        let out = try TemporaryFolder()
        defer {
            project.remove()
            out.remove()
        }
        let extra = "amplify/backend/api/bookingstay/schema/more/x.graphql"
        try project.write("type Extra @model { id: ID! }", to: extra)
        let arguments = ["import", "amplify", project.url.path, "--env", "staging"]
        #expect(try run(arguments, in: out).code == 0)
        try project.remove(extra)
        let refused = try run(arguments + ["--force"], in: out)
        #expect(refused.code == 7 && refused.complaint.contains("schema/more/x.graphql."), "\(refused)")
        #expect(!refused.complaint.contains("1-user.graphql"), "\(refused)")
        try out.remove("schema/more/x.graphql")
        #expect(try run(arguments + ["--force"], in: out).code == 0)
        #expect(try !run(["schema", "print"], in: out).output.contains("type Extra "))
        // Without --force, too, where no file would be replaced.
        let other = try TemporaryFolder()
        defer { other.remove() }
        try other.write("type Own @model { id: ID! }", to: "schema/own.graphql")
        let own = try run(arguments, in: other)
        #expect(own.code == 7 && own.complaint.contains("schema/own.graphql."), "\(own)")
        #expect(other.names == ["schema", "schema/own.graphql"])
    }

    @Test("models of a foreign SQL database are refused by the name of their file")
    func sqlSchema() throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        let path = "amplify/backend/api/landmarks/schema.sql.graphql"
        try folder.write("type A @model { id: ID! }", to: path)
        let outcome = try run(Self.dev, in: folder)
        #expect(outcome.code == 3 && outcome.complaint.contains(path), "\(outcome)")
    }

    @Test("without cli.json a directive of version 2 is refused with a hint that names the missing file")
    func missingFlags() throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        try folder.remove("amplify/cli.json")
        try folder.replace(
            "name: String!", with: "name: String! @index(name: \"byName\")",
            in: "amplify/backend/api/landmarks/schema.graphql")
        let outcome = try run(["schema", "print"], in: folder)
        #expect(outcome.code == 3 && outcome.complaint.contains("amplify/cli.json"), "\(outcome)")
    }

    @Test("a project without a GraphQL API serves users and files, and says that there is none")
    func withoutAPI() throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        try folder.removeAPI()
        let server = try Running(Self.dev + ["--ephemeral"], in: folder)
        let client = try server.connect()
        let body: JSONValue = [
            "ClientId": "3landmarkswebclientexample2", "Username": "a@example.test", "Password": "abcdefg1",
            "UserAttributes": [["Name": "email", "Value": "a@example.test"]],
        ]
        #expect(try Self.cognito(client, "SignUp", body)["UserSub"] != nil)
        let guest = try BucketTests.Identity.guest(client, pool: Self.identityPool)
        #expect(try guest.ask(client, "GET", "\(Self.bucket)/public/none").status == 404)
        let answer = try client.ask(
            "POST", "/graphql", headers: ["content-type": "application/json"], body: Client.envelope("{ __typename }"))
        #expect(answer.status == 404 && answer.body.contains("No GraphQL API is served here."), "\(answer.body)")
        #expect(try client.ask("GET", "/schema.graphql", headers: [:]).status == 404)
        let file = try client.ask("GET", "/operators/v1/config-files/amplifyconfiguration.json", headers: [:])
        #expect(file.status == 200 && file.body.contains("eu-west-1_LmDev0002"))
        #expect(!file.body.contains("awsAPIPlugin") && !file.body.contains("AppSync"), "\(file.body)")
        #expect(!server.output.contains("Try:") && server.output.contains("api GraphQL: not served"))
        #expect(server.stop().code == 0)
        let check = try run(["check"], in: folder)
        #expect(check.output.contains("No GraphQL API is served.") || check.complaint.contains("PostConfirmation"))
        let schema = try run(["schema", "print"], in: folder)
        #expect(schema.code == 3 && schema.complaint.contains("No GraphQL API is served"), "\(schema)")
        let out = try TemporaryFolder()
        defer { out.remove() }
        #expect(try run(["import", "amplify", folder.url.path], in: out).code == 0)
        #expect(try out.text("config/syncline.json").contains("\"schema\": false"))
        let second = try Running(Self.dev + ["--ephemeral"], in: out)
        #expect(try second.connect().ask("GET", "/ready", headers: [:]).status == 200)
        #expect(second.stop().code == 0)
    }

    // MARK: Folders

    @Test("projects in folders below are listed with the option that names them, and none is picked")
    func below() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for name in ["apps/one", "two", "node_modules/three", "a/b/c/four"] {
            try folder.write("{}", to: "\(name)/amplify/backend/backend-config.json")
        }
        let outcome = try run(Self.dev, in: folder)
        #expect(outcome.code == 3 && outcome.complaint.contains("--amplify apps/one, --amplify two"), "\(outcome)")
        #expect(!outcome.complaint.contains("three") && !outcome.complaint.contains("four"))
    }

    @Test("verbs of the Amplify CLI end with 2 and a sentence that says what to use instead")
    func words() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for (word, verb) in [
            ("push", "syncline dev"), ("status", "syncline check"), ("env", "--env"), ("mock", "syncline dev"),
            ("api", "syncline schema print"), ("function", "functions"), ("publish", "syncline serve"),
            ("delete", ".syncline/"), ("add", "config/syncline.json"), ("update", "config/syncline.json"),
            ("remove", "config/syncline.json"), ("init", "syncline dev"),
        ] {
            let outcome = try run([word, "x"], in: folder)
            #expect(
                outcome.code == 2 && outcome.complaint.contains("'\(word)' is a command of the Amplify CLI."), "\(word)"
            )
            #expect(outcome.complaint.contains(verb), "\(word): \(outcome.complaint)")
        }
        let help = try run(["--help"], in: folder).output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(help.contains("in a folder with a schema.graphql, or in that of an Amplify project."), "\(help)")
    }

    @Test("dev names the line for .gitignore only where git would list the data, and only before the folder is there")
    func gitignore() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        func says() throws -> Bool {
            let server = try Running(Self.dev, in: folder)
            #expect(server.stop().code == 0)
            return server.output.contains("add the line .syncline/ to .gitignore")
        }
        #expect(try !says(), "it is no repository")
        try folder.remove(".syncline")
        try folder.write("", to: ".git/HEAD")
        #expect(try says())
        #expect(try !says(), "the folder is there")
        try folder.remove(".syncline")
        try folder.write("node_modules\n/.syncline/\n", to: ".gitignore")
        #expect(try !says())
    }

    @Test("a folder amplify/ that is no project is named, with what was looked for, and ignored")
    func unrecognized() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("{}", to: "amplify/cli.json")
        let message =
            "The folder amplify/ is ignored: it is no Amplify project, neither of Gen 1, which has "
            + "amplify/.config/project-config.json or amplify/backend/backend-config.json, nor of Gen 2"
        let without = try run(["dev", "--port", "0"], in: folder)
        #expect(without.code == 3 && without.complaint.contains(message), "\(without)")
        try folder.write("type Own @model @auth(rules: [{ allow: public }]) { id: ID! }", to: "schema.graphql")
        let checked = try run(["check"], in: folder)
        #expect(checked.code == 0 && checked.output.contains("warning: \(message)"), "\(checked)")
        #expect(try !run(["check", "--no-amplify"], in: folder).output.contains(message))
        try folder.write(#"{"amplify": false}"#, to: "config/syncline.json")
        #expect(try !run(["check"], in: folder).output.contains(message))
    }

    @Test("a folder amplify/ that cannot be read is an error, and the schema beside it is not served in its place")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("type Own @model @auth(rules: [{ allow: public }]) { id: ID! }", to: "schema.graphql")
        // A user who may read everything can read no link that leads to itself.
        try folder.link("amplify", to: "amplify")
        for arguments in [["check"], ["serve", "--port", "0"], Self.dev] {
            let outcome = try run(arguments, in: folder)
            #expect(outcome.code == 3 && outcome.complaint.contains("Cannot read amplify/"), "\(outcome)")
            #expect(outcome.complaint.contains("--no-amplify"))
        }
        #expect(try run(["check", "--no-amplify"], in: folder).code == 0)
        try folder.write(#"{"amplify": false}"#, to: "config/syncline.json")
        #expect(try run(["check"], in: folder).code == 0)
    }

    @Test("a configuration file with a byte order mark is read, and places in it are right")
    func byteOrderMark() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        try folder.write("\u{FEFF}{\"port\": 20103}", to: "config/syncline.json")
        #expect(try run(["config", "show"], in: folder).output.contains("20103"))
        try folder.write("\u{FEFF}{\"port\": x}", to: "config/syncline.json")
        let outcome = try run(["config", "show"], in: folder)
        #expect(outcome.code == 3 && outcome.complaint.contains("config/syncline.json:1:10"), "\(outcome)")
    }

    // MARK: Hostile folders

    @Test("links out of the project are refused for schemas, folders and files, and nothing outside is repeated")
    func links() throws {
        let secret = try TemporaryFolder()
        defer { secret.remove() }
        try secret.write("type Hidden @model { id: ID! }", to: "x.graphql")
        for name in [
            "amplify/backend/api/isolationchat/schema.graphql", "amplify/backend/api/isolationchat/parameters.json",
            "amplify/team-provider-info.json",
        ] {
            let folder = try TemporaryFolder.sampleProject("chat-v1")
            defer { folder.remove() }
            try folder.remove(name)
            try folder.link(name, to: secret.path("x.graphql"))
            let outcome = try run(["schema", "print"], in: folder)
            #expect(outcome.code == 3 && outcome.complaint.contains("a link that leaves the project"), "\(outcome)")
            #expect(!outcome.complaint.contains("Hidden") && !outcome.output.contains("Hidden"))
        }
        let folder = try TemporaryFolder.sampleProject("booking-datastore")
        defer { folder.remove() }
        let schema = "amplify/backend/api/bookingstay/schema"
        try folder.link("\(schema)/more", to: secret.url.path)
        let inner = try run(["schema", "print"], in: folder)
        #expect(
            inner.code == 3 && inner.complaint.contains("\(schema)/more is a link that leaves the project"), "\(inner)")
    }

    @Test(
        "a folder of resolvers or stacks that is a link out of the project is refused, and nothing in it is looked at",
        arguments: ["resolvers", "pipelineFunctions", "functions", "stacks"])
    func linkedLogic(name: String) throws {
        let secret = try TemporaryFolder()
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer {
            secret.remove()
            folder.remove()
        }
        for suffix in ["js", "vtl"] { try secret.write("hidden", to: "Query.hidden.req.\(suffix)") }
        try secret.write(#"{"Resources": {"Hidden": {"Type": "AWS::AppSync::Resolver"}}}"#, to: "hidden.json")
        let (api, path) = ("amplify/backend/api/isolationchat", "amplify/backend/api/isolationchat/\(name)")
        try? folder.remove(path)
        let message = "\(name) is a link that leaves the project."
        for inner in ["", "/more"] {
            if inner.isEmpty {
                try folder.link(path, to: secret.url.path)
            } else {
                try folder.remove(path)
                try folder.write("", to: "\(path)/own.txt")
                try folder.link(path + inner, to: secret.url.path)
            }
            for arguments in [
                ["check", "--allow-expired-keys"], Self.dev, ["check", "--no-amplify", "--schema", api],
            ] {
                let outcome = try run(arguments, in: folder)
                let expected = message.replacing(name, with: name + inner)
                #expect(outcome.code == 3 && outcome.complaint.contains(expected), "\(arguments) \(outcome)")
                #expect(!(outcome.complaint + outcome.output).lowercased().contains("hidden"), "\(outcome)")
            }
        }
        try secret.write("", to: "deep/x.vtl")
        #expect(
            Files.tree(folder.path(path), within: Files.realPath(folder.url.path)) == [
                folder.path("\(path)/more"), folder.path("\(path)/own.txt"),
            ])
    }

    @Test("folders that lead to themselves, named pipes and thousands of files end in time")
    func hostile() throws {
        let folder = try TemporaryFolder.sampleProject("booking-datastore")
        defer { folder.remove() }
        let schema = "amplify/backend/api/bookingstay/schema"
        for number in 0..<12 {
            try folder.link("\(schema)/loop\(number)", to: ".")
            try folder.link("amplify/backend/api/bookingstay/stacks/loop\(number)", to: "..")
        }
        let start = ContinuousClock.now
        let looped = try run(["schema", "print"], in: folder)
        #expect(looped.code == 0 && looped.output.contains("type Booking "), "\(looped)")
        #expect(unsafe mkfifo(folder.path("amplify/mock.json"), 0o600) == 0)
        try folder.remove("amplify/cli.json")
        #expect(unsafe mkfifo(folder.path("amplify/cli.json"), 0o600) == 0)
        let pipe = try run(["schema", "print"], in: folder)
        #expect(pipe.code == 3 && pipe.complaint.contains("Not a regular file"), "\(pipe)")
        try folder.remove("amplify/cli.json")
        for number in 0..<10_050 { try folder.write("", to: "amplify/backend/api/bookingstay/resolvers/\(number)") }
        let many = try run(["schema", "print"], in: folder)
        #expect(many.code == 3 && many.complaint.contains("more than 10000 files"), "\(many)")
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test("a schema of 5 MB in one line is refused at once; a long line below the bound is read")
    func longLine() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let schema = "amplify/backend/api/isolationchat/schema.graphql"
        func check(_ fieldCount: Int) throws -> CommandLineTests.Outcome {
            let fields = (0..<fieldCount).map { "f\($0): String" }.joined(separator: " ")
            try folder.write("type T @model { id: ID! \(fields) }", to: schema)
            return try run(["schema", "print"], in: folder)
        }
        let start = ContinuousClock.now
        let refused = try check(320_000)
        #expect(refused.code == 3 && refused.complaint.contains("The schema is larger than 4 MiB, with \(schema)"))
        #expect(refused.complaint.utf8.count < 4_096 && ContinuousClock.now - start < .seconds(20), "\(refused.code)")
        #expect(try check(2_000).code == 0)
    }

    @Test("a folder of the API that is a link to a folder above it is no loop")
    func linkedAPI() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let start = ContinuousClock.now
        try folder.link("amplify/backend/api/above", to: "..")
        try folder.link("amplify/backend/api/isolationchat/stacks/above", to: "../../..")
        let extra = try run(["check", "--allow-expired-keys"], in: folder)
        #expect(extra.code == 0 && extra.output.contains("api above: not needed."), "\(extra)")
        try folder.remove("amplify/backend/api/above")
        try FileManager.default.removeItem(atPath: folder.path("amplify/backend/api"))
        try folder.link("amplify/backend/api", to: "..")
        let looped = try run(["check"], in: folder)
        #expect(looped.code == 3 && looped.complaint.contains("there is no folder"), "\(looped)")
        try folder.remove("amplify/backend")
        try folder.link("amplify/backend", to: "backend")
        #expect(try run(["check"], in: folder).code == 3)
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test("pull and import execute nothing and change nothing under amplify/")
    func untouched() throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        func files() throws -> [String: Data] {
            let names = folder.names.filter { $0.hasPrefix("amplify/") }
            return try Dictionary(
                uniqueKeysWithValues: names.filter { !Files.isFolder(folder.path($0)) }.map {
                    ($0, try Data(contentsOf: folder.url.appending(path: $0)))
                })
        }
        let before = try files()
        #expect(before.keys.contains { $0.hasPrefix("amplify/hooks/") })
        for arguments in [["pull"], ["import", "amplify", ".", "--out", "new"], ["import", "amplify", "amplify"]] {
            #expect(try run(arguments, in: folder).code == 0, "\(arguments)")
        }
        #expect(try files() == before)
        #expect(!folder.names.contains { $0.hasSuffix("HOOK_RAN") })
    }

    @Test("control characters in the names of a project do not reach the terminal")
    func controlCharacters() async throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let name = try folder.text("amplify/.config/project-config.json").firstMatch(of: /"projectName": "([^"]*)"/)
        let project = String(try #require(name).1)
        try folder.replace(
            "\"projectName\": \"\(project)\"", with: #""projectName": "p\u001b[31mRED""#,
            in: "amplify/.config/project-config.json")
        let server = try Running(Self.dev + ["--ephemeral"], in: folder)
        let end = ContinuousClock.now + .seconds(60)
        while !server.output.contains("RED"), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
        #expect(server.output.contains(#"p\u001b[31mRED"#) && !server.output.contains("\u{1B}"), "\(server.output)")
        let checked = try run(["check", "--env", "dev", "--allow-expired-keys"], in: folder)
        #expect(!checked.output.contains("\u{1B}") && !checked.complaint.contains("\u{1B}"), "\(checked)")
    }

    @Test("control characters of a project reach neither the terminal nor the report as they are, nor break its lines")
    func controlCharactersOfImport() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let raw = ["\u{1B}", "\u{9B}", "\u{202E}"]
        let name = "p" + raw.joined() + "\n| x | y |"
        let config = "amplify/.config/project-config.json"
        var project = try #require(try JSONReader.read(folder.text(config)).objectValue)
        project["projectName"] = .string(name)
        try folder.write("\(JSONValue.object(project))", to: config)
        try folder.write("", to: "amplify/backend/function/\(name)/x")
        try folder.write("\(JSONValue.object(["functions": .object([name: "http://127.0.0.1:9/"])]))", to: "own.json")
        func expectPlain(_ text: String) {
            #expect(text.contains(#"p\u001b\u009b\u202e"#), "\(text)")
            #expect(!text.unicodeScalars.contains { raw.contains(String($0)) }, "\(text)")
            #expect(!text.split(separator: "\n").contains { $0.hasPrefix("| x") }, "\(text)")
        }
        let dry = try run(["import", "amplify", ".", "--out", "new", "--dry-run"], in: folder)
        #expect(dry.code == 0, "\(dry)")
        expectPlain(dry.output)
        #expect(try run(["import", "amplify", ".", "--out", "new"], in: folder).code == 0)
        expectPlain(try folder.text("new/amplify-report.md"))
        let check = try run(["check", "--env", "dev", "--allow-expired-keys"], in: folder)
        expectPlain(check.output)
        for arguments in [["--origin"], ["--json"]] {
            let shown = try run(["config", "show", "--config", "own.json"] + arguments, in: folder)
            #expect(shown.code == 0, "\(shown)")
            expectPlain(shown.output)
        }
    }

    @Test("an environment whose name leads elsewhere is refused before a data folder is made of it")
    func environmentName() throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        try folder.write("{\"../../away\": {}}", to: "amplify/team-provider-info.json")
        try folder.remove("amplify/.config/local-env-info.json")
        let outcome = try run(Self.dev, in: folder)
        #expect(outcome.code == 2 && outcome.complaint.contains("A name of an environment"), "\(outcome)")
        #expect(!folder.names.contains { $0.hasPrefix(".syncline") })
    }
}
