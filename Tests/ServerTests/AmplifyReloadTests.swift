import Foundation
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
}
