import Testing

@testable import Tables

@Suite("Versioning is switched on over what is stored, and off only when that was asked for")
struct VersionedMigrationTests {
    private static let plain = Table(
        name: "Booking", columns: Array(booking.columns.prefix(6)), key: booking.key, indexes: booking.indexes)

    private func open<Success>(
        _ folder: TemporaryFolder, _ clock: TestClock = TestClock(), _ body: (SQLiteStore) throws -> Success
    ) throws -> Success {
        let store = try SQLiteStore(
            folder: folder.path, options: .init(durability: .off), clock: clock.wallClock)
        defer { store.close() }
        return try body(store)
    }

    private func metadata(_ store: SQLiteStore, _ table: StoredTable) throws -> [[Value]] {
        let columns = [0] + Array(try #require(table.table.metadata).positions)
        return try store.makeReader().rows(Fetch(table, columns: columns, access: .scan))
    }

    private func fill(_ folder: TemporaryFolder) throws {
        try open(folder) { store in
            let table = try store.migrate(to: [Self.plain])[0]
            for id in ["1", "2"] as [Value] { try store.put(table, [id, "t", nil, nil, nil, "r"]) }
        }
    }

    private func perform(_ store: SQLiteStore, _ table: StoredTable, _ action: Write.Action, _ version: Int64) throws {
        let write = Write(
            table: table, action: action, returning: [], versioning: Versioning(expecting: version, .automerge))
        guard case .item = try store.perform(write) else { return #expect(Bool(false), "\(action)") }
    }

    @Test("a versioned table has four columns more, two indexes and the last versions")
    func schemaText() throws {
        let table = Table(
            name: "Seat", columns: Array(seat.columns.prefix(3)), key: seat.key, isVersioned: true)
        let statements = try Migration(from: Catalog(), to: [table], stamp: 7).changes.flatMap(\.statements)
        #expect(
            statements.map(\.text) == [
                """
                CREATE TABLE "Seat" ("#" INTEGER PRIMARY KEY, "hall" TEXT, "row" INTEGER, "place" TEXT, \
                "_version" INTEGER, "_deleted" INTEGER, "_lastChangedAt" INTEGER, "_ttl" INTEGER, \
                "row#place" TEXT GENERATED ALWAYS AS ("row" || '#' || "place") VIRTUAL)
                """,
                #"CREATE UNIQUE INDEX "Seat#" ON "Seat" ("hall", "row#place")"#,
                CatalogVersioning.makeCatalog, "PRAGMA user_version = 2",
                """
                CREATE TABLE "Seat#versions" ("partition", "sort", "version" INTEGER NOT NULL, \
                PRIMARY KEY ("partition", "sort")) WITHOUT ROWID
                """,
                """
                UPDATE "Seat" AS t SET "_lastChangedAt" = ?1, "_version" = 1 + max(ifnull("_version", 0), \
                ifnull((SELECT v."version" FROM "Seat#versions" AS v WHERE v."partition" = t."hall" \
                AND v."sort" = t."row#place"), 0))
                """,
                #"CREATE INDEX "Seat#_lastChangedAt" ON "Seat" ("_lastChangedAt")"#,
                #"CREATE INDEX "Seat#_ttl" ON "Seat" ("_ttl") WHERE "_ttl" IS NOT NULL"#,
            ])
        #expect(statements.map(\.values) == [[], [], [], [], [], [7], [], []])
    }

    @Test("items that are there get version 1 and the time of the migration, without being asked")
    func switchedOn() throws {
        let folder = TemporaryFolder()
        try fill(folder)
        #expect(
            try SQLiteStore.inspect(folder: folder.path)?.plan(for: [booking]).map(\.effect).max()
                == MigrationStep.Effect.none)
        let clock = TestClock()
        clock.move(by: 77)
        try open(folder, clock) { store in
            let table = try store.migrate(to: [booking])[0]
            let stamp = Value.integer(TestClock.start + 77)
            #expect(try metadata(store, table) == [["1", 1, nil, stamp, nil], ["2", 1, nil, stamp, nil]])
            try perform(store, table, .update(key: ["1"], [(1, "u")]), 1)
        }
        try open(folder) { store in
            #expect(try store.plan(for: [booking]) == [])
            let table = try store.migrate(to: [booking])[0]
            #expect(try metadata(store, table).map { $0[1] } == [2, 1])
        }
    }

    @Test("a file becomes one that older programs refuse when its first table is versioned")
    func fileVersion() throws {
        let folder = TemporaryFolder()
        func version() throws -> Int64? {
            let connection = try Connection(
                path: DataFolder.database(in: folder.path), mode: .reading, limits: StoreLimits())
            return try connection.rows("PRAGMA user_version", columns: 1).first?.integer(0)
        }
        try fill(folder)
        #expect(try version() == 1)
        try open(folder) { _ = try $0.migrate(to: [booking]) }
        #expect(try version() == 2)
    }

