import Foundation
import Testing

@Suite("Backup and restore from the command line", .serialized)
struct BackupTests {
    private func create(_ id: String, _ server: Running) throws {
        let text = try server.connect().graphql(
            #"mutation { createUser(input: {id: "\#(id)", username: "x"}) { id } }"#)
        try #require(text == #"{"data":{"createUser":{"id":"\#(id)"}}}"#)
    }

    private func ids(_ server: Running) throws -> String {
        try server.connect().graphql("{ listUsers { items { id } } }")
    }

    @Test("what is backed up beside a running server comes back, and nothing else")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(TestServer.chat, to: "schema.graphql")
        let file = folder.path("backup")
        var server = try Running(["serve", "--port", "0"], in: folder)
        try create("a", server)
        try create("b", server)
        let page = try server.connect().graphql("{ listUsers(limit: 1) { nextToken } }")
        let token = try #require(page.firstMatch(of: /"nextToken":"([^"]+)"/)?.1)

        let made = try run(["backup", file], in: folder)
        #expect(made.code == 0 && made.output.contains(file) && made.complaint.isEmpty, "\(made)")
        let again = try run(["backup", file], in: folder)
        #expect(again.code == 7 && again.complaint.contains("--force"), "\(again)")
        #expect(try run(["backup", "--force", file], in: folder).code == 0)
        try create("c", server)

        let locked = try run(["restore", file, "--yes"], in: folder)
        #expect(locked.code == 5 && locked.complaint.contains("\(server.processIdentifier)"), "\(locked)")
        #expect(server.stop().code == 0)

        let unasked = try run(["restore", file], in: folder)
        #expect(unasked.code == 7 && unasked.complaint.contains("--yes"), "\(unasked)")
        server = try Running(["serve", "--port", "0"], in: folder)
        #expect(try ids(server) == #"{"data":{"listUsers":{"items":[{"id":"a"},{"id":"b"},{"id":"c"}]}}}"#)
        #expect(server.stop().code == 0)

        let restored = try run(["restore", file, "--yes"], in: folder)
        #expect(restored.code == 0 && restored.output.contains(file), "\(restored)")
        server = try Running(["serve", "--port", "0"], in: folder)
        #expect(try ids(server) == #"{"data":{"listUsers":{"items":[{"id":"a"},{"id":"b"}]}}}"#)
        let old = try server.connect().graphql(
            "query Q($t: String) { listUsers(nextToken: $t) { items { id } } }", #"{"t": "\#(token)"}"#)
        #expect(old.contains("Invalid pagination token given."), "\(old)")
        #expect(server.stop().code == 0)

        #expect(try run(["restore", file, "--data", "elsewhere"], in: folder).code == 0, "nothing is lost there")
        server = try Running(["serve", "--port", "0", "--data", "elsewhere"], in: folder)
        #expect(try ids(server) == #"{"data":{"listUsers":{"items":[{"id":"a"},{"id":"b"}]}}}"#)
    }

    @Test("what cannot be backed up or restored is refused with its place, and nothing is made")
    func refusals() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("no database", to: "garbage")
        let rows: [([String], Int32, String)] = [
            (["backup", "file"], 5, ".syncline"), (["restore", "nowhere"], 5, "nowhere"),
            (["backup", "file", "--data", ":memory:"], 2, "--data"), (["backup"], 2, "file"),
            (["restore", "garbage", "--data", ":memory:"], 2, "--data"), (["restore"], 2, "file"),
        ]
        for (arguments, code, named) in rows {
            let outcome = try run(arguments, in: folder)
            #expect(outcome.code == code && outcome.complaint.contains(named), "\(arguments): \(outcome)")
        }
        #expect(folder.names == ["garbage"])
        let garbage = try run(["restore", "garbage"], in: folder)
        #expect(garbage.code == 5 && garbage.complaint.contains("garbage"), "\(garbage)")
        #expect(!folder.names.contains { $0.contains("tables") }, "\(folder.names)")
    }
}
