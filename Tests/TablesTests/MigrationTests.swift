import Testing

@testable import Tables

@Suite("Migration")
struct MigrationTests {
    private static let post = Table(
        name: "Post",
        columns: [
            Column(name: "id", type: .text), Column(name: "title", type: .text), Column(name: "blog", type: .text),
            Column(name: "likes", type: .integer), Column(name: "at", type: .text),
        ],
        key: KeySchema(partitionKey: 0),
        indexes: [SecondaryIndex(name: "byBlog", key: KeySchema(partitionKey: 2, sortKeys: [4]))])

    private func changed(_ change: (inout Table) -> Void) -> Table {
        var table = Self.post
        change(&table)
        return table
    }

    /// Opens the folder anew, migrates, and gives the store to the body.
    private func reopen(
        _ folder: TemporaryFolder, _ tables: [Table], allowing effect: MigrationStep.Effect = .none,
        _ body: (SQLiteStore, [StoredTable]) throws -> Void
    ) throws {
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        try body(store, store.migrate(to: tables, allowing: effect))
    }

    private func rows(_ store: SQLiteStore, _ table: StoredTable, _ columns: [Int]) throws -> [[Value]] {
        try store.makeReader().rows(Fetch(table, columns: columns, access: .scan))
    }

    private func fill(_ folder: TemporaryFolder) throws {
        try reopen(folder, [Self.post]) { store, tables throws in
            try store.put(tables[0], ["1", "10", "a", 7, "2020"])
            try store.put(tables[0], ["2", "x", "a", nil, nil])
            try store.put(tables[0], ["3", nil, "b", 7, "2019"])
        }
    }

    @Test("the same tables again are no step, in this process and the next")
    func idempotent() throws {
        let folder = TemporaryFolder()
        #expect(try SQLiteStore.inspect(folder: folder.path) == nil)
        try fill(folder)
        try reopen(folder, [Self.post]) { store, _ throws in
            #expect(try store.plan(for: [Self.post]) == [])
            _ = try store.migrate(to: [Self.post])
        }
        #expect(try SQLiteStore.inspect(folder: folder.path)?.plan(for: [Self.post]) == [])
        #expect(try SQLiteStore.inspect(folder: folder.path)?.tableNames == ["Post"])
    }

