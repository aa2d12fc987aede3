import Synchronization
import Testing

@testable import Tables

/// The numbers are those of the conformance scenarios for DataStore.
@Suite("Syncs of versioned tables")
struct SyncTests {
    private func fill(_ store: VersionedStore, _ count: Int) throws {
        for index in 0..<count { try store.create(["id": .text("b\(index)"), "title": "t"]) }
    }

    private func start(_ store: VersionedStore) throws -> SyncStart {
        store.reader.beginRequest(budget: Budget())
        return try store.reader.beginSync(of: store.table)
    }

    private func start(_ stamps: Stamps) -> Int64? { try? stamps.withStart { $0 } }

    private func all(_ store: VersionedStore) throws -> [[Value]: [Value]] {
        let rows = try store.reader.rows(Fetch(store.table, columns: store.columns, access: .scan))
        return Dictionary(uniqueKeysWithValues: rows.map { ([$0[0]], $0) })
    }

    @Test("changes between the pages are in this sync or in the next delta, which has nothing else")
    func betweenPages() throws {
        let store = try VersionedStore()
        var device = Device(store.table)
        try device.sync(store.reader)
        #expect(device.items.isEmpty && device.lastSync == TestClock.start)
        store.clock.move(by: 1)
        try fill(store, 50)
        // The first sync found nothing, but it began, and so this one is a delta.
        var page = 0
        try device.sync(store.reader) {
            page += 1
            store.clock.move(by: 1)
            // Returned already, not yet returned, deleted, new.
            try store.update(.text("b\(page)"), ["title": "u"], 1)
            try store.update(.text("b\(49 - page)"), ["title": "u"], 1)
            try store.delete(.text("b\(24 + page)"), nil)
            try store.delete(.text("b\(24 + page)"), 1)
            try store.create(["id": .text("a\(page)")])
        }
        #expect(page > 5)
        try device.sync(store.reader)
        #expect(try device.items == all(store))
        store.clock.move(by: 1)
        try device.sync(store.reader)
        let count = device.deltaCount
        store.clock.move(by: 1)
        try device.sync(store.reader)
        #expect(device.deltaCount == count)
        // 36: several changes of an item are one.
        for version in 1...3 { try store.update("b0", ["title": "v"], Int64(version)) }
        try device.sync(store.reader)
        #expect(device.deltaCount == count + 1)
        #expect(try device.items == all(store))
    }

    @Test("a sync that begins while a change is under way starts no later than its stamp")
    func inFlight() throws {
        let clock = TestClock()
        let stamps = Stamps(clock.wallClock, after: 0, tombstoneSeconds: 0)
        let stamp = stamps.begin()
        clock.move(by: 500)
        #expect(start(stamps) == stamp)
        clock.move(by: -2_000)
        #expect(start(stamps) == stamp - 1_500, "never in the future")
        clock.move(by: 2_000)
        stamps.end()
        let begun = try #require(start(stamps))
        #expect(begun == stamp + 500)
        // 43: the clock steps back, and no stamp is below a start that was given out.
        clock.move(by: -5_000)
        #expect(stamps.begin() == begun)
        stamps.end()
        #expect(start(stamps) == begun - 5_000)
        #expect(stamps.begin() == begun)
    }

    @Test(
        "the stamp does not decrease when the clock steps back, nor over a restart, nor when the latest item goes")
    func clockStepsBack() throws {
        let folder = TemporaryFolder()
        let clock = TestClock()
        var latest = TestClock.start
        do {
            let store = try VersionedStore(in: folder, clock: clock)
            try fill(store, 2)
            clock.move(by: 9_000)
            latest = clock.milliseconds
            try store.delete("b0", 1)
            clock.move(by: -5_000)
            try store.update("b1", ["title": "u"], 1)
            #expect(try store.item("b1")?[8] == .integer(latest))
            clock.move(by: 40 * 86_400_000)
            #expect(try store.collect() == 1)
            clock.move(by: -40 * 86_400_000)
            try store.store.migrate(to: [booking]).forEach { _ in }
        }
        let store = try VersionedStore(in: folder, clock: clock)
        try store.create(["id": "b2"])
        #expect(try store.item("b2")?[8] == .integer(latest))
    }

