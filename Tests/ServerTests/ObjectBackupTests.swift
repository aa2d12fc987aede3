import Foundation
import JSON
import Synchronization
import Tables
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

    @Test("an object that is replaced while a backup is made is in it as it was, and nothing is copied twice")
    func replacedMeanwhile() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        let (data, settings, file) = (configuration.data, configuration, folder.path("backup"))
        let tableCopies = Mutex(0)
        try await TestServer.with({ $0.data = data }) { _ in
            try await FilesClient.with(settings) { client in
                for name in ["a", "b"] {
                    try folder.write(name, to: name)
                    try await client.put(folder.path(name), to: FilesPath("syncline/public/a"))
                }
                let made: Result<Void, any Error> = await withCheckedContinuation { continuation in
                    DispatchQueue.global().async {
                        continuation.resume(
                            returning: Result {
                                try BackupObjects(file: file, settings).make(file) { copy throws(ServerError) in
                                    do throws(StoreError) {
                                        try LocalStore.backUp(folder: settings.data.folder, to: copy)
                                    } catch { throw ServerError(opening: copy, error) }
                                    tableCopies.withLock { $0 += 1 }
                                    let isDone = DispatchSemaphore(value: 0)
                                    Task {
                                        try? await client.put(folder.path("a"), to: FilesPath("syncline/public/a"))
                                        isDone.signal()
                                    }
                                    isDone.wait()
                                }
                            })
                    }
                }
                try made.get()
            }
        }
        #expect(tableCopies.withLock { $0 } == 1)
        var other = configuration
        other.data.folder = folder.path("other")
        _ = try Backups.restore(file, to: other, isAllowed: { true })
        #expect(try await contents(other, folder) == ["a": "b"])
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
        #expect(
            folder.names.filter { !$0.hasPrefix("data") && !$0.contains("/") } == ["a", "backup", "backup.objects"])
    }

    @Test("only a backup, an archive of one or an empty file is replaced, and a path that cannot be one is refused")
    func foreignFiles() async throws {
        try await OperatorStage.with(schema: TestServer.chat) { stage in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            func backUp(_ file: String, replaces: Bool = true) throws -> Int {
                try stage.ask("POST", "/backups", ["file": .string(file), "replace": .bool(replaces)]).status
            }
            let header = Data("SQLite format 3\0".utf8) + Data(repeating: 0, count: 200)
            let mine = ["note": Data("mine".utf8), "other.sqlite": header, "block": Data(repeating: 1, count: 5_000)]
            for (name, bytes) in mine {
                try bytes.write(to: folder.url.appending(path: name))
                #expect(try backUp(folder.path(name)) == 409, "\(name)")
                #expect(try Data(contentsOf: folder.url.appending(path: name)) == bytes, "\(name)")
            }
            for (link, target) in [("link", "note"), ("nowhere", "nothing")] {
                try FileManager.default.createSymbolicLink(atPath: folder.path(link), withDestinationPath: target)
                #expect(try backUp(folder.path(link)) == 409, "\(link)")
                #expect(Files.target(ofLink: folder.path(link)) == target)
            }
            try folder.write("", to: "new")
            #expect(try backUp(folder.path("new"), replaces: false) == 409)
            for _ in 0..<2 { #expect(try backUp(folder.path("new")) == 201, "an empty file, and then a backup") }
            for file in [
                folder.path("missing/new"), folder.url.path + "/a\0b", folder.path(String(repeating: "a", count: 300)),
                folder.path("note/new"), "/" + String(repeating: "a/", count: 3_000) + "b",
            ] {
                #expect(try backUp(file) == 422, "\(file.prefix(100))")
            }
            let archive = folder.path("archive")
            for isFirst in [true, false] {
                try await BackupArchive.make(archive, of: stage.server.configuration, replaces: !isFirst) { file in
                    try Backups.make(file, of: stage.server.configuration, replaces: false)
                }
            }
        }
    }

    @Test("a backup and a restore change no file, folder or link of the user that has a similar name")
    func foreignNames() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(TestServer.chat, to: "schema.graphql")
        #expect(try Running(["dev", "--port", "0", "--tls", "off"], in: folder).stop().code == 0)
        let mine = [
            "x.tar.parts/photos/a", "x.tar.partial", "x.tables", "x.tables.partial", "x.partial", "x.parts-abcdef/a",
            "x.tar.parts-abcdef/syncline-work", "away.unpacked/a", "away.unpacked-abcdef/a", "x.keys.partial",
            "x.objects/aa/mine.txt", "kept/a",
        ]
        for name in mine { try folder.write(name, to: name) }
        for link in ["y.tar.parts", "y.parts", "y.tar.parts-abcdef", "new.unpacked", "new.unpacked-abcdef"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path(link), withDestinationPath: folder.path("kept"))
        }
        try folder.write("correct horse\n", to: "passphrase")
        let before = folder.names
        for arguments in [
            ["backup", "x", "--passphrase-file", "passphrase"], ["backup", "x.tar", "--archive"], ["backup", "y"],
            ["backup", "y.tar", "--archive"], ["restore", "x.tar", "--data", "away", "--yes"],
            ["restore", "y.tar", "--data", "new", "--yes"],
        ] {
            let outcome = try run(arguments, in: folder)
            #expect(outcome.code == 0, "\(arguments): \(outcome)")
        }
        for name in mine {
            #expect(try String(contentsOfFile: folder.path(name), encoding: .utf8) == name, "\(name)")
        }
        let made = Set(folder.names).subtracting(before).filter { !$0.contains("/") }
        #expect(made == ["x", "x.keys", "x.tar", "y", "y.tar", "away", "new"], "\(made)")

        // The blobs of another folder would be removed.
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("z.objects"), withDestinationPath: folder.path("kept"))
        let linked = try run(["backup", "z"], in: folder)
        #expect(linked.code == 2 && linked.complaint.contains("z.objects is a symbolic link"), "\(linked)")
        // Not even a link that leads nowhere is replaced without --force.
        try FileManager.default.createSymbolicLink(atPath: folder.path("w"), withDestinationPath: "nowhere")
        #expect(try run(["backup", "w"], in: folder).code == 7)
        #expect(Files.target(ofLink: folder.path("w")) == "nowhere")
    }

    @Test("a folder is removed with the links in it and not with what they lead to, and a link to a folder not at all")
    func links() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("kept", to: "kept/a")
        try folder.write("gone", to: "gone/deep/er/a")
        for link in ["link", "gone/link", "gone/deep/link"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path(link), withDestinationPath: folder.path("kept"))
        }
        Files.removeFolder(folder.path("link"))
        Files.removeFolder(folder.path("gone"))
        #expect(folder.names == ["kept", "kept/a", "link"])
    }

    @Test(
        "of two backups to one name at one time the second is refused in one sentence, and what a killed one left is removed"
    )
    func overlapping() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(TestServer.chat, to: "schema.graphql")
        #expect(try Running(["dev", "--port", "0", "--tls", "off"], in: folder).stop().code == 0)
        var configuration = Configuration()
        configuration.data.folder = folder.path(".syncline")
        let file = folder.path("file")
        do {
            let first = try WorkFolder.make(beside: file, suffix: BackupObjects.workSuffix, for: "backup")
            try Files.create("\(first.path)/tables", holding: "half")
            for arguments in [["backup", "file"], ["backup", "file", "--archive"]] {
                let second = try run(arguments, in: folder)
                #expect(second.code == 7 && second.complaint.contains("Another backup to "), "\(second)")
                #expect(second.complaint.contains("file is under way."), "\(second)")
            }
            try Backups.make(folder.path("other"), of: configuration, replaces: false)
            #expect(Files.exists(first.path), "another name is another backup")
            // As a killed process leaves it: unlocked, and with all that it had written.
        }
        #expect(folder.names.contains { $0.hasPrefix("file.parts-") && $0.hasSuffix("/tables") })
        try Backups.make(file, of: configuration, replaces: false)
        #expect(!folder.names.contains { $0.contains("parts") }, "\(folder.names)")
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
                for name in ["a", "b"] {
                    try folder.write(name, to: name)
                    try await client.put(folder.path(name), to: FilesPath("syncline/\(name)"))
                }
            }
            try Backups.make(file, of: configuration, replaces: false)
        }
        let one = try #require(Files.tree("\(file).objects").first)
        try FileManager.default.removeItem(atPath: one)
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
        #expect(!folder.names.contains("other/objects"), "a refused restore copies nothing")
    }

    @Test("a backup without the files of its objects fails, also if their whole folder is gone")
    func lostFolder() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        let data = configuration.data
        try await TestServer.with({ $0.data = data }) { _ in
            try await FilesClient.with(configuration) { client in
                try folder.write("one", to: "a")
                try await client.put(folder.path("a"), to: FilesPath("syncline/a"))
            }
        }
        Files.removeFolder(folder.path("data/objects"))
        let error = #expect(throws: ServerError.self) {
            try Backups.make(folder.path("backup"), of: configuration, replaces: false)
        }
        #expect(error?.text.contains("1 objects have lost their files") == true, "\(String(describing: error))")
        #expect(!folder.names.contains("backup"))
        #expect(!folder.names.contains { $0.contains("parts") })
    }

    @Test("a restore of an archive killed at any moment leaves the old objects or the restored, never a mixture")
    func killed() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(TestServer.chat, to: "schema.graphql")
        try folder.write("correct horse\n", to: "passphrase")
        var configuration = Configuration()
        configuration.data.folder = folder.path(".syncline")
        func synchronize(_ text: String) throws {
            for number in 0..<20 { try folder.write("\(text) \(number)", to: "files/\(number)") }
            try #require(run(["files", "sync", "files", "syncline/public"], in: folder).code == 0)
        }
        func expected(_ text: String) -> [String: String] {
            Dictionary(uniqueKeysWithValues: (0..<20).map { ("\($0)", "\(text) \($0)") })
        }
        let keys = ["--passphrase-file", "passphrase", "--keys", "the.keys"]
        let server = try Running(["dev", "--port", "0", "--tls", "off"], in: folder)
        try synchronize("then")
        let made = try run(["backup", "file.tar", "--archive"] + keys, in: folder)
        #expect(made.code == 0 && made.output.contains("the.keys"), "\(made)")
        #expect(try run(["backup", "file.tar", "--archive"] + keys, in: folder).code == 7)
        #expect(try run(["backup", "other.tar", "--keys", "x"], in: folder).code == 2)
        try synchronize("now")
        #expect(server.stop().code == 0)
        let files = FileManager.default
        #expect(folder.names.filter { $0.contains("file.tar") } == ["file.tar"])
        #expect(try files.attributesOfItem(atPath: folder.path("the.keys"))[.posixPermissions] as? Int == 0o600)

        let other = try run(["restore", "file.tar", "--data", "elsewhere"] + keys, in: folder)
        #expect(other.code == 0, "\(other)")
        configuration.data.folder = folder.path("elsewhere")
        #expect(try await contents(configuration, folder) == expected("then"))
        configuration.data.folder = folder.path(".syncline")

        try files.copyItem(atPath: folder.path(".syncline"), toPath: folder.path("old"))
        let began = ContinuousClock.now
        #expect(try run(["restore", "file.tar", "--yes"] + keys, in: folder).code == 0)
        let duration = ContinuousClock.now - began
        #expect(try await contents(configuration, folder) == expected("then"))
        let seed = UInt64.testSeed(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for round in 0..<10 {
            try files.removeItem(atPath: folder.path(".syncline"))
            try files.copyItem(atPath: folder.path("old"), toPath: folder.path(".syncline"))
            let process = try Command(["restore", "file.tar", "--yes"] + keys, in: folder).process
            usleep(UInt32(duration / .microseconds(1) * Double.random(in: 0...1.1, using: &random)))
            process.send(SIGKILL)
            _ = process.waitUntilExit()
            let found = try await contents(configuration, folder)
            #expect(found == expected("now") || found == expected("then"), "seed \(seed), round \(round)")
        }
        #expect(try run(["restore", "file.tar", "--yes"] + keys, in: folder).code == 0)
        #expect(!folder.names.contains { $0.contains("unpacked") }, "what a killed restore left is gone")
    }

    @Test("an archive of something else, or one with links in it, is not restored")
    func foreignArchive() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("x", to: "x/other")
        try FileManager.default.createDirectory(
            atPath: folder.path("y/backup.objects"), withIntermediateDirectories: true)
        try folder.write("x", to: "y/backup")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("y/backup.objects/ab"), withDestinationPath: "/etc")
        for name in ["x", "y"] {
            try #require(Subprocess.run(["tar", "-cf", folder.path("\(name).tar"), "-C", folder.path(name), "."]) == 0)
            let restored = try run(["restore", "\(name).tar", "--data", "data"], in: folder)
            #expect(restored.code == 5 && restored.complaint.contains("--archive"), "\(restored)")
            #expect(!folder.names.contains { $0.hasPrefix("data") }, "\(folder.names)")
        }
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
