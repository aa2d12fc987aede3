import Foundation
import JSON
import Testing

@testable import Server

/// What a running `dev` makes of changes of the Amplify project that it serves.
@Suite("An Amplify project that changes while it is served", .serialized)
struct AmplifyReloadTests {
    private static let dev = ["dev", "--port", "0", "--tls", "off"]

    private func graphQL(_ server: Running, _ query: String) throws -> Client.Answer {
        let headers = ["x-api-key": "da2-chatdevexample000000000001", "content-type": "application/json"]
        return try server.connect().ask("POST", "/graphql", headers: headers, body: Client.envelope(query))
    }

    private func move(_ name: String, to other: String, in folder: TemporaryFolder) throws {
        try FileManager.default.moveItem(atPath: folder.path(name), toPath: folder.path(other))
    }

    @Test(
        "while the folder of the project is away the last API is served, and once it is back changes are noticed again",
        arguments: [false, true])
    func away(hasOtherSchema: Bool) async throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        if hasOtherSchema {
            try folder.write("type Stranger @model @auth(rules: [{ allow: public }]) { id: ID! }", to: "schema.graphql")
        }
        let server = try Running(Self.dev, in: folder)
        defer { server.stop() }
        try move("amplify", to: "away", in: folder)
        try await eventually { server.complaint.contains("The Amplify project that is served is not found any more.") }
        #expect(try graphQL(server, "{ listUsers { items { id } } }").status == 200)
        #expect(try graphQL(server, "{ listStrangers { items { id } } }").body.contains("FieldUndefined"))
        #expect(!server.complaint.contains("Migration: Make table Stranger"))