    @Test("after removal the versions of a key continue, and a delta that would miss the tombstone is detected")
    func collection() throws {
        let store = try VersionedStore()
        try fill(store, 10)
        for index in 0..<6 {
            store.clock.move(by: 1_000)
            try store.delete(.text("b\(index)"), 1)
        }
        let early = try start(store)
        #expect(early.deltaHorizon == 0)
        #expect(try store.collect() == 0)
        store.clock.move(by: 30 * 86_400_000 - 3_000)
        #expect(try store.collect(countMax: 2) == 2, "those whose time has come first")
        #expect(try start(store).deltaHorizon == TestClock.start + 2_000)
        #expect(try store.item("b1") == nil)
        #expect(try store.item("b2") != nil)
        #expect(try store.collect(countMax: 2) == 1)
        store.clock.move(by: 86_400_000)
        #expect(try store.collect() == 3)
        #expect(try store.collect() == 0)
        #expect(try start(store).deltaHorizon == TestClock.start + 6_000)
        #expect(try store.update("b1", ["title": "u"], 2) == .conditionFailed(nil))
        try store.create(["id": "b1"])
        #expect(try store.item("b1")?[6] == 3)
        try store.delete("b1", 3)
        store.clock.move(by: 31 * 86_400_000)
        #expect(try store.collect() == 1)
        try store.create(["id": "b1"])
        #expect(try store.item("b1")?[6] == 5)
    }

    @Test("an item that is live again is not removed when the time of its tombstone comes")
    func revived() throws {
        let store = try VersionedStore()
        try fill(store, 1)
        try store.delete("b0", 1)
        try store.create(["id": "b0"], recreates: true)
        store.clock.move(by: 31 * 86_400_000)
        #expect(try store.collect() == 0)
        #expect(try store.item("b0")?[6] == 3)
    }

    @Test("clearing a table keeps the numbering, and every delta since before is known to miss it")
    func clearing() throws {
        let store = try VersionedStore()
        try fill(store, 3)
        try store.update("b1", ["title": "u"], 1)
        let before = try start(store)
        let isDone = Monitor(false)
        store.store.clear([store.table], on: TestExecutor()) { result in
            isDone.update { isDone in
                if case .success = result { isDone = true }
                return true
            }
        }
        isDone.wait { $0 ? () : nil }
        #expect(try store.item("b1") == nil)
        #expect(try start(store).deltaHorizon >= before.startedAt)
        try store.create(["id": "b1"])
        #expect(try store.item("b1")?[6] == 3)
    }

    @Test("a delta costs what changed, and a base page its rows")
    func cost() throws {
        var limits = StoreLimits()
        limits.stepsPerLook = 100
        let store = try VersionedStore(limits: limits)
        try fill(store, 2_000)
        store.clock.move(by: 1)
        let since = try start(store).startedAt
        for index in 0..<5 { try store.update(.text("b\(index)"), ["title": "u"], 1) }
        let sort = SortCondition(sortOperator: .ge, operands: [[.integer(since)]])
        func count(_ access: Access, _ sort: SortCondition?, limit: Int) throws -> Int {
            store.reader.beginRequest(budget: .loop(steps: 400))
            let fetch = Fetch(store.table, columns: store.columns, access: access, sort: sort?.shape)
            let cursor = try store.reader.open(fetch, partitionKey: nil, sort: sort, after: nil, limit: limit)
            defer { cursor.close() }
            var count = 0
            while try cursor.next() { count += 1 }
            return count
        }
        #expect(try count(.changes, sort, limit: 1_000) == 5)
        #expect(try count(.scan, nil, limit: 5) == 5)
        #expect { try count(.scan, nil, limit: 1_000) } throws: { ($0 as? StoreError)?.code == .repeatOnWorker }
    }