    @Test("tables are real tables, with a column per attribute")
    func schemaText() throws {
        let changes = try Migration(from: Catalog(), to: [seat, Self.post]).changes
        #expect(
            changes.flatMap(\.statements).map(\.text) == [
                """
                CREATE TABLE "Seat" ("#" INTEGER PRIMARY KEY, "hall" TEXT, "row" INTEGER, "place" TEXT, "guest" TEXT, \
                "row#place" TEXT GENERATED ALWAYS AS ("row" || '#' || "place") VIRTUAL)
                """,
                #"CREATE UNIQUE INDEX "Seat#" ON "Seat" ("hall", "row#place")"#,
                """
                CREATE TABLE "Post" ("#" INTEGER PRIMARY KEY, "id" TEXT, "title" TEXT, "blog" TEXT, "likes" INTEGER, \
                "at" TEXT)
                """,
                #"CREATE UNIQUE INDEX "Post#" ON "Post" ("id")"#,
                """
                CREATE INDEX "Post#byBlog" ON "Post" ("blog", "at") WHERE "blog" IS NOT NULL AND "at" IS NOT NULL
                """,
            ])
    }

    @Test("new tables, columns and indexes are made at once, and filled")
    func additions() throws {
        let folder = TemporaryFolder()
        try fill(folder)
        let grown = changed {
            $0.columns.append(Column(name: "tags", type: .json))
            $0.indexes.append(SecondaryIndex(name: "byLikes", key: KeySchema(partitionKey: 3, sortKeys: [2, 4])))
            $0.indexes.append(SecondaryIndex(name: "byTitle", key: KeySchema(partitionKey: 1)))
        }
        #expect(
            try SQLiteStore.inspect(folder: folder.path)?.plan(for: [grown, message]).map(\.summary) == [
                "Add column tags to table Post.", "Add the composite sort key blog#at to table Post.",
                "Make index byLikes of table Post.", "Make index byTitle of table Post.",
                "Make table Message with 3 columns.",
            ])
        try reopen(folder, [message, grown]) { store, tables throws in
            #expect(tables.map(\.table) == [message, grown])
            let reader = try store.makeReader()
            let byLikes = Fetch(tables[1], columns: [0, 5], access: .index(1))
            #expect(try reader.rows(byLikes, 7) == [["1", nil], ["3", nil]])
            #expect(try reader.rows(Fetch(tables[1], columns: [0], access: .index(2)), "x") == [["2"]])
            try store.put(tables[1], ["4", nil, "c", 7, "2018", "[ 1 ]"])
            #expect(try reader.row(Fetch(tables[1], columns: [5], access: .item), ["4"]) == ["[1]"])
        }
    }

    @Test("an index that changed or went is dropped, readers that are open notice")
    func indexes() throws {
        let folder = TemporaryFolder()
        try fill(folder)
        try reopen(folder, [Self.post]) { store, tables throws in
            let reader = try store.makeReader()
            let before = Fetch(tables[0], columns: [0], access: .index(0))
            #expect(try reader.rows(before, "a") == [["1"]])
            let other = changed { $0.indexes[0].key = KeySchema(partitionKey: 2) }
            #expect(
                try store.plan(for: [other]).map(\.summary) == [
                    "Drop index byBlog of table Post.", "Make index byBlog of table Post.",
                ])
            // The reader's snapshot is still open.
            let after = Fetch(try store.migrate(to: [other])[0], columns: [0], access: .index(0))
            #expect(try reader.rows(after, "a") == [["1"], ["2"]])
            let none = changed { $0.indexes = [] }
            #expect(try store.plan(for: [none]).map(\.summary) == ["Drop index byBlog of table Post."])
            // While an old plan is still served, its index stays; the next migration drops it.
            _ = try store.migrate(to: [none], keepsIndexes: true)
            #expect(try reader.rows(after, "a") == [["1"], ["2"]])
            _ = try store.migrate(to: [none])
            #expect(throws: StoreError.self) { try reader.rows(after, "a") }
            // A plan made before the migration still reads by primary key, and still writes.
            #expect(try reader.row(Fetch(tables[0], columns: [1], access: .item), ["1"]) == ["10"])
            try store.put(tables[0], ["5", nil, nil, nil, nil])
        }
    }

    @Test("what is no longer declared stays, and comes back")
    func removal() throws {
        let folder = TemporaryFolder()
        try fill(folder)
        let smaller = changed { table in
            table.indexes = []
            table.columns.remove(at: 3)
        }
        try reopen(folder, [smaller]) { store, tables throws in
            #expect(try rows(store, tables[0], [0, 3]) == [["1", "2020"], ["2", nil], ["3", "2019"]])
        }
        try reopen(folder, []) { store, _ throws in
            #expect(try store.plan(for: [Self.post]).map(\.summary) == ["Make index byBlog of table Post."])
        }
        try reopen(folder, [Self.post]) { store, tables throws in
            #expect(try rows(store, tables[0], [0, 3]) == [["1", 7], ["2", nil], ["3", 7]])
        }
    }

    @Test("a changed type is refused unless loss is allowed, then it converts")
    func changedType() throws {
        let folder = TemporaryFolder()
        try fill(folder)
        let retyped = changed { $0.columns[1].type = .integer }
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let before = try store.migrate(to: [Self.post])[0]
        let summary = "Copy table Post with conversion: column title changes from text to integer."
        #expect {
            try store.migrate(to: [retyped])
        } throws: { error in
            guard case .refusedMigration(let steps)? = (error as? StoreError)?.code else { return false }
            return steps.map(\.summary) == [summary] && steps[0].hint != nil
        }
        #expect(try store.plan(for: [Self.post]) == [])
        #expect(try rows(store, before, [1]) == [["10"], ["x"], [nil]])
        let after = try store.migrate(to: [retyped], allowing: .losesData)[0]
        #expect(try rows(store, after, [0, 1]) == [["1", 10], ["2", nil], ["3", nil]])
        let reader = try store.makeReader()
        #expect(try reader.rows(Fetch(after, columns: [0], access: .index(0)), "a") == [["1"]])
        #expect(try store.put(after, ["1", nil, nil, nil, nil]) == .conditionFailed())
        // Back again loses nothing, yet it copies what is stored: it waits to be asked for.
        #expect(throws: StoreError.self) { try store.migrate(to: [Self.post]) }
        #expect(try store.plan(for: [Self.post]).map(\.effect) == [.converts])
        let back = try store.migrate(to: [Self.post], allowing: .converts)[0]
        #expect(try rows(store, back, [1]) == [["10"], [nil], [nil]])
    }

    @Test("every conversion keeps what it can")
    func conversions() throws {
        let values: [ColumnType: [Value]] = [
            .text: ["12", "1.5", "true", "[1]", "abc"], .integer: [0, 1, 12], .real: [1.0, 1.5, -2.0],
            .boolean: [0, 1], .json: ["[1]", "{}"],
        ]
        let expected: [ColumnType: [ColumnType: [Value]]] = [
            .text: [
                .integer: [12, nil, nil, nil, nil], .real: [12.0, 1.5, nil, nil, nil],
                .boolean: [nil, nil, 1, nil, nil], .json: [nil, nil, nil, "[1]", nil],
            ],
            .integer: [
                .text: ["0", "1", "12"], .real: [0.0, 1.0, 12.0], .boolean: [0, 1, nil], .json: [nil, nil, nil],
            ],
            .real: [
                .text: ["1.0", "1.5", "-2.0"], .integer: [1, nil, -2], .boolean: [nil, nil, nil],
                .json: [nil, nil, nil],
            ],
            .boolean: [.text: ["false", "true"], .integer: [0, 1], .real: [0.0, 1.0], .json: [nil, nil]],
            .json: [.text: ["[1]", "{}"], .integer: [nil, nil], .real: [nil, nil], .boolean: [nil, nil]],
        ]
        func table(_ type: ColumnType) -> Table {
            Table(
                name: "T", columns: [Column(name: "id", type: .integer), Column(name: "v", type: type)],
                key: KeySchema(partitionKey: 0))
        }
        for (from, conversions) in expected {
            for (to, converted) in conversions {
                let folder = TemporaryFolder()
                try reopen(folder, [table(from)]) { store, tables throws in
                    for (index, value) in (values[from] ?? []).enumerated() {
                        try store.put(tables[0], [.integer(Int64(index)), value])
                    }
                    let stored = try store.migrate(to: [table(to)], allowing: .losesData)[0]
                    #expect(try rows(store, stored, [1]).map { $0[0] } == converted, "\(from) to \(to)")
                }
            }
        }
    }

    @Test("a changed primary key keeps the first of equal items, and those that have it")
    func changedKey() throws {
        let folder = TemporaryFolder()
        try fill(folder)
        let rekeyed = changed { $0.key = KeySchema(partitionKey: 3, sortKeys: [4]) }
        #expect(throws: StoreError.self) { try reopen(folder, [rekeyed]) { _, _ in } }
        try reopen(folder, [rekeyed], allowing: .losesData) { store, tables throws in
            #expect(try rows(store, tables[0], [0]) == [["1"], ["3"]])
        }
        let composite = changed { $0.key = KeySchema(partitionKey: 3, sortKeys: [4, 0]) }
        try reopen(folder, [composite], allowing: .losesData) { store, tables throws in
            let item = Fetch(tables[0], columns: [1], access: .item)
            #expect(try store.makeReader().row(item, [7, "2020", "1"]) == ["10"])
        }
        let equal = changed { $0.key = KeySchema(partitionKey: 3) }
        try reopen(folder, [equal], allowing: .losesData) { store, tables throws in
            #expect(try rows(store, tables[0], [0]) == [["1"]])
        }
    }

    @Test("an empty table has nothing to lose")
    func emptyTable() throws {
        let folder = TemporaryFolder()
        try reopen(folder, [Self.post]) { _, _ in }
        let other = changed {
            $0.columns[0].type = .integer
            $0.key = KeySchema(partitionKey: 3)
        }
        #expect(try SQLiteStore.inspect(folder: folder.path)?.plan(for: [other]).contains { $0.losesData } == false)
        try reopen(folder, [other]) { store, tables throws in
            try store.put(tables[0], [1, nil, nil, 2, nil])
        }
    }

    @Test("names that differ in case alone are different names")
    func caseOfNames() throws {
        let folder = TemporaryFolder()
        func table(_ name: String, _ columns: [String]) -> Table {
            Table(
                name: name, columns: columns.map { Column(name: $0, type: .text) }, key: KeySchema(partitionKey: 0),
                indexes: [SecondaryIndex(name: "byX", key: KeySchema(partitionKey: 1, sortKeys: [1, 2]))])
        }
        let tables = [
            table("Post", ["id", "x", "X"]), table("post", ["ID", "id", "iD"]), table("POST", ["id", "rowid", "oid"]),
            table("sqlite_master", ["id", "a", "_rowid_"]), table("SELECT", ["from", "where", "order"]),
        ]
        for _ in 0..<2 {
            try reopen(folder, tables) { store, stored throws in
                #expect(try store.plan(for: tables) == [])
                let reader = try store.makeReader()
                for table in stored {
                    let values: [Value] = ["1", .text(table.table.name), "c"]
                    _ = try store.perform(Write(table: table, action: .delete(key: ["1"]), returning: []))
                    try store.put(table, values)
                    #expect(try reader.rows(Fetch(table, columns: [0, 1, 2], access: .scan)) == [values])
                    let query = Fetch(table, columns: [2, 1], access: .index(0))
                    #expect(try reader.rows(query, values[1]) == [["c", values[1]]])
                }
            }
        }
    }

    @Test("invalid names, and keys of missing columns, are refused")
    func badTables() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let bad: [[Table]] = [
            [Self.post, Self.post], [changed { $0.name = "" }], [changed { $0.name = "a#b" }],
            [changed { $0.name = "a\0b" }], [changed { $0.columns[1].name = "id" }],
            [changed { $0.indexes.append($0.indexes[0]) }], [changed { $0.key.partitionKey = 9 }],
            [changed { $0.indexes[0].key.sortKeys = [-1] }],
        ]
        for tables in bad {
            #expect { try store.migrate(to: tables) } throws: { ($0 as? StoreError)?.code == .invalidRequest }
            #expect { try store.plan(for: tables) } throws: { ($0 as? StoreError)?.code == .invalidRequest }
        }
    }
}
