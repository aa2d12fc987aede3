import Foundation
import Testing

@testable import Tables

@Suite("The data folder")
struct DataFolderTests {
    private func open(_ folder: TemporaryFolder) throws {
        try SQLiteStore.open(folder).close()
    }

    private func expect(_ code: StoreError.Code, _ folder: TemporaryFolder) {
        #expect { try open(folder) } throws: { ($0 as? StoreError)?.code == code }
        #expect { try open(folder) } throws: { ($0 as? StoreError)?.hint != nil }
    }

    private func write(
        _ bytes: some Sequence<UInt8>, to folder: TemporaryFolder, as name: String = "tables.sqlite"
    ) throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
    }

    @Test("is made for its owner alone, folders above it included")
    func permissions() throws {
        let outer = TemporaryFolder()
        let path = outer.path + "/a/b"
        let store = try SQLiteStore(folder: path)
        _ = try store.secret()
        defer { store.close() }
        func mode(_ path: String) throws -> Int {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
        }
        #expect(try mode(path) == 0o700)
        #expect(try mode(path + "/lock") == 0o600)
        #expect(try mode(path + "/secret") == 0o600)
        for name in ["tables.sqlite", "tables.sqlite-wal", "tables.sqlite-shm"] {
            #expect(try mode("\(path)/\(name)") == 0o600, "\(name)")
        }
    }

    @Test("files of an older version, or of a copy, are taken from everybody but their owner; a link is left alone")
    func oldPermissions() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        _ = try store.secret()
        store.close()
        let names = ["lock", "secret", "tables.sqlite"]
        func set(_ mode: Int, _ name: String) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(folder.path)/\(name)")
        }
        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")[.posixPermissions] as? Int
        }
        for name in names { try set(0o666, name) }
        try write("another's".utf8, to: folder, as: "other")
        try set(0o644, "other")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/secret.new", withDestinationPath: "\(folder.path)/other")
        try open(folder)
        for name in names { #expect(try mode(name) == 0o600, "\(name)") }
        #expect(try mode("other") == 0o644)
    }

    @Test("is locked while a store is open, and the error names the process")
    func lock() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        expect(.locked(pid: getpid()), folder)
        // To look is always allowed.
        #expect(try SQLiteStore.inspect(folder: folder.path)?.tableNames == [])
        store.close()
        try open(folder)
    }

    @Test("is locked for a process that another one started")
    func lockOfAnotherProcess() throws {
        let folder = TemporaryFolder()
        try open(folder)
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/flock") else { return }
        // Not Foundation's Process: beside the open files of the other tests it reads past its list of them.
        let held = folder.path + "/held"
        let command = "flock '\(folder.path)/lock' sh -c 'touch \"$0\"; read line' '\(held)'"
        // Memory safety: the stream is closed once, by `pclose`, and not used afterwards.
        let holder = unsafe try #require(unsafe popen(command, "w"))
        let deadline = ContinuousClock.now + .seconds(30)
        while !FileManager.default.fileExists(atPath: held), ContinuousClock.now < deadline { usleep(2_000) }
        #expect { try open(folder) } throws: {
            if case .locked? = ($0 as? StoreError)?.code { true } else { false }
        }
        unsafe pclose(holder)
        try open(folder)
    }

    @Test("with a file that is no database is refused, and the file left alone")
    func damaged() throws {
        let folder = TemporaryFolder()
        let garbage = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
        try write(garbage, to: folder)
        expect(.damaged, folder)
        #expect { try SQLiteStore.inspect(folder: folder.path) } throws: { ($0 as? StoreError)?.code == .damaged }
        #expect(try Data(contentsOf: URL(fileURLWithPath: DataFolder.database(in: folder.path))) == Data(garbage))
    }

    @Test("with another program's database is refused")
    func foreign() throws {
        let folder = TemporaryFolder()
        try write([], to: folder)
        let connection = try Connection(
            path: DataFolder.database(in: folder.path), mode: .writing, limits: StoreLimits())
        try connection.execute("CREATE TABLE theirs (x)")
        expect(.damaged, folder)
    }

    @Test("with a newer format is refused")
    func newerVersion() throws {
        let folder = TemporaryFolder()
        try open(folder)
        let connection = try Connection(
            path: DataFolder.database(in: folder.path), mode: .writing, limits: StoreLimits())
        try connection.execute("PRAGMA user_version = \(Catalog.version + 1)")
        expect(.newerVersion, folder)
    }

    @Test("with pages overwritten is an error, never a crash")
    func overwrittenPages() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        let table = try store.migrate(to: [message])[0]
        for index in 0..<500 { try store.put(table, ["room", .text("\(index)"), "some text"]) }
        store.close()
        let url = URL(fileURLWithPath: DataFolder.database(in: folder.path))
        var bytes = try Data(contentsOf: url)
        var random = SeededGenerator(seed: 7)
        for index in 20_480..<bytes.count where index.isMultiple(of: 3) {
            bytes[index] = UInt8.random(in: .min ... .max, using: &random)
        }
        try bytes.write(to: url)
        #expect {
            let reopened = try SQLiteStore.open(folder)
            defer { reopened.close() }
            let stored = try reopened.migrate(to: [message])[0]
            _ = try reopened.makeReader().rows(Fetch(stored, columns: [0, 1, 2], access: .scan))
        } throws: {
            ($0 as? StoreError)?.code == .corrupt
        }
    }

    @Test("that cannot be made says so")
    func notWritable() throws {
        #expect { try SQLiteStore(folder: "/proc/self/nowhere") } throws: { ($0 as? StoreError)?.code == .notWritable }
        let folder = TemporaryFolder()
        try write([], to: folder)
        // A file where the folder should be.
        #expect { try SQLiteStore(folder: DataFolder.database(in: folder.path)) } throws: {
            ($0 as? StoreError)?.code == .notWritable
        }
    }

    @Test("keeps its secret")
    func secret() throws {
        let folder = TemporaryFolder()
        let other = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        let secret = try store.secret()
        #expect(secret.count == 32)
        #expect(try store.secret() == secret)
        store.close()
        #expect { try store.secret() } throws: { ($0 as? StoreError)?.code == .closed }
        let reopened = try SQLiteStore.open(folder)
        #expect(try reopened.secret() == secret)
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: folder.path + "/secret"))
        #expect { try reopened.secret() } throws: { ($0 as? StoreError)?.code == .damaged }
        reopened.close()
        let another = try SQLiteStore.open(other)
        #expect(try another.secret() != secret)
        another.close()
    }
}