    @Test("a delta reads by the index on _lastChangedAt, without a sorter; tombstones are found by their time")
    func plans() throws {
        let store = try VersionedStore()
        let connection = try Connection(
            path: DataFolder.database(in: store.folder.path), mode: .reading, limits: StoreLimits())
        func explain(_ sql: String) throws -> [String] {
            try connection.rows("EXPLAIN QUERY PLAN " + sql, columns: 4).map {
                if case .text(let detail) = $0.values[3] { detail } else { "" }
            }
        }
        let since = SortShape(sortOperator: .ge, partCounts: [1])
        let filter = ParameterizedCondition(.compare(column: 5, .eq, "r"), of: store.table.table).shape
        let search = "SEARCH t USING INDEX Booking#_lastChangedAt (_lastChangedAt"
        for drops in [false, true] {
            func fetch(_ continues: Bool) -> Fetch {
                Fetch(
                    store.table, columns: store.columns, access: .changes, sort: since, continues: continues,
                    filter: filter, filterDropsRows: drops)
            }
            #expect(try explain(fetch(false).sql) == [search + ">?)"])
            #expect(
                try explain(fetch(true).sql) == [
                    "MERGE (UNION ALL)", "LEFT", search + "=? AND rowid>?)", "RIGHT", search + ">?)",
                ])
        }
        let versioning = try #require(store.table.versioning)
        for sql in [SQLText.due(store.table, versioning, ttl: (1, 2))]
            + SQLText.collect(store.table, versioning, ttl: (1, 2))
        {
            let plan = try explain(sql.text).joined(separator: "; ")
            #expect(plan.contains("INDEX Booking#_ttl (_ttl<?)"))
            #expect(!plan.contains("TEMP B-TREE") && !plan.contains("SCAN Booking"), "\(plan)")
        }
    }

    /// Writers on several threads, a clock that jumps about, a device that syncs all the while: whatever is missed by a
    /// sync and by all that follow it stays missing, and is found at the end.
    @Test("no change is lost to a device that syncs while others write", arguments: [1, 2, 3] as [UInt64])
    func concurrent(seed: UInt64) throws {
        let store = try VersionedStore()
        let (table, database) = (store.table, store.store)
        let columns = store.columns
        let clock = store.clock
        let running = Atomic<Int>(3)
        let lateness = Atomic<Int>(0)
        var device = Device(table)
        // Threads of their own: those that run tests are as many as cores, and this one is busy.
        let writers = try (0..<3).map { writer in
            try StoreThread {
                var random = SeededGenerator(seed: seed &* 31 &+ UInt64(writer))
                for _ in 0..<400 {
                    clock.move(by: Int64.random(in: -4...6, using: &random))
                    let key = Value.text("b\(Int.random(in: 0..<40, using: &random))")
                    let version = Int64.random(in: 0...6, using: &random)
                    let action: Write.Action =
                        switch Int.random(in: 0..<4, using: &random) {
                        case 0: .put([(0, key)])
                        case 1: .delete(key: [key])
                        default: .update(key: [key], [(1, .text("w\(writer)"))])
                        }
                    let write = Write(
                        table: table, action: action, returning: columns,
                        versioning: Versioning(expecting: version, .automerge, recreatesOverTombstone: true))
                    if (try? database.perform(write)) == nil { lateness.add(1, ordering: .relaxed) }
                }
                running.subtract(1, ordering: .sequentiallyConsistent)
            }
        }
        while running.load(ordering: .sequentiallyConsistent) > 0 { try device.sync(store.reader, limit: 3) }
        for writer in writers { writer.join() }
        try device.sync(store.reader)
        #expect(lateness.load(ordering: .relaxed) == 0)
        #expect(try device.items == all(store))
        #expect(try !all(store).isEmpty && device.deltaCount > 0)
    }

    @Test("a change whose commit fails is not made, and the next one is reported")
    func failingDisk() throws {
        let disk = try FaultyDisk()
        let clock = TestClock()
        let store = try VersionedStore(in: disk.folder, clock: clock)
        try fill(store, 3)
        var device = Device(store.table)
        clock.move(by: 1)
        try device.sync(store.reader)
        for round in 1...3 {
            disk.failAll()
            #expect(throws: StoreError.self) { try store.update("b0", ["title": "lost"], Int64(round)) }
            #expect(throws: StoreError.self) { try store.delete("b1", 1) }
            clock.move(by: 1)
            disk.mend()
            try device.sync(store.reader)
            guard case .stored(let item) = try store.update("b0", ["title": "u"], Int64(round)) else {
                return #expect(Bool(false))
            }
            #expect(item[6] == .integer(Int64(round + 1)))
            clock.move(by: 1)
            try device.sync(store.reader)
            #expect(try device.items == all(store))
        }
    }
}
