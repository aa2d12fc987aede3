import CFaultVFS
import Foundation
import Testing

@testable import Tables

/// A folder on a disk that fails on demand. SQLite's result codes are written out: the tests do not see its header.
struct FaultyDisk {
    static let ioErrorRead: Int32 = 266
    static let ioErrorWrite: Int32 = 778
    static let ioErrorSync: Int32 = 1034

    let folder = TemporaryFolder()
    private let number: Int32

    init() throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        // Tables sets up the library before its first connection, and is to do so before anybody else uses it.
        _ = try Connection(path: ":memory:", mode: .creating, limits: StoreLimits())
        number = unsafe fault_vfs_watch(URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path)
        try #require(number >= 0, "room among the watched folders")
    }

    /// Nothing fails any more.
    func mend() {
        fault_vfs_set_space(number, -1)
        fault_vfs_set_codes(number, 0, 0, 0)
        fault_vfs_set_read_only(number, 0)
    }

    func leave(bytes: Int) { fault_vfs_set_space(number, Int64(bytes)) }
    func failWrites(_ code: Int32 = ioErrorWrite) { fault_vfs_set_codes(number, code, 0, 0) }
    func failSyncs() { fault_vfs_set_codes(number, 0, Self.ioErrorSync, 0) }
    func failReads() { fault_vfs_set_codes(number, 0, 0, Self.ioErrorRead) }
    func failAll() { fault_vfs_set_codes(number, Self.ioErrorWrite, Self.ioErrorSync, Self.ioErrorRead) }
    func becomeReadOnly() { fault_vfs_set_read_only(number, 1) }
    func keepSynced() { fault_vfs_keep_synced(number) }
    var syncCount: Int64 { fault_vfs_sync_count(number) }
}

@Suite("A disk that fails")
struct FaultTests {
    enum Fault: CaseIterable { case full, write, sync, all }

    private func set(_ fault: Fault, on disk: FaultyDisk) {
        switch fault {
        case .full: disk.leave(bytes: 0)
        case .write: disk.failWrites()
        case .sync: disk.failSyncs()
        case .all: disk.failAll()
        }
    }

    private func keys(_ store: SQLiteStore, _ table: StoredTable) throws -> [[Value]] {
        try store.makeReader().rows(Fetch(table, columns: [1], access: .scan))
    }

    private func expectIntegrity(_ folder: TemporaryFolder) throws {
        let connection = try Connection(
            path: DataFolder.database(in: folder.path), mode: .reading, limits: StoreLimits())
        #expect(try connection.rows("PRAGMA integrity_check", columns: 1).map(\.values) == [["ok"]])
    }

    @Test(
        "a write that fails says so; what was acknowledged stays; when the fault is gone, writes go on",
        arguments: Fault.allCases)
    func recovers(fault: Fault) throws {
        let disk = try FaultyDisk()
        let text = Value.text(String(repeating: "x", count: 20_000))
        var acknowledged: [[Value]] = []
        do {
            let store = try SQLiteStore.open(disk.folder, durability: .full)
            defer { store.close() }
            let table = try store.migrate(to: [message])[0]
            for round in 0..<5 {
                let key = Value.text("\(round) before")
                try store.put(table, ["room", key, text])
                acknowledged.append([key])
                set(fault, on: disk)
                var failureCount = 0
                for attempt in 0..<200 where failureCount < 3 {
                    let key = Value.text("\(round) during \(attempt)")
                    do {
                        try store.put(table, ["room", key, text])
                        // A log that was begun anew has room in it, on a full disk too.
                        #expect(fault == .full)
                        acknowledged.append([key])
                    } catch let error as StoreError {
                        #expect(error.code == (fault == .full ? .diskFull : .ioError))
                        failureCount += 1
                    }
                }
                #expect(failureCount == 3)
                disk.mend()
                #expect(try keys(store, table) == acknowledged, "round \(round)")
            }
            #expect(store.statistics.queueCount == 0)
        }
        try expectIntegrity(disk.folder)
        let store = try SQLiteStore.open(disk.folder)
        defer { store.close() }
        #expect(try keys(store, try store.migrate(to: [message])[0]) == acknowledged)
    }