    @Test("switching off is refused with what would be lost, and versions continue when it is switched on again")
    func switchedOff() throws {
        let folder = TemporaryFolder()
        try fill(folder)
        try open(folder) { store in
            let table = try store.migrate(to: [booking])[0]
            for version in 1...4 { try perform(store, table, .update(key: ["1"], []), Int64(version)) }
            try perform(store, table, .delete(key: ["2"]), 1)
            #expect {
                try store.migrate(to: [Self.plain], allowing: .converts)
            } throws: {
                guard case .refusedMigration(let steps)? = ($0 as? StoreError)?.code else { return false }
                return steps.map(\.summary) == ["Switch the versions of table Booking off."] && steps[0].hint != nil
            }
            #expect(try metadata(store, table).map { $0[1] } == [5, 2])
        }
        try open(folder) { store in
            let table = try store.migrate(to: [Self.plain], allowing: .losesData)[0]
            let keys = Fetch(table, columns: [0], access: .scan)
            #expect(try store.makeReader().rows(keys) == [["1"]], "the tombstone is gone")
            try store.put(table, ["2", nil, nil, nil, nil, nil])
            try store.put(table, ["3", nil, nil, nil, nil, nil])
        }
        try open(folder) { store in
            let table = try store.migrate(to: [booking])[0]
            #expect(try metadata(store, table).map { [$0[0], $0[1]] } == [["1", 6], ["2", 3], ["3", 1]])
        }
    }

    @Test("a table that is copied keeps its tombstones, and everything in it counts as changed")
    func copied() throws {
        let folder = TemporaryFolder()
        try fill(folder)
        let clock = TestClock()
        try open(folder, clock) { store in
            let table = try store.migrate(to: [booking])[0]
            try perform(store, table, .delete(key: ["2"]), 1)
        }
        clock.move(by: 9)
        var retyped = booking
        retyped.columns[2].type = .json
        var rekeyed = retyped
        rekeyed.key = KeySchema(partitionKey: 5, sortKeys: [0])
        for (table, versions) in [(retyped, [2, 3] as [Value]), (rekeyed, [3, 4])] {
            try open(folder, clock) { store in
                let stored = try store.migrate(to: [table], allowing: .losesData)[0]
                let items = try metadata(store, stored)
                #expect(items.map { $0[1] } == versions)
                #expect(items.map { $0[2] } == [nil, 1])
                #expect(items.allSatisfy { $0[3] == .integer(clock.milliseconds) })
                #expect(try store.plan(for: [table]) == [])
            }
        }
        try open(folder, clock) { store in
            let table = try store.migrate(to: [rekeyed])[0]
            try perform(store, table, .update(key: ["r", "1"], [(1, "u")]), 3)
            let connection = try Connection(
                path: DataFolder.database(in: folder.path), mode: .reading, limits: StoreLimits())
            #expect(try connection.rows("PRAGMA integrity_check", columns: 1).map(\.values) == [["ok"]])
        }
    }

    @Test("a copy that only widens a type keeps versions, tombstones and stamps as they are")
    func widened() throws {
        var counted = booking
        counted.columns[2].type = .integer
        let folder = TemporaryFolder()
        let clock = TestClock()
        let before = try open(folder, clock) { store in
            let table = try store.migrate(to: [counted])[0]
            for id in ["1", "2"] as [Value] {
                let write = Write(
                    table: table, action: .put([(0, id), (2, 5)]), returning: [],
                    versioning: Versioning(expecting: nil, .automerge))
                _ = try store.perform(write)
            }
            try perform(store, table, .delete(key: ["2"]), 1)
            return try metadata(store, table)
        }
        clock.move(by: 9)
        counted.columns[2].type = .real
        try open(folder, clock) { store in
            let table = try store.migrate(to: [counted])[0]
            #expect(try metadata(store, table) == before)
            try perform(store, table, .update(key: ["1"], [(2, 5.5)]), 1)
        }
    }

    @Test("the last versions of removed items follow a key that is converted, and the horizon of deltas stays")
    func convertedKey() throws {
        let folder = TemporaryFolder()
        var table = booking
        table.columns[0].type = .integer
        func lastVersions() throws -> [[Value]] {
            let connection = try Connection(
                path: DataFolder.database(in: folder.path), mode: .writing, limits: StoreLimits())
            return try connection.rows(
                "SELECT v.*, \"deltaHorizon\" FROM \"Booking#versions\" AS v, \"#versioning\"", columns: 3
            ).map(\.values)
        }
        try open(folder) { _ = try $0.migrate(to: [table]) }
        do {
            let connection = try Connection(
                path: DataFolder.database(in: folder.path), mode: .writing, limits: StoreLimits())
            try connection.execute("INSERT INTO \"Booking#versions\" VALUES (7, 4)")
            try connection.execute("UPDATE \"#versioning\" SET \"deltaHorizon\" = 12")
        }
        table.columns[0].type = .text
        try open(folder) { _ = try $0.migrate(to: [table], allowing: .converts) }
        #expect(try lastVersions() == [["7", 4, 12]])
        // Another primary key: nobody knows which of its items were removed, so a delta begins anew.
        table.key = KeySchema(partitionKey: 5)
        let clock = TestClock()
        try open(folder, clock) { _ = try $0.migrate(to: [table], allowing: .losesData) }
        let connection = try Connection(
            path: DataFolder.database(in: folder.path), mode: .reading, limits: StoreLimits())
        let horizon = try connection.rows("SELECT \"deltaHorizon\" FROM \"#versioning\"", columns: 1)
        #expect(horizon.map(\.values) == [[.integer(TestClock.start)]])
    }
}
