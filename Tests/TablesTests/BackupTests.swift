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

    @Test("a restoration that is abandoned leaves the folder as it was")
    func abandoned() throws {
        let (folder, place) = (TemporaryFolder(), try makePlace())
        let file = place.path + "/backup"
        try seed(folder, "1")
        try SQLiteStore.backUp(folder: folder.path, to: file)
        try seed(folder, "2")
        let before = names(folder)
        _ = try Restoration(of: file, toFolder: folder.path)
        // Opening a database makes an index of its log, and an empty log.
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
        #expect { try SQLiteStore.backUp(folder: place.path, to: folder.path + "/x") } throws: {
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
            // Who reads without the folder's lock cannot settle it, and must not take the folder for an empty one.
            if files["tables.sqlite"] == nil {
                func isDamage(_ error: any Error) -> Bool { (error as? StoreError)?.code == .damaged }
                #expect { try SQLiteStore.inspect(folder: folder.path) } throws: { isDamage($0) }
                #expect { try StoreSurvey(folder: folder.path) } throws: { isDamage($0) }
            }
            #expect(try keys(folder) == [[number < 3 ? "old" : "new"]], "step \(number)")
            #expect(!names(folder).contains { $0.contains("replaced") || $0.contains("restored") }, "step \(number)")
        }
    }

    @Test("keys that are restored with the data take their place with it, whichever step ends the restore")
    func interruptedKeys() throws {
        let place = try makePlace()
        for name in ["old", "new"] {
            let source = TemporaryFolder()
            try seed(source, name)
            try SQLiteStore.backUp(folder: source.path, to: place.path + "/" + name)
        }
        // What is there: of the database, and of the keys; "-" is the empty folder that says that there was none.
        let steps: [(files: [String: String], keys: [String: String], found: String?)] = [
            (
                ["tables.sqlite": "old", "tables.sqlite.restored": "new"], ["keys": "old", "keys.restored": "new"],
                "old"
            ),
            (["tables.sqlite": "old"], ["keys": "old", "keys.restored": "half"], "old"),
            (
                ["tables.sqlite.replaced": "old", "tables.sqlite.restored": "new"],
                ["keys": "old", "keys.restored": "new"], "old"
            ),
            (["tables.sqlite.replaced": "old"], ["keys": "old"], "old"),
            (
                ["tables.sqlite.replaced": "old", "tables.sqlite": "new"], ["keys": "old", "keys.restored": "new"],
                "new"
            ),
            (
                ["tables.sqlite.replaced": "old", "tables.sqlite": "new"],
                ["keys.replaced": "old", "keys.restored": "new"], "new"
            ),
            (
                ["tables.sqlite.replaced": "old", "tables.sqlite": "new"], ["keys": "new", "keys.replaced": "old"],
                "new"
            ),
            (["tables.sqlite.replaced": "old", "tables.sqlite": "new"], ["keys": "new"], "new"),
            (["tables.sqlite.replaced": "-", "tables.sqlite": "new"], ["keys.restored": "new"], "new"),
            (["tables.sqlite.replaced": "-", "tables.sqlite": "new"], ["keys": "new"], "new"),
            (
                ["tables.sqlite.replaced": "-", "tables.sqlite.restored": "new"],
                ["keys": "old", "keys.restored": "new"], nil
            ),
        ]
        for (number, step) in steps.enumerated() {
            let folder = try makePlace()
            let files = FileManager.default
            for (name, origin) in step.files {
                let path = folder.path + "/" + name
                if origin == "-" {
                    try files.createDirectory(atPath: path, withIntermediateDirectories: false)
                } else {
                    try files.copyItem(atPath: place.path + "/" + origin, toPath: path)
                }
            }
            for (name, text) in step.keys {
                try files.createDirectory(atPath: "\(folder.path)/\(name)/x", withIntermediateDirectories: true)
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)/key"))
                try files.createSymbolicLink(
                    atPath: "\(folder.path)/\(name)/link", withDestinationPath: place.path)
            }
            if let found = step.found {
                #expect(try keys(folder) == [[.text(found)]], "step \(number)")
            } else {
                #expect(try keys(folder).isEmpty)
            }
            let key = try String(contentsOfFile: folder.path + "/keys/key", encoding: .utf8)
            #expect(key == step.found ?? "old", "step \(number)")
            #expect(!names(folder).contains { $0.contains("replaced") || $0.contains("restored") }, "step \(number)")
        }
        #expect(names(place) == ["new", "old"], "no symbolic link was followed")
    }

    @Test("a restore brings prepared keys with the data, or neither")
    func preparedKeys() throws {
        let (folder, place) = (TemporaryFolder(), try makePlace())
        let file = place.path + "/backup"
        try seed(folder, "1")
        try SQLiteStore.backUp(folder: folder.path, to: file)
        let files = FileManager.default
        func prepare(_ path: String, _ text: String) throws {
            try files.createDirectory(atPath: path, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/key"))
        }
        for target in [folder, TemporaryFolder()] {
            let restoration = try Restoration(of: file, toFolder: target.path)
            let keyFolder = restoration.keyFolder
            try prepare(keyFolder, "new")
            try restoration.complete()
            #expect(try String(contentsOfFile: target.path + "/keys/key", encoding: .utf8) == "new")
            #expect(names(target) == ["keys", "lock", "tables.sqlite"])
            #expect(try keys(target) == [["1"]])
        }
        // Abandoned: the next one that locks the folder removes what was prepared.
        do {
            let restoration = try Restoration(of: file, toFolder: folder.path)
            let keyFolder = restoration.keyFolder
            try prepare(keyFolder, "newer")
        }
        #expect(try keys(folder) == [["1"]])
        #expect(try String(contentsOfFile: folder.path + "/keys/key", encoding: .utf8) == "new")
        #expect(!names(folder).contains("keys.restored"))
        var texts: [String] = []
        let restoration = try Restoration(of: file, toFolder: folder.path)
        try restoration.forEachText(inTable: "Message", column: "text") { texts.append($0) }
        try restoration.forEachText(inTable: "Message", column: "none") { _ in Issue.record("no column") }
        try restoration.forEachText(inTable: "None", column: "text") { _ in Issue.record("no table") }
        #expect(texts == ["text"])
    }

    @Test("a backup onto the data itself is refused, by whatever path or link, and so is what is no file")
    func ontoTheData() throws {
        let (folder, place) = (TemporaryFolder(), try makePlace())
        let (store, table) = try open(folder)
        defer { store.close() }
        try store.put(table, ["room", "1", nil])
        let database = DataFolder.database(in: folder.path)
        let files = FileManager.default
        try files.createSymbolicLink(atPath: place.path + "/symbolic", withDestinationPath: database)
        try files.createSymbolicLink(atPath: place.path + "/folder", withDestinationPath: folder.path)
        try files.createDirectory(atPath: folder.path + "/deeper", withIntermediateDirectories: true)
        for name in ["tables.sqlite", "tables.sqlite-wal", "lock", "secret"] {
            _ = try store.secret()
            try files.linkItem(atPath: "\(folder.path)/\(name)", toPath: "\(place.path)/hard-\(name)")
        }
        let before = names(folder)
        let last = URL(fileURLWithPath: folder.path).lastPathComponent
        let paths =
            ["tables.sqlite", "tables.sqlite-wal", "tables.sqlite-shm", "lock", "secret", "new", "deeper/new", "."]
            .flatMap { ["\(folder.path)/\($0)", "\(folder.path)/../\(last)//\($0)", "\(place.path)/folder/\($0)"] }
            + ["symbolic", "folder", "hard-tables.sqlite", "hard-tables.sqlite-wal", "hard-lock", "hard-secret"]
            .map { "\(place.path)/\($0)" } + [place.path, "/dev/null"]
        for path in paths {
            #expect(throws: StoreError.self, "\(path)") { try SQLiteStore.backUp(folder: folder.path, to: path) }
            #expect { try SQLiteStore.checkBackUp(folder: folder.path, to: path) } throws: {
                ($0 as? StoreError)?.code == .invalidRequest
            }
        }
        #expect(names(folder) == before)
        #expect(try store.makeReader().rows(Fetch(table, columns: [1], access: .scan)) == [["1"]])
        // Beside the folder, with a name that begins with its.
        let beside = folder.path + "-backup"
        defer { try? files.removeItem(atPath: beside) }
        try SQLiteStore.backUp(folder: folder.path, to: beside)
        for path in [database, place.path + "/symbolic", place.path + "/hard-tables.sqlite"] {
            #expect { try restore(path, folder) } throws: { ($0 as? StoreError)?.code == .invalidRequest }
        }
    }

    @Test("a backup that fails keeps the earlier one, and leaves nothing beside it")
    func failing() throws {
        let (source, target) = (TemporaryFolder(), try FaultyDisk())
        try seed(source, "1")
        let file = target.folder.path + "/backup"
        try FileManager.default.createDirectory(atPath: target.folder.path, withIntermediateDirectories: true)
        try SQLiteStore.backUp(folder: source.path, to: file)
        let earlier = try Data(contentsOf: URL(fileURLWithPath: file))
        target.leave(bytes: 4_096)
        #expect { try SQLiteStore.backUp(folder: source.path, to: file) } throws: { error in
            guard let error = error as? StoreError else { return false }
            return error.code == .diskFull && error.hint == "Make room on the disk that holds \(file).partial."
        }
        target.mend()
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == earlier)
        #expect(names(target.folder) == ["backup"])
    }

    @Test("what is said of a file that cannot be restored is about the file, and never to restore it from a backup")
    func words() throws {
        let (folder, place) = (TemporaryFolder(), try makePlace())
        try seed(folder, "1", "2", "3")
        func backup(_ name: String, _ change: (String) throws -> Void) throws -> String {
            let file = place.path + "/" + name
            try SQLiteStore.backUp(folder: folder.path, to: file)
            try change(file)
            return file
        }
        func data(_ name: String, _ change: (inout Data) -> Void) throws -> String {
            try backup(name) { file in
                var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
                change(&bytes)
                try bytes.write(to: URL(fileURLWithPath: file))
            }
        }
        func execute(_ sql: String) -> (String) throws -> Void {
            { try Connection(path: $0, mode: .writing, limits: StoreLimits()).execute(sql) }
        }
        let rows: [(file: String, part: String)] = [
            (try data("empty") { $0 = Data() }, "The file is empty. Name a file that 'syncline backup' wrote."),
            (try data("garbage") { $0 = Data("no database at all".utf8) }, "The file is no backup: "),
            (try data("cut") { $0 = $0.prefix($0.count / 2) }, "The backup is malformed"),
            (
                try data("torn") { bytes in
                    for offset in stride(from: 4_096, to: bytes.count, by: 512) { bytes[offset] = 0xff }
                }, "The backup is malformed"
            ),
            (try backup("foreign", execute("PRAGMA application_id = 1")), "The file is no backup of ours."),
            (try backup("newer", execute("PRAGMA user_version = 99")), "The backup was made by a newer version: "),
            (place.path, "The"),
        ]
        for (file, part) in rows {
            #expect("\(file)") {
                try restore(file, folder)
            } throws: { error in
                let text = "\(error)"
                guard let error = error as? StoreError, error.hint != nil else { return false }
                return text.contains(part) && !text.contains("from a backup") && !text.contains("data folder")
            }
        }
        #expect(try keys(folder) == [["1"], ["2"], ["3"]])
        // Nor is a folder made for such a file.
        let fresh = TemporaryFolder()
        #expect(throws: StoreError.self) { try restore(rows[1].file, fresh) }
        #expect(!FileManager.default.fileExists(atPath: fresh.path))
    }

    @Test("a journal that an interrupted run left behind never meets another database")
    func journals() throws {
        let (folder, place) = (TemporaryFolder(), try makePlace())
        let file = place.path + "/backup"
        try seed(folder, "new")
        try SQLiteStore.backUp(folder: folder.path, to: file)
        // A hot journal, as kill -9 leaves it: of an older state of the same length.
        func makeJournal(of database: String) throws {
            try FileManager.default.copyItem(atPath: file, toPath: database + "-seed")
            let connection = try Connection(path: database + "-seed", mode: .writing, limits: StoreLimits())
            try connection.execute("PRAGMA cache_size = 1")
            try connection.execute("BEGIN")
            try connection.execute("UPDATE \"Message\" SET \"text\" = 'changed'")
            try FileManager.default.copyItem(atPath: database + "-seed-journal", toPath: database + "-journal")
            try connection.execute("ROLLBACK")
            try FileManager.default.removeItem(atPath: database + "-seed")
        }
        let other = TemporaryFolder()
        try seed(other, "a", "b", "c", "d")
        let database = DataFolder.database(in: other.path)
        for name in [database, database + ".restored"] { try makeJournal(of: name) }
        try restore(file, other)
        #expect(names(other) == ["lock", "tables.sqlite"])
        #expect(try keys(other) == [["new"]])
    }
}
