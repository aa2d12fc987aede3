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
}
