import Testing

@testable import Tables

@Suite("A rename keeps the data, and what is left over goes only when that is asked for")
struct RenameTests {
    private static let post = Table(
        name: "Post",
        columns: [
            Column(name: "id", type: .text), Column(name: "blog", type: .text), Column(name: "at", type: .text),
            Column(name: "title", type: .text), Column(name: "likes", type: .integer),
        ],
        key: KeySchema(partitionKey: 0, sortKeys: [2, 3]),
        indexes: [SecondaryIndex(name: "byBlog", key: KeySchema(partitionKey: 1, sortKeys: [2, 3]))])

    private static func changed(_ change: (inout Table) -> Void) -> Table {
        var table = post
        change(&table)
        return table
    }

    private static let items: [[Value]] = [["1", "b", "x", "t", 7], ["2", "b", "y", "u", nil]]

    private func filled(_ table: Table = post) throws -> (TemporaryFolder, SQLiteStore) {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        let stored = try store.migrate(to: [table])[0]
        for item in Self.items { try store.put(stored, item) }
        return (folder, store)
    }

    private func rows(_ store: SQLiteStore, _ table: StoredTable) throws -> [[Value]] {
        let columns = Array(table.table.columns.indices)
        return try store.makeReader().rows(Fetch(table, columns: columns, access: .scan))
    }

    @Test("a renamed column keeps its values, its place in keys and its indexes")
    func column() throws {
        let (folder, store) = try filled()
        defer { store.close() }
        let renamed = Self.changed { $0.columns[3] = Column(name: "headline", type: .text) }
        let look = try survey(folder)
        let rename = Rename.column(table: "Post", old: "title", new: "headline")
        #expect(try look.possibleRenames(to: [renamed]) == [rename])
        #expect(try look.plan(for: [renamed]).contains(where: \.losesData), "the key changes without the rename")
        let steps = try look.plan(for: [renamed], renaming: [rename])
        #expect(steps.map(\.summary) == ["Rename column title of table Post to headline."])
        #expect(steps[0].counts?.items == 2)
        let stored = try store.carryOutMigration(to: [renamed], renaming: [rename]).tables[0]
        #expect(try rows(store, stored) == Self.items)
        let reader = try store.makeReader()
        #expect(try reader.row(Fetch(stored, columns: [4], access: .item), ["1", "x", "t"]) == [7])
        #expect(try reader.rows(Fetch(stored, columns: [3], access: .index(0)), "b") == [["t"], ["u"]])
        #expect(try store.plan(for: [renamed]) == [])
        try store.put(stored, ["3", "b", "z", "v", nil])
        // The old name is free again.
        var both = renamed
        both.columns.append(Column(name: "title", type: .json))
        let other = try store.migrate(to: [both])[0]
        try store.put(other, ["4", "b", "z", "w", nil, "[1]"])
        #expect(try rows(store, other).map { $0[5] } == [nil, nil, nil, "[1]"])
    }

    @Test("a column that was added already is filled where it is absent, and keeps what it has")
    func filling() throws {
        let (folder, store) = try filled()
        defer { store.close() }
        let renamed = Self.changed { $0.columns[4] = Column(name: "stars", type: .integer) }
        let added = try store.migrate(to: [renamed])[0]
        try store.put(added, ["3", "b", "z", "v", 3])
        let rename = Rename.column(table: "Post", old: "likes", new: "stars")
        let stored = try store.carryOutMigration(to: [renamed], renaming: [rename]).tables[0]
        #expect(try rows(store, stored).map { $0[4] } == [7, nil, 3])
        let look = try survey(folder)
        #expect(try look.leftovers(beside: [renamed]) == [.column(table: "Post", name: "likes", values: 0)])
        #expect(try look.possibleRenames(to: [renamed]) == [])
    }

    @Test("a renamed table keeps its items, and takes the place of an empty one")
    func table() throws {
        let (folder, store) = try filled()
        defer { store.close() }
        let renamed = Self.changed { $0.name = "Article" }
        let rename = Rename.table(old: "Post", new: "Article")
        func possible() throws -> [Rename] {
            try survey(folder).possibleRenames(to: [renamed, message])
        }
        #expect(try possible() == [rename])
        // A server has been started with the new schema in between.
        _ = try store.migrate(to: [renamed, message])
        #expect(try possible() == [rename])
        let stored = try store.carryOutMigration(to: [renamed, message], renaming: [rename]).tables[0]
        #expect(try rows(store, stored) == Self.items)
        #expect(try store.plan(for: [renamed, message]) == [])
        #expect(try survey(folder).leftovers(beside: [renamed, message]) == [])
    }