    @Test("all writes of a transaction are refused when it cannot be committed")
    func wholeBatch() throws {
        let disk = try FaultyDisk()
        let store = try SQLiteStore.open(disk.folder, durability: .full)
        defer { store.close() }
        let table = try store.migrate(to: [message])[0]
        let foreign = try Connection(
            path: DataFolder.database(in: disk.folder.path), mode: .writing, limits: StoreLimits())
        try foreign.execute("BEGIN IMMEDIATE")
        let answers = Monitor<[Result<WriteResult, StoreError>]>([])
        for index in 0..<100 {
            let write = Write(table: table, action: .put([(0, "r"), (1, .text("\(index)"))]), returning: [])
            store.write(write, on: TestExecutor()) { answer in
                answers.update { answers in
                    answers.append(answer)
                    return true
                }
            }
        }
        // All of them wait for the lock; the synchronisation at the end of their one transaction fails.
        disk.failSyncs()
        try foreign.execute("ROLLBACK")
        let all = answers.wait { $0.count == 100 ? $0 : nil }
        for answer in all { #expect(throws: StoreError.self) { try answer.get() } }
        #expect(try keys(store, table).isEmpty)
        disk.mend()
        try store.put(table, ["r", "after", nil])
        #expect(try keys(store, table) == [["after"]])
    }

    @Test("on a full disk the log is copied and begun anew, so that small writes find room in it")
    func roomInLog() throws {
        let disk = try FaultyDisk()
        let store = try SQLiteStore.open(disk.folder, durability: .full)
        let table = try store.migrate(to: [message])[0]
        let text = Value.text(String(repeating: "x", count: 20_000))
        for index in 0..<20 { try store.put(table, ["room", .text("\(index)"), text]) }
        // Items in the database, and free pages: only the log is in the way.
        store.close()
        let reopened = try SQLiteStore.open(disk.folder, durability: .full)
        defer { reopened.close() }
        let stored = try reopened.migrate(to: [message])[0]
        func delete(_ index: Int) throws {
            let write = Write(table: stored, action: .delete(key: ["room", .text("\(index)")]), returning: [])
            #expect(try reopened.perform(write) != .conditionFailed())
        }
        for index in 0..<5 { try delete(index) }
        disk.leave(bytes: 0)
        var done = 0
        var refused = 0
        for _ in 0..<2_000 where done < 10 {
            do {
                try delete(done + 5)
                done += 1
            } catch let error as StoreError {
                #expect(error.code == .diskFull)
                refused += 1
            }
        }
        #expect(done == 10 && refused > 0, "\(done) done, \(refused) refused")
    }

    @Test("a read that fails says so, and the next one succeeds")
    func reads() throws {
        let disk = try FaultyDisk()
        var limits = StoreLimits()
        limits.pageCacheBytes = 16 << 10
        let store = try SQLiteStore.open(disk.folder, limits: limits)
        defer { store.close() }
        let table = try store.migrate(to: [message])[0]
        let text = Value.text(String(repeating: "x", count: 2_000))
        for index in 0..<200 { try store.put(table, ["room", .text("\(index)"), text]) }
        let reader = try store.makeReader()
        let fetch = Fetch(table, columns: [1, 2], access: .scan)
        for _ in 0..<3 {
            disk.failReads()
            #expect { try reader.rows(fetch) } throws: { ($0 as? StoreError)?.code == .ioError }
            disk.mend()
            reader.endTurn()
            #expect(try reader.rows(fetch).count == 200)
        }
    }

    @Test("the log cannot be copied while the disk fails, and is copied later; no write is lost by it")
    func checkpoints() throws {
        let disk = try FaultyDisk()
        var limits = StoreLimits()
        limits.checkpointPages = 8
        let store = try SQLiteStore.open(disk.folder, limits: limits, durability: .off)
        defer { store.close() }
        let table = try store.migrate(to: [message])[0]
        for round in 0..<20 {
            for index in 0..<10 { try store.put(table, ["room", .text("\(round) \(index)"), "x"]) }
            disk.failSyncs()
            for index in 10..<20 { _ = try? store.put(table, ["room", .text("\(round) \(index)"), "x"]) }
            disk.mend()
        }
        let rows = try keys(store, table)
        #expect(rows.count == Int(store.statistics.writes) && rows.count >= 200)
        try expectIntegrity(disk.folder)
    }

    @Test("a folder that can only be read is refused when the store opens, and when there is nothing in it yet")
    func readOnly() throws {
        let disk = try FaultyDisk()
        func open() throws {
            let store = try SQLiteStore.open(disk.folder)
            defer { store.close() }
            _ = try store.migrate(to: [message, task])
        }
        disk.becomeReadOnly()
        #expect { try open() } throws: { ($0 as? StoreError)?.code == .notWritable }
        disk.mend()
        try SQLiteStore.open(disk.folder).close()
        disk.becomeReadOnly()
        #expect { try open() } throws: { ($0 as? StoreError)?.code == .notWritable }
        disk.mend()
        try open()
    }

    @Test("a commit is synchronised before it is acknowledged")
    func synchronised() throws {
        let disk = try FaultyDisk()
        let store = try SQLiteStore.open(disk.folder, durability: .full)
        defer { store.close() }
        let table = try store.migrate(to: [message])[0]
        for index in 0..<10 {
            let before = disk.syncCount
            try store.put(table, ["room", .text("\(index)"), nil])
            #expect(disk.syncCount > before)
        }
    }

    @Test("after the loss of power, what was synchronised and any part of the rest hold every acknowledged write")
    func power() throws {
        let seed = UInt64.testSeed(in: 1...1_000_000)
        print("Loss of power, seed \(seed).")
        var random = SeededGenerator(seed: seed)
        for round in 0..<12 {
            let disk = try FaultyDisk()
            var limits = StoreLimits()
            // The log is copied, and begun anew, several times.
            limits.checkpointPages = 10
            limits.batchCountMax = 8
            disk.keepSynced()
            let store = try SQLiteStore.open(disk.folder, limits: limits, durability: .full)
            defer { store.close() }
            let table = try store.migrate(to: [message])[0]
            let answers = Monitor<(done: Set<String>, count: Int)>(([], 0))
            let count = Int.random(in: 40...300, using: &random)
            let cut = Int.random(in: 20..<count, using: &random)
            for number in 0..<count {
                let text = String(repeating: "x", count: Int.random(in: 0...4_000, using: &random))
                let put = Write.Action.put([(0, "room"), (1, .text("\(number)")), (2, .text(text))])
                store.write(Write(table: table, action: put, returning: []), on: TestExecutor()) { answer in
                    answers.update { answers in
                        if case .success = answer { answers.done.insert("\(number)") }
                        answers.count += 1
                        return true
                    }
                }
                if number == cut {
                    // Some are under way; from here on nothing reaches the disk.
                    usleep(UInt32.random(in: 0...2_000, using: &random))
                    disk.failWrites()
                }
            }
            let acknowledged = answers.wait { $0.count == count ? $0.done : nil }

            let after = TemporaryFolder()
            try FileManager.default.createDirectory(atPath: after.path, withIntermediateDirectories: true)
            for suffix in ["", "-wal"] {
                let name = DataFolder.database(in: disk.folder.path) + suffix
                guard let present = try? Data(contentsOf: URL(fileURLWithPath: name)) else { continue }
                let synced = (try? Data(contentsOf: URL(fileURLWithPath: name + ".synced"))) ?? Data()
                let left = mix(synced, present, using: &random)
                try left.write(to: URL(fileURLWithPath: DataFolder.database(in: after.path) + suffix))
            }
            disk.mend()
            let restarted = try SQLiteStore.open(after)
            defer { restarted.close() }
            let stored = try restarted.migrate(to: [message])[0]
            let found = Set(try keys(restarted, stored).map { if case .text(let key)? = $0.first { key } else { "" } })
            #expect(found.isSuperset(of: acknowledged), "seed \(seed), round \(round)")
            #expect(found.count < count || acknowledged.count == count, "seed \(seed), round \(round)")
            try expectIntegrity(after)
        }
    }

    @Test("a migration that ends in the middle, by a full or failing disk or the loss of power, has changed nothing")
    func migration() throws {
        let seed = UInt64.testSeed(in: 1...1_000_000)
        print("Interrupted migrations, seed \(seed).")
        var random = SeededGenerator(seed: seed)
        var retyped = message
        retyped.columns.append(Column(name: "stars", type: .integer))
        var filled = retyped
        filled.columns[1].type = .integer
        let countMax = 120
        for round in 0..<10 {
            let disk = try FaultyDisk()
            disk.keepSynced()
            let store = try SQLiteStore.open(disk.folder, durability: .full)
            let table = try store.migrate(to: [filled])[0]
            let text = Value.text(String(repeating: "x", count: 3_000))
            for number in 0..<countMax { try store.put(table, ["room", .integer(Int64(number)), text, nil]) }
            // A random part of the copy reaches the disk, or all of it but the last synchronisation.
            if round == 0 { disk.failSyncs() } else { disk.leave(bytes: Int.random(in: 0...300_000, using: &random)) }
            #expect(throws: StoreError.self, "seed \(seed), round \(round)") {
                try store.migrate(to: [retyped], allowing: .converts)
            }
            let after = TemporaryFolder()
            try FileManager.default.createDirectory(atPath: after.path, withIntermediateDirectories: true)
            for suffix in ["", "-wal"] {
                let name = DataFolder.database(in: disk.folder.path) + suffix
                guard let present = try? Data(contentsOf: URL(fileURLWithPath: name)) else { continue }
                let synced = (try? Data(contentsOf: URL(fileURLWithPath: name + ".synced"))) ?? Data()
                try mix(synced, present, using: &random).write(
                    to: URL(fileURLWithPath: DataFolder.database(in: after.path) + suffix))
            }
            disk.mend()
            store.close()
            for folder in [disk.folder, after] {
                let restarted = try SQLiteStore.open(folder)
                defer { restarted.close() }
                // After a failed synchronisation the commit may have reached the disk: then it is there as a whole.
                let isOld = try restarted.plan(for: [filled]).isEmpty
                #expect(try isOld || restarted.plan(for: [retyped]).isEmpty, "seed \(seed), round \(round)")
                let stored = try restarted.migrate(to: [isOld ? filled : retyped])[0]
                let expected = (0..<countMax).map { [isOld ? Value.integer(Int64($0)) : .text("\($0)")] }
                #expect(try keys(restarted, stored) == expected, "seed \(seed), round \(round)")
                try expectIntegrity(folder)
            }
        }
    }

    /// What a disk may hold after the loss of power: of each sector that was not synchronised, the old state or the new.
    private func mix(_ synced: Data, _ present: Data, using random: inout SeededGenerator) -> Data {
        var result = Data()
        for start in stride(from: 0, to: max(synced.count, present.count), by: 512) {
            let (old, new) = (synced.dropFirst(start).prefix(512), present.dropFirst(start).prefix(512))
            // Past the end of what was synchronised, a file either grew or did not.
            let isNew = Bool.random(using: &random)
            if old.isEmpty, !isNew { break }
            result += isNew && !new.isEmpty ? new : old
        }
        return result
    }
}
