import Foundation
import Testing

@testable import Tables

/// A restore of an older backup under the eyes of devices that hold items of the data that it replaces.
@Suite("Restores of versioned tables")
struct RestoreVersionTests {
    private static let tombstoneSeconds: Int64 = 86_400

    private let place: TemporaryFolder
    private var file: String { place.path + "/backup" }

    init() throws {
        place = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: true)
    }

    /// Restores the backup to a folder; the clock's time is the restore's.
    @discardableResult
    private func restore(_ folder: TemporaryFolder, _ clock: TestClock) throws -> RestoredVersions? {
        try Restoration(
            of: file, toFolder: folder.path, clock: clock.wallClock, tombstoneSeconds: Self.tombstoneSeconds
        ).complete()
    }

    /// All items by their keys, each as its title, version and whether it is deleted.
    private func items(_ store: VersionedStore) throws -> [String: [Value]] {
        let rows = try store.reader.rows(Fetch(store.table, columns: [0, 1, 6, 7], access: .scan))
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in
                guard case .text(let id) = row[0] else { return ("", row) }
                return (id, Array(row[1...]))
            })
    }

    @Test("items that the backup lacks become tombstones, and every version rises past the one that was replaced")
    func versions() throws {
        let (folder, clock) = (TemporaryFolder(), TestClock())
        var store: VersionedStore? = try VersionedStore(in: folder, clock: clock)
        for id: Value in ["kept", "changed", "deleted", "revived"] { try store?.create(["id": id, "title": "then"]) }
        try store?.delete("revived", 1)
        try SQLiteStore.backUp(folder: folder.path, to: file)

        clock.move(by: 1_000)
        for version in 1...3 { try store?.update("changed", ["title": "now"], Int64(version)) }
        try store?.delete("deleted", 1)
        try store?.create(["id": "revived", "title": "now"], recreates: true)
        try store?.create(["id": "new", "title": "now", "notes": "n", "room": "r"])
        try store?.create(["id": "gone", "title": "now"])
        try store?.delete("gone", 1)
        var device = try Device(#require(store).table)
        try device.sync(#require(store).reader)
        let lastStart = device.lastSync
        // Since then the clock was set back: a stamp is not earlier for that.
        clock.move(by: -500)
        store = nil

        let versions = try restore(folder, clock)
        #expect(versions == RestoredVersions(isComplete: true, deletedCount: 1))
        let restored = try VersionedStore(in: folder, clock: clock)
        #expect(
            try items(restored) == [
                "kept": ["then", 2, nil], "changed": ["then", 5, nil], "deleted": ["then", 3, nil],
                "revived": ["then", 4, 1], "new": ["now", 2, 1], "gone": ["now", 3, 1],
            ])
        let new = try #require(try restored.item("new"))
        let stamp = TestClock.start + 1_000
        #expect(Array(new[2...5]) == ["n", nil, nil, "r"], "a tombstone keeps its attributes")
        #expect(new[8] == .integer(stamp) && new[9] == .integer(stamp / 1_000 + Self.tombstoneSeconds))
        #expect(lastStart <= stamp)

        // The next sync of a device is the base, after which it has what the server has; then deltas again.
        clock.move(by: 1_000)
        let count = device.deltaCount
        try device.sync(restored.reader)
        #expect(device.deltaCount == count)
        #expect(try device.items.count == items(restored).count)
        for (key, item) in device.items { #expect(try restored.item(key[0]) == item) }
        clock.move(by: 1)
        try restored.update("kept", ["title": "later"], 2)
        try device.sync(restored.reader)
        #expect(device.deltaCount > count)
        #expect(try device.items[["kept"]] == restored.item("kept"))
        // Found by its index as well.
        let byRoom = Fetch(restored.table, columns: [0], access: .index(0))
        #expect(try restored.reader.rows(byRoom, "r") == [["new"]])
    }

    @Test("the versions of a key continue after its tombstone was removed")
    func collected() throws {
        let (folder, clock) = (TemporaryFolder(), TestClock())
        var store: VersionedStore? = try VersionedStore(in: folder, clock: clock)
        try store?.create(["id": "a", "title": "then"])
        try SQLiteStore.backUp(folder: folder.path, to: file)
        try store?.create(["id": "b"])
        for (id, version) in [("a", 1), ("a", 2), ("b", 1)] as [(String, Int64)] {
            try store?.delete(.text(id), version)
        }
        clock.move(by: 31 * 86_400_000)
        #expect(try store?.collect() == 2)
        store = nil
        #expect(try restore(folder, clock) == RestoredVersions(isComplete: true, deletedCount: 0))
        let restored = try VersionedStore(in: folder, clock: clock)
        #expect(try items(restored) == ["a": ["then", 4, nil]])
        try restored.create(["id": "b"])
        #expect(try restored.item("b")?[6] == 3)
    }

    @Test("a later restore of the same backup, and one that changes nothing, go on as well")
    func again() throws {
        let (folder, clock) = (TemporaryFolder(), TestClock())
        var store: VersionedStore? = try VersionedStore(in: folder, clock: clock)
        try store?.create(["id": "a", "title": "then"])
        store = nil
        try SQLiteStore.backUp(folder: folder.path, to: file)
        for version in 2...4 {
            #expect(try restore(folder, clock) == RestoredVersions(isComplete: true, deletedCount: 0))
            store = try VersionedStore(in: folder, clock: clock)
            #expect(try store.map(items) == ["a": ["then", .integer(Int64(version)), nil]])
            store = nil
        }
    }

    @Test(
        "where the replaced data cannot be compared, versions rise by a million",
        arguments: ["absent", "empty", "begun anew", "malformed", "foreign"])
    func unknown(kind: String) throws {
        let (origin, folder, clock) = (TemporaryFolder(), TemporaryFolder(), TestClock())
        var store: VersionedStore? = try VersionedStore(in: origin, clock: clock)
        try store?.create(["id": "a", "title": "then"])
        try store?.create(["id": "gone"])
        try store?.delete("gone", 1)
        clock.move(by: 31 * 86_400_000)
        #expect(try store?.collect() == 1)
        store = nil
        try SQLiteStore.backUp(folder: origin.path, to: file)

        let database = DataFolder.database(in: folder.path)
        switch kind {
        case "empty": try SQLiteStore.open(folder).close()
        case "begun anew":
            store = try VersionedStore(in: folder, clock: clock)
            try store?.create(["id": "b", "title": "now"])
            store = nil
        case "malformed":
            try FileManager.default.copyItem(atPath: origin.path, toPath: folder.path)
            var bytes = try Data(contentsOf: URL(fileURLWithPath: database))
            for offset in stride(from: 4_096, to: bytes.count, by: 512) {
                bytes.replaceSubrange(offset..<offset + 8, with: Data(repeating: 0xff, count: 8))
            }
            try bytes.write(to: URL(fileURLWithPath: database))
        case "foreign":
            try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
            try Data("no database".utf8).write(to: URL(fileURLWithPath: database))
        default: break
        }
        let isNew = kind == "begun anew"
        #expect(try restore(folder, clock) == RestoredVersions(isComplete: false, deletedCount: isNew ? 1 : 0))
        let restored = try VersionedStore(in: folder, clock: clock)
        var expected: [String: [Value]] = ["a": ["then", 1_000_001, nil]]
        if isNew { expected["b"] = ["now", 1_000_001, 1] }
        #expect(try items(restored) == expected)
        try restored.create(["id": "gone"])
        #expect(try restored.item("gone")?[6] == 1_000_003)
    }

    @Test("tables and columns that came after the backup keep the items of devices as tombstones")
    func schemas() throws {
        let (folder, clock) = (TemporaryFolder(), TestClock())
        let early = Table(
            name: "Booking", columns: [Column(name: "id", type: .text), Column(name: "title", type: .text)],
            key: KeySchema(partitionKey: 0))
        let pair = Table(
            name: "booking",
            columns: [
                Column(name: "a", type: .text), Column(name: "b", type: .integer), Column(name: "c", type: .text),
            ],
            key: KeySchema(partitionKey: 0, sortKeys: [1, 2]), isVersioned: true)
        func open() throws -> SQLiteStore {
            try SQLiteStore(folder: folder.path, options: .init(durability: .off), clock: clock.wallClock)
        }
        do {
            let store = try open()
            defer { store.close() }
            try store.put(try store.migrate(to: [early])[0], ["a", "then"])
        }
        // An unversioned backup, of an unversioned past.
        try SQLiteStore.backUp(folder: folder.path, to: file)
        #expect(try restore(folder, clock) == nil)
        do {
            let store = try open()
            defer { store.close() }
            let tables = try store.migrate(to: [booking, pair])
            func put(_ table: StoredTable, _ values: [Value]) throws {
                let write = Write(
                    table: table, action: .put(values.enumerated().map { ($0, $1) }), condition: nil, returning: [0],
                    versioning: Versioning(expecting: nil, .automerge))
                guard case .item = try store.perform(write) else { throw StoreError(.other, "not stored") }
            }
            try put(tables[0], ["b", "now", "n", "[1]", nil, "r"])
            try put(tables[1], ["p", 1, "q"])
        }
        clock.move(by: 1)
        #expect(try restore(folder, clock) == RestoredVersions(isComplete: true, deletedCount: 2))
        let store = try open()
        defer { store.close() }
        let tables = try store.migrate(to: [booking, pair])
        func rows(_ table: StoredTable) throws -> [[Value]] {
            let columns = table.table.columns.indices.dropLast(2)
            return try store.makeReader().rows(Fetch(table, columns: Array(columns), access: .scan))
        }
        // `a` got version 1 when versions were switched on, and again in the restored data, and then rose.
        #expect(
            try rows(tables[0]) == [
                ["a", "then", nil, nil, nil, nil, 2, nil], ["b", "now", "n", "[1]", nil, "r", 2, 1],
            ])
        #expect(try rows(tables[1]) == [["p", 1, "q", 2, 1]])
    }

    @Test("random histories: after a restore every version is later than any before, and the rest is the backup's")
    func random() throws {
        let seed = UInt64.testSeed(in: .min ... .max)
        for run in 0..<20 {
            var random = SeededGenerator(seed: seed &+ UInt64(run))
            let (folder, clock) = (TemporaryFolder(), TestClock())
            var store: VersionedStore? = try VersionedStore(in: folder, clock: clock)
            func change(_ count: Int) throws {
                guard let store else { return }
                for _ in 0..<count {
                    let id = Value.text("i\(Int.random(in: 0..<8, using: &random))")
                    let version = try store.item(id)?[6].number
                    let title = Value.text("t\(Int.random(in: 0..<100, using: &random))")
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: try store.create(["id": id, "title": title], recreates: true)
                    case 1, 2: try store.update(id, ["title": title], version)
                    default: try store.delete(id, version)
                    }
                    clock.move(by: Int64.random(in: -50...100, using: &random))
                }
            }
            try change(Int.random(in: 0...30, using: &random))
            let then = try items(#require(store))
            try SQLiteStore.backUp(folder: folder.path, to: file)
            try change(Int.random(in: 0...30, using: &random))
            let now = try items(#require(store))
            var device = try Device(#require(store).table)
            try device.sync(#require(store).reader)
            store = nil
            #expect(try restore(folder, clock)?.isComplete == true, "seed \(seed), run \(run)")
            store = try VersionedStore(in: folder, clock: clock)
            let restored = try items(#require(store))
            var expected = now.mapValues { [$0[0], .integer(($0[1].number ?? 0) + 1), 1] as [Value] }
            for (id, item) in then { expected[id] = [item[0], expected[id]?[1] ?? .null, item[2]] }
            #expect(restored == expected, "seed \(seed), run \(run)")
            try change(5)
            try device.sync(#require(store).reader)
            let held = Dictionary(uniqueKeysWithValues: device.items.values.map { ($0[0], [$0[1], $0[6], $0[7]]) })
            let all = try items(#require(store))
            #expect(held == Dictionary(uniqueKeysWithValues: all.map { (Value.text($0), $1) }), "seed \(seed)")
            store = nil
        }
    }
}