    @Test("a renamed versioned table keeps versions, tombstones and the last versions of removed items")
    func versioned() throws {
        let versioned = try VersionedStore()
        try versioned.create(["id": "1", "title": "a"])
        try versioned.update("1", ["title": "b"], 1)
        try versioned.create(["id": "2", "title": "c"])
        _ = try versioned.delete("2", 1)
        let before = try rows(versioned.store, versioned.table)
        var renamed = booking
        renamed.name = "Reservation"
        renamed.columns[1] = Column(name: "subject", type: .text)
        let stored = try versioned.store.carryOutMigration(
            to: [renamed],
            renaming: [
                .table(old: "Booking", new: "Reservation"),
                .column(table: "Reservation", old: "title", new: "subject"),
            ]
        ).tables[0]
        #expect(try rows(versioned.store, stored) == before)
        #expect(before.map { $0[6] } == [2, 2])
        #expect(try versioned.store.plan(for: [renamed]) == [])
    }

    @Test("a rename that cannot be meant is refused, and changes nothing")
    func refused() throws {
        let (_, store) = try filled()
        defer { store.close() }
        let renamed = Self.changed { $0.columns[4] = Column(name: "stars", type: .integer) }
        let renames: [Rename] = [
            .column(table: "Post", old: "like", new: "stars"), .column(table: "Post", old: "likes", new: "star"),
            .column(table: "Post", old: "title", new: "stars"), .column(table: "Pots", old: "likes", new: "stars"),
            .table(old: "Post", new: "Article"), .table(old: "Pots", new: "Post"), .table(old: "Pots", new: "Article"),
        ]
        for rename in renames {
            #expect {
                try store.carryOutMigration(to: [renamed], renaming: [rename])
            } throws: {
                ($0 as? StoreError)?.code == .invalidRequest
            }
        }
        #expect(try store.plan(for: [Self.post]) == [])
        // A table with items does not become another one with items.
        let article = Self.changed { $0.name = "Article" }
        let stored = try store.migrate(to: [article])[0]
        try store.put(stored, Self.items[0])
        #expect(throws: StoreError.self) {
            try store.carryOutMigration(to: [article], renaming: [.table(old: "Post", new: "Article")])
        }
    }

    @Test("several old or new columns of one type are no rename")
    func ambiguous() throws {
        let (folder, store) = try filled()
        defer { store.close() }
        let look = try survey(folder)
        let two = Self.changed {
            $0.columns[4] = Column(name: "a", type: .integer)
            $0.columns.append(Column(name: "b", type: .integer))
        }
        #expect(try look.possibleRenames(to: [two]) == [])
        let other = Self.changed { $0.columns[4] = Column(name: "a", type: .real) }
        #expect(try look.possibleRenames(to: [other]) == [])
    }

    @Test("what is left over is counted, and dropped with its generated columns when that is asked for")
    func drop() throws {
        let (folder, store) = try filled()
        defer { store.close() }
        _ = try store.migrate(to: [Self.post, message, booking])
        let smaller = Self.changed {
            $0.columns.remove(at: 4)
            $0.columns.remove(at: 1)
            $0.key = KeySchema(partitionKey: 0, sortKeys: [1, 2])
            $0.indexes = []
        }
        _ = try store.migrate(to: [smaller])
        #expect(
            try survey(folder).leftovers(beside: [smaller]) == [
                .column(table: "Post", name: "blog", values: 2), .column(table: "Post", name: "likes", values: 1),
                .table("Message", items: 0), .table("Booking", items: 0),
            ])
        #expect(throws: StoreError.self) { try store.dropLeftovers(beside: [smaller, task]) }
        try store.dropLeftovers(beside: [smaller])
        #expect(try survey(folder).leftovers(beside: [smaller]) == [])
        let stored = try store.migrate(to: [smaller])[0]
        #expect(try rows(store, stored) == [["1", "x", "t"], ["2", "y", "u"]])
        let connection = try Connection(
            path: DataFolder.database(in: folder.path), mode: .reading, limits: StoreLimits())
        #expect(
            try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'", columns: 1).map(\.values)
                == [["#tables"], ["#columns"], ["#indexes"], ["Post"], ["#versioning"]])
        let back = try store.migrate(to: [Self.post, message, booking])[0]
        #expect(try rows(store, back).map { $0[4] } == [nil, nil])
    }
}
