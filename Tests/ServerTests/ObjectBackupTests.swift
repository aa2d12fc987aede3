import Foundation
import Testing

@testable import Server

@Suite("Backups of buckets", .serialized)
struct ObjectBackupTests {
    @Test("objects are backed up beside a running server and restored into another folder, byte for byte")
    func roundTrip() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        let data = configuration.data
        let file = folder.path("backup")
        try await TestServer.with({ $0.data = data }) { server in
            try await FilesClient.with(configuration) { client in
                for name in ["a", "b", "c"] {
                    try folder.write("first \(name)", to: name)
                    try await client.put(folder.path(name), to: FilesPath("syncline/public/\(name)"))
                }
                try Backups.make(file, of: configuration, replaces: false)
                // An object of the next backup alone; another is gone.
                try folder.write("second", to: "b")
                try await client.put(folder.path("b"), to: FilesPath("syncline/public/b"))
                try await client.remove(FilesPath("syncline/public/c"))
                #expect(throws: ServerError.self) { try Backups.make(file, of: configuration, replaces: false) }
                try Backups.make(folder.path("second"), of: configuration, replaces: false)
            }
        }
        var other = configuration
        other.data.folder = folder.path("other")
        _ = try Backups.restore(file, to: other, isAllowed: { true })
        #expect(try await contents(other, folder) == ["a": "first a", "b": "first b", "c": "first c"])
        _ = try Backups.restore(folder.path("second"), to: other, isAllowed: { true })
        #expect(try await contents(other, folder) == ["a": "first a", "b": "second"])
    }

    @Test("a later backup of the same name has the objects of its tables and no others")
    func replaced() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        let data = configuration.data
        let file = folder.path("backup")
        try await TestServer.with({ $0.data = data }) { _ in
            try await FilesClient.with(configuration) { client in
                try folder.write("one", to: "a")
                try await client.put(folder.path("a"), to: FilesPath("syncline/a"))
                try Backups.make(file, of: configuration, replaces: false)
                try folder.write("two", to: "a")
                try await client.put(folder.path("a"), to: FilesPath("syncline/a"))
                try Backups.make(file, of: configuration, replaces: true)
            }
        }
        #expect(Files.tree("\(file).objects").count == 1)
        #expect(!Files.exists("\(file).tables"))
    }

    @Test("a restore asks before objects are lost whose files are not beside the backup")
    func lost() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        let data = configuration.data
        let file = folder.path("backup")
        try await TestServer.with({ $0.data = data }) { _ in
            try await FilesClient.with(configuration) { client in
                try folder.write("one", to: "a")
                try await client.put(folder.path("a"), to: FilesPath("syncline/a"))
            }
            try Backups.make(file, of: configuration, replaces: false)
        }
        Files.removeFolder("\(file).objects")
        var other = configuration
        other.data.folder = folder.path("other")
        var counts: [Int] = []
        #expect(throws: ServerError.self) {
            try Backups.restore(
                file, to: other, isAllowed: { true },
                mayLoseObjects: { count in
                    counts.append(count)
                    return false
                })
        }
        #expect(counts == [1])
    }

    /// All objects below `public/`, by the last part of their keys; without a server.
    private func contents(_ configuration: Configuration, _ folder: TemporaryFolder) async throws -> [String: String] {
        try await FilesClient.with(configuration) { client in
            var keys: [String] = []
            try await client.list(FilesPath("syncline/public/")) { keys += $0.map(\.key) }
            var contents: [String: String] = [:]
            for key in keys {
                try await client.get(FilesPath("syncline/\(key)"), to: folder.path("read"))
                contents[String(key.dropFirst(7))] = try String(contentsOfFile: folder.path("read"), encoding: .utf8)
            }
            return contents
        }
    }
}
