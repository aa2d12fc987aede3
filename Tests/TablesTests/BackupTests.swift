import CFaultVFS
import Foundation
import Synchronization
import Testing

@testable import Tables

@Suite("Backup and restore")
struct BackupTests {
    private func open(_ folder: TemporaryFolder) throws -> (SQLiteStore, StoredTable) {
        let store = try SQLiteStore.open(folder)
        return (store, try store.migrate(to: [message])[0])
    }

    private func keys(_ folder: TemporaryFolder) throws -> [[Value]] {
        let (store, table) = try open(folder)
        defer { store.close() }
        return try store.makeReader().rows(Fetch(table, columns: [1], access: .scan))
    }

    private func restore(_ file: String, _ folder: TemporaryFolder) throws {
        try Restoration(of: file, toFolder: folder.path).complete()
    }

    private func names(_ folder: TemporaryFolder) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    private func seed(_ folder: TemporaryFolder, _ keys: String...) throws {
        let (store, table) = try open(folder)
        defer { store.close() }
        for key in keys { try store.put(table, ["room", .text(key), "text"]) }
        _ = try store.secret()
    }

    /// A file beside the data folders, in a folder of its own.
    private func makePlace() throws -> TemporaryFolder {
        let place = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: true)
        return place
    }

    @Test("a backup made while writes go on is one moment of them, whole and well-formed")
    func whileServing() throws {
        let (folder, place) = (TemporaryFolder(), try makePlace())
        let file = place.path + "/backup"
        let (store, table) = try open(folder)
        let text = Value.text(String(repeating: "x", count: 1_000))
        for index in 0..<2_000 { try store.put(table, ["room", .text("a\(index)"), text]) }
        let isOver = Atomic<Bool>(false)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            var index = 0
            while !isOver.load(ordering: .relaxed) {
                // Two rows in each turn, the second after the first: a moment holds as many of one as of the other, or
                // one more of the first.
                for kind in ["b", "c"] { _ = try? store.put(table, ["room", .text("\(kind)\(index)"), text]) }
                index += 1
            }
        }
        for _ in 0..<5 {
            try SQLiteStore.backUp(folder: folder.path, to: file)
            let copy = TemporaryFolder()
            try Restoration(of: file, toFolder: copy.path).complete()
            let rows = try SQLiteStore.open(copy)
            defer { rows.close() }
            let stored = try rows.migrate(to: [message])[0]
            let keys = try rows.makeReader().rows(Fetch(stored, columns: [1], access: .scan), limit: 1_000_000)
            func count(_ kind: String) -> Int {
                keys.count { if case .text(let key) = $0[0] { key.hasPrefix(kind) } else { false } }
            }
            #expect(count("a") == 2_000 && (0...1).contains(count("b") - count("c")))
        }
        isOver.store(true, ordering: .relaxed)
        group.wait()
        store.close()
        #expect(names(place) == ["backup"], "one file, without a log beside it")
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600, "its owner's alone")
    }

    @Test("a backup needs no server, leaves the folder as it was, and replaces an older file")
    func cold() throws {
        let (folder, place) = (TemporaryFolder(), try makePlace())
        let file = place.path + "/backup"
        try seed(folder, "1")
        let before = try Data(contentsOf: URL(fileURLWithPath: DataFolder.database(in: folder.path)))
        try Data("older".utf8).write(to: URL(fileURLWithPath: file))
        // What an interrupted one left behind.
        try Data("half".utf8).write(to: URL(fileURLWithPath: file + ".partial"))
        try SQLiteStore.backUp(folder: folder.path, to: file)
        #expect(try Data(contentsOf: URL(fileURLWithPath: DataFolder.database(in: folder.path))) == before)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(bytes.starts(with: Data("SQLite format 3\0".utf8)))
        let secret = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/secret"))
        #expect(bytes.range(of: secret) == nil)
        #expect(names(place) == ["backup"])
    }

    @Test("a restored folder holds the backup's items and a secret of its own")
    func restored() throws {
        let (folder, place) = (TemporaryFolder(), try makePlace())
        let file = place.path + "/backup"
        try seed(folder, "1", "2")
        try SQLiteStore.backUp(folder: folder.path, to: file)
        let secret = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/secret"))
        try seed(folder, "3")
        let restoration = try Restoration(of: file, toFolder: folder.path)
        let replacesData = restoration.replacesData
        #expect(replacesData)
        try restoration.complete()
        #expect(names(folder) == ["lock", "tables.sqlite"])
        do {
            let (store, _) = try open(folder)
            defer { store.close() }
            #expect(try store.secret() != [UInt8](secret))
        }
        #expect(try keys(folder) == [["1"], ["2"]])
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0 > 0, "the backup stays")

        let fresh = TemporaryFolder()
        let first = try Restoration(of: file, toFolder: fresh.path)
        let replacesNothing = !first.replacesData
        #expect(replacesNothing)
        try first.complete()
        #expect(try keys(fresh) == [["1"], ["2"]])
    }

    @Test("a restoration that is let go of leaves the folder as it was")
    func abandoned() throws {
        let (folder, place) = (TemporaryFolder(), try makePlace())
        let file = place.path + "/backup"
        try seed(folder, "1")
        try SQLiteStore.backUp(folder: folder.path, to: file)
        try seed(folder, "2")
        let before = names(folder)
        _ = try Restoration(of: file, toFolder: folder.path)
        // Whoever looks at a database makes an index of its log, and an empty log.
        #expect(names(folder).filter { !$0.contains("sqlite-") } == before)
        #expect(try keys(folder) == [["1"], ["2"]])
    }

    @Test("what is no backup of ours is refused, and nothing is changed")
    func refused() throws {
        let (folder, place) = (TemporaryFolder(), try makePlace())
        try seed(folder, "1")
        func backup(_ name: String, _ change: (String) throws -> Void) throws -> String {
            let file = place.path + "/" + name
            try SQLiteStore.backUp(folder: folder.path, to: file)
            try change(file)
            return file
        }
        func execute(_ sql: String) -> (String) throws -> Void {
            { try Connection(path: $0, mode: .writing, limits: StoreLimits()).execute(sql) }
        }
        let rows: [(String, StoreError.Code)] = [
            (place.path + "/nowhere", .damaged),
            (
                try backup("garbage") { try Data("no database at all".utf8).write(to: URL(fileURLWithPath: $0)) },
                .damaged
            ),
            (try backup("empty") { try Data().write(to: URL(fileURLWithPath: $0)) }, .damaged),
            (try backup("foreign", execute("PRAGMA application_id = 1")), .damaged),
            (try backup("newer", execute("PRAGMA user_version = 99")), .newerVersion),
        ]
        let before = names(folder)
        for (file, code) in rows {
            #expect { try restore(file, folder) } throws: { ($0 as? StoreError)?.code == code }
            #expect(names(folder) == before)
        }
        #expect(try keys(folder) == [["1"]])
        #expect { try SQLiteStore.backUp(folder: place.path, to: place.path + "/x") } throws: {
            ($0 as? StoreError)?.code == .damaged
        }
        #expect { try SQLiteStore.backUp(folder: folder.path, to: "/proc/self/x") } throws: {
            ($0 as? StoreError)?.code == .notWritable
        }
    }

    @Test("a backup with an index that disagrees with its rows is refused")
    func malformed() throws {
        let (folder, place) = (TemporaryFolder(), try makePlace())
        let file = place.path + "/backup"
        try seed(folder, "1", "2", "3")
        try SQLiteStore.backUp(folder: folder.path, to: file)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        // The text `room` stands in each row and in each entry of the primary key's index; one of them is changed.
        let found = try #require(bytes.range(of: Data("room1".utf8), options: .backwards))
        bytes[found.lowerBound] = UInt8(ascii: "z")
        try bytes.write(to: URL(fileURLWithPath: file))
        #expect { try restore(file, folder) } throws: { ($0 as? StoreError)?.code == .damaged }
        #expect(try keys(folder) == [["1"], ["2"], ["3"]])
    }

    @Test("a folder in use is not restored to")
    func locked() throws {
        let (folder, place) = (TemporaryFolder(), try makePlace())
        let file = place.path + "/backup"
        let (store, table) = try open(folder)
        defer { store.close() }
        try store.put(table, ["room", "1", nil])
        try SQLiteStore.backUp(folder: folder.path, to: file)
        #expect { try restore(file, folder) } throws: {
            ($0 as? StoreError)?.code == .locked(pid: getpid())
        }
    }

    @Test("a full disk leaves no half backup, and no half restore")
    func fullDisk() throws {
        let (source, target) = (try FaultyDisk(), try FaultyDisk())
        try seed(source.folder, "1")
        try seed(target.folder, "old")
        let file = target.folder.path + "/backup"
        target.leave(bytes: 8_192)
        #expect { try SQLiteStore.backUp(folder: source.folder.path, to: file) } throws: {
            ($0 as? StoreError)?.code == .diskFull
        }
        #expect(!FileManager.default.fileExists(atPath: file + ".partial"))
        target.mend()
        try SQLiteStore.backUp(folder: source.folder.path, to: file)
        target.leave(bytes: 8_192)
        #expect { try restore(file, target.folder) } throws: {
            ($0 as? StoreError)?.code == .diskFull
        }
        target.mend()
        #expect(try keys(target.folder) == [["old"]])
    }

    @Test("a restore that ends between any two of its steps leaves the old data or the new, with its log")
    func interrupted() throws {
        let place = try makePlace()
        // The old database has a log that was never copied into it, as a killed server leaves it.
        let live = TemporaryFolder()
        let (store, table) = try open(live)
        try store.put(table, ["room", "old", nil])
        let database = DataFolder.database(in: live.path)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: database + suffix, toPath: place.path + "/old" + suffix)
        }
        store.close()
        let other = TemporaryFolder()
        try seed(other, "new")
        try SQLiteStore.backUp(folder: other.path, to: place.path + "/new")

        let steps: [[String: String]] = [
            ["tables.sqlite": "old", "tables.sqlite-wal": "old-wal", "tables.sqlite.restored": "new"],
            ["tables.sqlite.replaced": "old", "tables.sqlite-wal": "old-wal", "tables.sqlite.restored": "new"],
            [
                "tables.sqlite.replaced": "old", "tables.sqlite.replaced-wal": "old-wal",
                "tables.sqlite.restored": "new",
            ],
            ["tables.sqlite.replaced": "old", "tables.sqlite.replaced-wal": "old-wal", "tables.sqlite": "new"],
            ["tables.sqlite.replaced": "old", "tables.sqlite": "new"],
            ["tables.sqlite": "new"],
        ]
        for (number, files) in steps.enumerated() {
            let folder = try makePlace()
            for (name, origin) in files {
                try FileManager.default.copyItem(
                    atPath: place.path + "/" + origin, toPath: folder.path + "/" + name)
            }
            #expect(try keys(folder) == [[number < 3 ? "old" : "new"]], "step \(number)")
            #expect(!names(folder).contains { $0.contains("replaced") || $0.contains("restored") }, "step \(number)")
        }
    }
}
