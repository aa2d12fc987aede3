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

    @Test("a restore killed at any moment leaves the old data or the restored, never a mixture")
    func killed() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(TestServer.chat, to: "schema.graphql")
        let serve = ["serve", "--port", "0", "--datastore", "--tls", "off"]
        func names(_ server: Running) throws -> String {
            try server.connect().graphql("{ listUsers(limit: 1000) { items { id username _version _deleted } } }")
        }
        func mutate(_ server: Running, _ field: (Int) -> String) throws {
            for start in stride(from: 0, to: 300, by: 100) {
                let fields = (start..<start + 100).map { "f\($0): \(field($0)) { id }" }.joined(separator: " ")
                try #require(try !server.connect().graphql("mutation { \(fields) }").contains("errors"))
            }
        }
        var server = try Running(serve, in: folder)
        try mutate(server) { #"createUser(input: {id: "\#($0)", username: "then"})"# }
        #expect(try run(["backup", "file"], in: folder).code == 0)
        try mutate(server) { #"updateUser(input: {id: "\#($0)", username: "now", _version: 1})"# }
        try mutate(server) { #"createUser(input: {id: "n\#($0)", username: "now"})"# }
        let old = try names(server)
        // Its log was never copied into the database.
        server.crash()
        let files = FileManager.default
        // A socket cannot be copied.
        try files.removeItem(atPath: folder.path(".syncline/operators.sock"))
        try files.copyItem(atPath: folder.path(".syncline"), toPath: folder.path("old"))
        let began = ContinuousClock.now
        #expect(try run(["restore", "file", "--yes"], in: folder).code == 0)
        let duration = ContinuousClock.now - began
        server = try Running(serve, in: folder)
        let restored = try names(server)
        #expect(server.stop().code == 0)
        #expect(old.contains("now") && restored.contains("then") && restored.contains(#""_deleted":true"#))
        #expect(!restored.contains(#""_version":1,"#))

        let seed = UInt64.testSeed(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var (oldCount, restoredCount) = (0, 0)
        for round in 0..<10 {
            try files.removeItem(atPath: folder.path(".syncline"))
            try files.copyItem(atPath: folder.path("old"), toPath: folder.path(".syncline"))
            let process = try Command(["restore", "file", "--yes"], in: folder).process
            usleep(UInt32(duration / .microseconds(1) * Double.random(in: 0...1.2, using: &random)))
            process.send(SIGKILL)
            _ = process.waitUntilExit()
            server = try Running(serve, in: folder)
            let found = try names(server)
            #expect(found == old || found == restored, "seed \(seed), round \(round)")
            #expect(server.stop().code == 0)
            if found == old { oldCount += 1 } else { restoredCount += 1 }
            #expect(!folder.names.contains { $0.contains("restored") || $0.contains("replaced") }, "\(folder.names)")
        }
        #expect(oldCount + restoredCount == 10, "\(oldCount) old")
    }

    @Test("a backup onto the data, or into its folder, is refused with --force as well")
    func ontoTheData() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(TestServer.chat, to: "schema.graphql")
        let server = try Running(["serve", "--port", "0"], in: folder)
        try create("a", server)
        let files = FileManager.default
        try files.linkItem(atPath: folder.path(".syncline/tables.sqlite"), toPath: folder.path("hard"))
        try files.createSymbolicLink(atPath: folder.path("symbolic"), withDestinationPath: ".syncline/tables.sqlite")
        // Files that the store itself does not know.
        try files.linkItem(atPath: folder.path(".syncline/.gitignore"), toPath: folder.path("ignored"))
        try files.createDirectory(atPath: folder.path(".syncline/notes"), withIntermediateDirectories: false)
        try folder.write("note", to: ".syncline/notes/note")
        try files.linkItem(atPath: folder.path(".syncline/notes/note"), toPath: folder.path("deep"))
        let targets = [".syncline/tables.sqlite", ".syncline/new", "hard", "symbolic", "./.syncline/../.syncline/lock"]
        for target in targets + ["ignored", "deep"] {
            for arguments in [["backup", target, "--force"], ["backup", target]] {
                let outcome = try run(arguments, in: folder)
                #expect(outcome.code == 2 && outcome.complaint.contains("is in the data folder"), "\(outcome)")
            }
        }
        #expect(try ids(server) == #"{"data":{"listUsers":{"items":[{"id":"a"}]}}}"#)
        #expect(server.stop().code == 0)
        let outcome = try run(["restore", "hard", "--yes"], in: folder)
        #expect(outcome.code == 2 && outcome.complaint.contains("belongs to the data itself"), "\(outcome)")
        #expect(try Running(["serve", "--port", "0"], in: folder).stop().code == 0)
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
