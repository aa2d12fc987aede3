import Foundation
import JSON
import Synchronization
import Testing

@testable import Server

@Suite("The verbs of files", .serialized)
struct FilesClientTests {
    /// Runs `body` twice on one data folder: beside a server, and without one.
    private func with(_ body: (FilesClient, TemporaryFolder) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        try await TestServer.with({ $0.data = configuration.data }) { server in
            let files = try TemporaryFolder()
            defer { files.remove() }
            try await FilesClient.with(configuration) { try await body($0, files) }
        }
        let files = try TemporaryFolder()
        defer { files.remove() }
        try await FilesClient.with(configuration) { try await body($0, files) }
    }

    private func keys(_ client: FilesClient, _ path: String) async throws -> [String] {
        var keys: [String] = []
        try await client.list(try FilesPath(path)) { keys += $0.map(\.key) }
        return keys
    }

    @Test("objects are stored, listed, copied, read and removed, beside a server and without one")
    func objects() async throws {
        try await with { client, files in
            #expect(try await client.buckets() == ["syncline"])
            let text = String(repeating: "large ", count: 200_000)
            try files.write(text, to: "a.txt")
            let last = Mutex((0, 0))
            let path = try FilesPath("s3://syncline/folder/a b+c%20\u{E9}<&>.txt")
            try await client.put(files.path("a.txt"), to: path) { count, total in last.withLock { $0 = (count, total) }
            }
            #expect(last.withLock { $0 } == (1_200_000, 1_200_000))
            let copied = try FilesPath("syncline/folder/copy")
            try await client.copy(path, to: copied)
            #expect(try await keys(client, "syncline/folder/") == [path.key, "folder/copy"])
            try await client.get(copied, to: files.path("b.txt"))
            #expect(try String(contentsOfFile: files.path("b.txt"), encoding: .utf8) == text)
            for path in [path, copied] { try await client.remove(path) }
            #expect(try await keys(client, "syncline").isEmpty)
            let error = await #expect(throws: ServerError.self) {
                try await client.get(copied, to: files.path("c.txt"))
            }
            #expect(error?.text.contains("The specified key does not exist.") == true)
            #expect(files.names == ["a.txt", "b.txt"], "no part of a file is left")
        }
    }

    @Test("a folder is synchronized without the files whose objects are equal")
    func synchronize() async throws {
        try await with { client, files in
            for name in ["one.jpg", "sub/two.jpg", ".hidden"] { try files.write(name, to: "folder/\(name)") }
            let path = try FilesPath("syncline/public")
            func stored() async throws -> [String] {
                var stored: [String] = []
                try await client.synchronize(files.path("folder"), to: path) { name, outcome in
                    if outcome == .stored { stored.append(name) }
                }
                return stored
            }
            #expect(try await stored() == ["one.jpg", "sub/two.jpg"])
            #expect(try await stored() == [])
            try files.write("one.JPG", to: "folder/one.jpg")
            #expect(try await stored() == ["one.jpg"])
            #expect(try await keys(client, "syncline") == ["public/one.jpg", "public/sub/two.jpg"])
            for key in ["public/one.jpg", "public/sub/two.jpg"] {
                try await client.remove(try FilesPath("syncline/\(key)"))
            }
        }
    }

    @Test("names that differ in bytes alone are two files and two objects")
    func names() async throws {
        try await with { client, files in
            let names = ["\u{E9}", "e\u{301}"]
            for name in names { try files.write("same", to: "folder/\(name)") }
            var stored: [[UInt8]] = []
            for name in names + [""] {
                try await client.synchronize(files.path("folder"), to: FilesPath("syncline/n")) { name, outcome in
                    if outcome == .stored { stored.append(Array(name.utf8)) }
                }
                // The next time only the file of this very name has no object.
                if !name.isEmpty { try await client.remove(FilesPath("syncline/n/\(name)")) }
            }
            #expect(stored.count == 4 && Array(stored.suffix(2)) == names.map { Array($0.utf8) }, "\(stored)")
            for key in try await keys(client, "syncline/") { try await client.remove(FilesPath("syncline/\(key)")) }
        }
    }

    @Test("verbs that change something are in the audit log, and an unknown bucket's error names the buckets there are")
    func audit() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        let data = configuration.data
        func change() async throws {
            try folder.write("text", to: "a.txt")
            try await FilesClient.with(configuration) { client in
                try await client.put(folder.path("a.txt"), to: FilesPath("syncline/a b"))
                try await client.copy(FilesPath("syncline/a b"), to: FilesPath("syncline/c"))
                _ = try await keys(client, "syncline")
                try await client.remove(FilesPath("syncline/c"))
                let error = await #expect(throws: ServerError.self) {
                    try await client.put(folder.path("a.txt"), to: FilesPath("pictures/a"))
                }
                #expect(error?.text.contains("The buckets are: syncline.") == true, "\(error?.text ?? "")")
            }
        }
        try await TestServer.with({ $0.data = data }) { _ in try await change() }
        try await change()
        var lines: [JSONValue] = []
        try await OperatorClient(configuration).audit { line in
            if let value = try? JSONReader.read(line) { lines.append(value) }
        }
        let once = [
            "files.put syncline/a b", "files.copy syncline/c", "files.remove syncline/c", "files.put pictures/a",
            "files.put.failed pictures/a",
        ]
        let entries = lines.map { "\($0["action"]?.stringValue ?? "") \($0["target"]?.stringValue ?? "")" }
        #expect(entries == once + once)
        #expect(
            lines.map { $0["address"]?.stringValue } == Array(repeating: "operators.sock", count: 5)
                + Array(repeating: "command line", count: 5))
    }

    @Test("what clients have named does not reach the terminal as it is, and results are printed as JSON where asked")
    func terminal() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        let data = configuration.data
        try await TestServer.with({ $0.data = data }) { _ in
            try folder.write("text", to: "a.txt")
            let key = "x\u{1B}[2J\u{9B}31m\r\n\u{202E}y"
            let put = try run(["files", "put", "a.txt", "syncline/\(key)", "--json", "--data", "data"], in: folder)
            #expect(put.code == 0, "\(put)")
            #expect(try JSONReader.read(put.output) == ["bucket": "syncline", "key": .string(key), "file": "a.txt"])
            let listed = try run(["files", "ls", "syncline/", "--data", "data"], in: folder)
            #expect(listed.output.hasSuffix("  x\\u001b[2J\\u009b31m\\u000d\\u000a\\u202ey\n"), "\(listed)")
            for arguments in [
                ["cp", "syncline/\(key)", "syncline/\u{1B}c"], ["get", "syncline/\u{1B}c", "b.txt"],
                ["rm", "syncline/\u{1B}c"], ["ls", "syncline/", "--json"], ["get", "syncline/\u{1B}none", "c.txt"],
            ] {
                let done = try run(["files"] + arguments + ["--data", "data"], in: folder)
                #expect(!(done.output + done.complaint).unicodeScalars.contains("\u{1B}"), "\(done)")
            }
        }
    }

    @Test("a presigned URL of the verb is fetched from the server whose key signed it")
    func url() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        let data = configuration.data
        try await TestServer.with({ $0.data = data }) { server in
            let client = try server.connect()
            try folder.write("hello", to: "a.txt")
            let path = try FilesPath("syncline/public/a b.txt")
            try await FilesClient.with(configuration) { try await $0.put(folder.path("a.txt"), to: path) }
            let url = try FilesClient.url(
                path, configuration, endpoint: "http://127.0.0.1:\(server.port)", seconds: 60)
            let target = try #require(url.split(separator: ":\(server.port)").last)
            let answer = try client.ask("GET", String(target), headers: ["Host": "127.0.0.1:\(server.port)"])
            #expect(answer.body == "hello" && answer["content-type"] == ["text/plain"])
            #expect(throws: ServerError.self) {
                try FilesClient.url(path, configuration, endpoint: nil, seconds: 700_000)
            }
        }
    }
}
