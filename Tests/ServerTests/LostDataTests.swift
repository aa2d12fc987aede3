import Foundation
import Tables
import Testing

@testable import Server

/// Over the real binary: its exit code is part of it.
@Suite("The data folder goes away under a running server")
struct LostDataTests {
    enum Loss: CaseIterable {
        case removed, renamed, replaced, logRemoved, logReplaced, logIndexRemoved, lockRemoved, lockReplaced

        /// Whether the database stays in its place, and with it what was acknowledged.
        var keepsDatabase: Bool { ![.removed, .renamed, .replaced].contains(self) }
    }

    @Test(
        "writes are refused within a second, the log says so, and the server ends with 5",
        arguments: ["serve", "dev"], Loss.allCases)
    func lost(verb: String, loss: Loss) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("type Post @model { id: ID! title: String }", to: "schema.graphql")
        let server = try Running([verb, "--port", "0", "--tls", "off", "--data", "data"], in: folder)
        let client = try server.connect()
        func create() throws -> Client.Answer {
            try client.ask(body: Client.envelope("mutation { createPost(input: {}) { id } }"))
        }
        #expect(try create().body.contains(#"{"data":{"createPost""#))
        var count = 1

        let data = folder.path("data")
        switch loss {
        case .removed: try FileManager.default.removeItem(atPath: data)
        case .renamed: try FileManager.default.moveItem(atPath: data, toPath: folder.path("elsewhere"))
        case .replaced:
            try FileManager.default.moveItem(atPath: data, toPath: folder.path("elsewhere"))
            // A socket is no file that can be copied.
            try FileManager.default.removeItem(atPath: folder.path("elsewhere/operators.sock"))
            try FileManager.default.copyItem(atPath: folder.path("elsewhere"), toPath: data)
        case .logRemoved: try FileManager.default.removeItem(atPath: data + "/tables.sqlite-wal")
        case .logReplaced: try Self.replace(data + "/tables.sqlite-wal")
        case .logIndexRemoved: try FileManager.default.removeItem(atPath: data + "/tables.sqlite-shm")
        case .lockRemoved: try FileManager.default.removeItem(atPath: data + "/lock")
        case .lockReplaced: try Self.replace(data + "/lock")
        }
        var refusal: Client.Answer?
        let end = ContinuousClock.now + .seconds(20)
        do {
            while refusal == nil, ContinuousClock.now < end {
                let answer = try create()
                if answer.status != 200 { refusal = answer } else { count += 1 }
            }
        } catch is Client.Closed {}
        // Between the refusal and the end there are few answers; it may be that this client saw none of them.
        if let refusal {
            #expect(refusal.status >= 500)
            #expect(refusal.body.contains("data folder was changed") || refusal.status == 503, "\(refusal.body)")
        }
        let outcome = server.wait()
        #expect(outcome.code == 5, "\(outcome)")
        #expect(outcome.complaint.contains("Writes are refused and the server stops."))
        #expect(outcome.complaint.contains("error: data: "))
        guard loss.keepsDatabase else { return }
        let next = try Running([verb, "--port", "0", "--tls", "off", "--data", "data"], in: folder)
        let items = try next.connect().graphql("{ listPosts(limit: 100000) { items { id } } }")
        #expect(items.components(separatedBy: #""id""#).count - 1 >= count, "what was acknowledged is kept")
        #expect(next.stop().code == 0)
    }

    /// Puts a copy in the place of a file.
    private static func replace(_ path: String) throws {
        try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
        try FileManager.default.moveItem(atPath: path, toPath: path + ".original")
        try FileManager.default.moveItem(atPath: path + ".copy", toPath: path)
    }

    @Test("a store whose file is gone refuses what waits and what comes, also when another file takes its place")
    func refusal() async throws {
        let data = try TemporaryFolder()
        defer { data.remove() }
        try await TestServer.with { configuration in
            configuration.data.isEphemeral = false
            configuration.data.folder = data.path("data")
        } _: { server in
            let client = try server.connect()
            let creation = #"mutation { createUser(input: {username: "x"}) { id } }"#
            #expect(try client.ask(body: Client.envelope(creation)).status == 200)
            let store = server.service.backend.store
            try store.verifyPlace()
            try FileManager.default.moveItem(atPath: data.path("data"), toPath: data.path("elsewhere"))
            #expect(throws: (any Error).self) { try store.verifyPlace() }
            let answer = try client.ask(body: Client.envelope(creation))
            #expect(answer.status == 500 && answer.body.contains("The server's data folder was changed"))
            try FileManager.default.moveItem(atPath: data.path("elsewhere"), toPath: data.path("data"))
            #expect(try client.ask(body: Client.envelope(creation)).status == 500, "what was refused stays refused")
            #expect(try client.graphql("{ listUsers { items { username } } }").contains(#""username":"x""#))
        }
    }
}