        try move("away", to: "amplify", in: folder)
        try await eventually { server.complaint.contains("Reloaded in ") }
        let schema = "amplify/backend/api/isolationchat/schema.graphql"
        try folder.write(try folder.text(schema) + "\ntype Later @model { id: ID! }\n", to: schema)
        try await eventually {
            try graphQL(server, "{ listLaters { items { id } } }").body == #"{"data":{"listLaters":{"items":[]}}}"#
        }
    }

    @Test("another project in the place of the one that is served is refused, with its data or without")
    func swapped() async throws {
        for arguments in [[], ["--ephemeral"]] {
            let folder = try TemporaryFolder.sampleProject("chat-v1")
            let other = try TemporaryFolder.sampleProject("landmarks-v2-auth")
            defer {
                folder.remove()
                other.remove()
            }
            let server = try Running(Self.dev + arguments, in: folder)
            defer { server.stop() }
            try folder.remove("amplify")
            try FileManager.default.moveItem(atPath: other.path("amplify"), toPath: folder.path("amplify"))
            try await eventually {
                server.complaint.contains("The server began with the Amplify project 'isolationchat', not 'landmarks'")
            }
            #expect(!server.complaint.contains("Reloaded in ") && !server.complaint.contains("LandmarkData"))
            #expect(try graphQL(server, "{ listUsers { items { id } } }").status == 200)
        }
    }

    @Test("a project that comes to a folder whose schema is served is not served in its data folder")
    func appears() async throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        try move("amplify", to: "away", in: folder)
        let schema = "type Own @model @auth(rules: [{ allow: public }]) { id: ID! }"
        try folder.write(schema, to: "schema.graphql")
        let server = try Running(Self.dev, in: folder)
        defer { server.stop() }
        try move("away", to: "amplify", in: folder)
        try folder.write(schema + "\n", to: "schema.graphql")
        try await eventually { server.complaint.contains("There is an Amplify project now, 'isolationchat'") }
        #expect(!server.complaint.contains("Reloaded in "))
    }

    @Test("a trigger calls the URL that the configuration has now: added, changed or removed while dev runs")
    func triggers() async throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        let (old, new) = ("landmarks5a6b7c8dPostConfirmation", "landmarks5a6b7c8dPreSignup")
        try move("amplify/backend/function/\(old)", to: "amplify/backend/function/\(new)", in: folder)
        for path in ["backend-config.json", "auth/landmarks5a6b7c8d/cli-inputs.json"] {
            try folder.replace("PostConfirmation", with: "PreSignup", in: "amplify/backend/\(path)")
        }
        let answer = FunctionServer.Answer(body: #"{"response":{"autoConfirmUser":false,"autoVerifyEmail":false}}"#)
        try await FunctionServer.with(answer) { first, firstURL in
            try await FunctionServer.with(answer) { second, secondURL in
                let server = try Running(Self.dev + ["--ephemeral"], in: folder)
                defer { server.stop() }
                var count = 0
                func signUp() throws -> String {
                    count += 1
                    let headers = [
                        "content-type": "application/x-amz-json-1.1",
                        "x-amz-target": "AWSCognitoIdentityProviderService.SignUp",
                    ]
                    let email = JSONValue.string("a\(count)@example.test")
                    let body: JSONValue = [
                        "ClientId": "3landmarkswebclientexample2", "Username": email, "Password": "abcdefg1",
                        "UserAttributes": [["Name": "email", "Value": email]],
                    ]
                    return try server.connect().ask("POST", "/", headers: headers, body: body.description).body
                }
                func serve(_ functions: String) async throws {
                    let before = server.complaint.ranges(of: "Reloaded in ").count
                    try folder.write("{\"functions\": {\(functions)}}", to: "config/syncline.json")
                    try await eventually { server.complaint.ranges(of: "Reloaded in ").count > before }
                }
                #expect(try signUp().contains("UnexpectedLambdaException"))
                try await serve("\"\(new)\": \"\(firstURL)\"")
                #expect(try signUp().contains("UserSub") && first.calls.count == 1)
                try await serve("\"\(new)\": \"\(secondURL)\"")
                #expect(try signUp().contains("UserSub") && first.calls.count == 1 && second.calls.count == 1)
                try await serve("")
                #expect(try signUp().contains("UnexpectedLambdaException"))
                #expect(first.calls.count == 1 && second.calls.count == 1)
            }
        }
    }

    private func users(in folder: TemporaryFolder) throws -> String {
        let outcome = try run(["users", "list", "--env", "dev"], in: folder)
        #expect(outcome.code == 0, "\(outcome)")
        return outcome.output
    }

    /// Does what `amplify env checkout prod` does to the files that git ignores.
    private func checkOutOther(in folder: TemporaryFolder) throws {
        try folder.write(#"{"envName": "prod"}"#, to: "amplify/.config/local-env-info.json")
        for path in ["amplify/backend/amplify-meta.json", "amplify/#current-cloud-backend/amplify-meta.json"] {
            let text = try folder.text(path)
            try folder.write(
                text.replacing("amplify-isolationchat-dev-101530", with: "amplify-isolationchat-prod-221145")
                    .replacing("us-east-1", with: "eu-west-1").replacing("ChatDev01", with: "ChatPrd01")
                    .replacing("da2-chatdev", with: "da2-chatprd"), to: path)
        }
    }

    private func remove(_ names: [String], in folder: TemporaryFolder) throws {
        for name in names { try folder.remove(name) }
    }

    private static let meta = ["amplify/backend/amplify-meta.json", "amplify/#current-cloud-backend"]
    private static let clientFiles = ["awsconfiguration.json", "amplifyconfiguration.json"]

    @Test(
        "a server keeps the ids it began with when another environment is checked out or its files go, and so does its data",
        arguments: [false, true])
    func checkedOut(isRemoved: Bool) async throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        let server = try Running(Self.dev, in: folder)
        defer { server.stop() }
        #expect(try run(["users", "create", "ann", "--email", "ann@example.test"], in: folder).code == 0)
        if isRemoved {
            try remove(Self.clientFiles + Self.meta, in: folder)
        } else {
            try checkOutOther(in: folder)
        }
        try await eventually {
            server.complaint.contains(
                "The server began with the user pool 'us-east-1_ChatDev01', and the project now has 'us-east-1_")
        }
        #expect(server.complaint.contains("hint: The ids of 'dev' are in amplify-meta.json"))
        #expect(!server.complaint.contains("Reloaded in ") && !server.complaint.contains("da2-chat"))
        #expect(try graphQL(server, "{ listUsers { items { id } } }").status == 200)
        #expect(try users(in: folder).contains("ann"))
        #expect(server.stop().code == 0)

        let arguments = Self.dev + ["--env", "dev"]
        let refused = try run(arguments, in: folder)
        #expect(
            refused.code == 3
                && refused.complaint.contains(
                    "The data folder .syncline/dev has the data of the user pool 'us-east-1_ChatDev01', and the project now has"
                ),
            "\(refused)")
        #expect(
            refused.complaint.contains("identity pool") && refused.complaint.contains("name another folder with --data")
        )
        #expect(try Running(arguments + ["--data", "other"], in: folder).stop().code == 0)
        try folder.remove(".syncline/dev/amplify-project.json")
        #expect(try Running(arguments, in: folder).stop().code == 0)
        #expect(try folder.text(".syncline/dev/amplify-project.json").contains("us-east-1_"))
    }

    @Test("a running server keeps the key of the environment when the files that have it are removed")
    func lostKey() async throws {
        let folder = try TemporaryFolder.sampleProject("chat-v1")
        defer { folder.remove() }
        try folder.write(
            #"{"api": {"isolationchat": {"service": "AppSync"}}}"#, to: "amplify/backend/backend-config.json")
        let server = try Running(Self.dev + ["--ephemeral"], in: folder)
        defer { server.stop() }
        try remove(Self.clientFiles + Self.meta, in: folder)
        try await eventually {
            server.complaint.contains("The server began with an API key, and the project now has none.")
        }
        #expect(try graphQL(server, "{ listUsers { items { id } } }").status == 200)
    }

    @Test("what a function says of its failure is whole in the body, and short in the header")
    func longFailure() async throws {
        let folder = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { folder.remove() }
        let (old, new) = ("landmarks5a6b7c8dPostConfirmation", "landmarks5a6b7c8dPreSignup")
        try move("amplify/backend/function/\(old)", to: "amplify/backend/function/\(new)", in: folder)
        for path in ["backend-config.json", "auth/landmarks5a6b7c8d/cli-inputs.json"] {
            try folder.replace("PostConfirmation", with: "PreSignup", in: "amplify/backend/\(path)")
        }
        let text = String(repeating: "x", count: 20_000)
        let answer = FunctionServer.Answer(
            fields: [("x-amz-function-error", "Unhandled")], body: #"{"errorMessage": "\#(text)", "errorType": "E"}"#)
        try await FunctionServer.with(answer) { _, url in
            try folder.write("{\"functions\": {\"\(new)\": \"\(url)\"}}", to: "config/syncline.json")
            let server = try Running(Self.dev + ["--ephemeral"], in: folder)
            defer { server.stop() }
            let headers = [
                "content-type": "application/x-amz-json-1.1",
                "x-amz-target": "AWSCognitoIdentityProviderService.SignUp",
            ]
            let body: JSONValue = [
                "ClientId": "3landmarkswebclientexample2", "Username": "a@example.test", "Password": "abcdefg1",
                "UserAttributes": [["Name": "email", "Value": "a@example.test"]],
            ]
            let answer = try server.connect().ask("POST", "/", headers: headers, body: body.description)
            #expect(answer["x-amzn-ErrorType"] == ["UserLambdaValidationException:"], "\(answer.body.prefix(200))")
            let header = try #require(answer["x-amzn-ErrorMessage"].first)
            #expect(header.contains("xxx") && header.utf8.count == 1_024 && answer.body.contains(text))
        }
    }
}
