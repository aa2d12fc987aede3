import Foundation
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
