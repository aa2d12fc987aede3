import Testing

@testable import Tables

@Suite("Readers")
struct ReaderTests {
    private func makeStore(_ folder: TemporaryFolder, rows: Int = 0) throws -> (SQLiteStore, StoredTable) {
        let store = try SQLiteStore.open(folder)
        let table = try store.migrate(to: [message])[0]
        for index in 0..<rows { try store.put(table, ["room", .text("\(1_000 + index)"), "hello"]) }
        return (store, table)
    }

    @Test("a request that begins after a commit sees it; one that began before does not")
    func readYourWrites() throws {
        let folder = TemporaryFolder()
        let (store, table) = try makeStore(folder, rows: 2)
        defer { store.close() }
        let (one, other) = (try store.makeReader(), try store.makeReader())
        let fetch = Fetch(table, columns: [1], access: .scan)
        func count(_ reader: Reader) throws -> Int {
            let cursor = try reader.open(fetch, partitionKey: nil, sort: nil, after: nil, limit: 10)
            defer { cursor.close() }
            var count = 0
            while try cursor.next() { count += 1 }
            return count
        }
        for reader in [one, other] {
            reader.beginRequest(budget: Budget())
            #expect(try count(reader) == 2)
        }
        try store.put(table, ["room", "3", nil])
        #expect(try count(one) == 2, "the same request keeps its snapshot")
        one.beginRequest(budget: Budget())
        #expect(try count(one) == 3)
        #expect(try count(other) == 2)
        other.endTurn()
        #expect(try count(other) == 3)
    }

    @Test("the data version of a snapshot differs after a commit, also of another program, and only then")
    func dataVersion() throws {
        let folder = TemporaryFolder()
        let (store, table) = try makeStore(folder, rows: 2)
        defer { store.close() }
        let reader = try store.makeReader()
        func version() throws -> UInt32 {
            reader.endTurn()
            let cursor = try reader.open(
                Fetch(table, columns: [], access: .scan), partitionKey: nil, sort: nil, after: nil, limit: 1)
            defer { cursor.close() }
            _ = try cursor.next()
            return reader.dataVersion
        }
        let first = try version()
        #expect(try version() == first)
        try store.put(table, ["room", "3", nil])
        let second = try version()
        #expect(second != first)
        #expect(try version() == second)
        // SQLite's own shell, or another program that opens the file, takes no lock of ours.
        let foreign = try Connection(
            path: DataFolder.database(in: folder.path), mode: .writing, limits: StoreLimits())
        try foreign.execute("DELETE FROM \(table.name)")
        let third = try version()
        #expect(third != second)
        #expect(try version() == third)
        reader.endTurn()
    }

    @Test("a budget that is spent before the first row is the budget's error, and lets the snapshot end")
    func spentAtOnce() throws {
        let folder = TemporaryFolder()
        var limits = StoreLimits()
        limits.stepsPerLook = 1
        let store = try SQLiteStore(folder: folder.path, options: .init(durability: .off, limits: limits))
        defer { store.close() }
        let table = try store.migrate(to: [message])[0]
        let reader = try store.makeReader()
        reader.beginRequest(budget: .loop(steps: 0))
        let fetch = Fetch(table, columns: [1], access: .scan)
        #expect {
            try reader.open(fetch, partitionKey: nil, sort: nil, after: nil, limit: 10).close()
        } throws: {
            ($0 as? StoreError)?.code == .repeatOnWorker
        }
        reader.endTurn()
        try store.put(table, ["room", "1", nil])
        reader.beginRequest(budget: Budget())
        let cursor = try reader.open(fetch, partitionKey: nil, sort: nil, after: nil, limit: 10)
        #expect(try cursor.next())
        cursor.close()
    }

    @Test("a budget in steps moves a long read off; the reader stays usable")
    func repeatOnWorker() throws {
        let folder = TemporaryFolder()
        let (store, table) = try makeStore(folder, rows: 2_000)
        defer { store.close() }
        let reader = try store.makeReader()
        let filter = ParameterizedCondition(.contains(column: 2, "nowhere"), of: table.table)
        let long = Fetch(table, columns: [1], access: .scan, filter: filter.shape, filterDropsRows: true)
        func read(_ budget: Budget) throws -> Bool {
            reader.beginRequest(budget: budget)
            let cursor = try reader.open(
                long, partitionKey: nil, sort: nil, after: nil, filter: filter.values, limit: 1)
            defer { cursor.close() }
            return try cursor.next()
        }
        #expect { try read(.loop(steps: 5_000)) } throws: { ($0 as? StoreError)?.code == .repeatOnWorker }
        #expect(try !read(.loop(steps: 1_000_000)))
        let past = ContinuousClock.now - .seconds(1)
        #expect { try read(.worker(deadline: past)) } throws: { ($0 as? StoreError)?.code == .timedOut }
        let cancellation = Cancellation()
        cancellation.cancel()
        #expect { try read(.loop(steps: 1_000_000, cancellation: cancellation)) } throws: {
            ($0 as? StoreError)?.code == .cancelled
        }
        #expect(try !read(.worker(deadline: .now + .seconds(60))))
    }

    @Test("the error of a read that was stopped says which limit stopped it")
    func reasons() throws {
        let folder = TemporaryFolder()
        let (store, table) = try makeStore(folder, rows: 2_000)
        defer { store.close() }
        let reader = try store.makeReader()
        let cancellation = Cancellation()
        cancellation.cancel()
        let filter = ParameterizedCondition(.contains(column: 2, "nowhere"), of: table.table)
        func message(_ budget: Budget) -> String? {
            reader.beginRequest(budget: budget)
            do throws(StoreError) {
                let cursor = try reader.open(
                    Fetch(table, columns: [1], access: .scan, filter: filter.shape, filterDropsRows: true),
                    partitionKey: nil, sort: nil, after: nil, filter: filter.values, limit: 1)
                defer { cursor.close() }
                _ = try cursor.next()
                return nil
            } catch {
                return error.message
            }
        }
        #expect(message(.loop(steps: 5_000)) == "The read is too long for this thread.")
        #expect(
            message(.worker(deadline: .now - .seconds(1))) == "The read passed its deadline (limits.executionSeconds).")
        #expect(message(.loop(steps: 1_000_000, cancellation: cancellation)) == "The read was cancelled.")
    }

    @Test("cursors of one fetch nest, are reused, and a closed one stays closed")
    func nestedCursors() throws {
        let folder = TemporaryFolder()
        let (store, table) = try makeStore(folder, rows: 3)
        defer { store.close() }
        let reader = try store.makeReader()
        reader.beginRequest(budget: Budget())
        let fetch = Fetch(table, columns: [0, 1, 2], access: .primaryKey)
        func open(_ key: Operand) throws -> Cursor {
            try reader.open(fetch, partitionKey: key, sort: nil, after: nil, limit: 10)
        }
        let outer = try open(.value("room"))
        var pairs: [[Value]] = []
        while try outer.next() {
            let inner = try open(.column(outer, 0))
            while try inner.next() { pairs.append([outer.value(1), inner.value(1)]) }
            inner.close()
            inner.close()
        }
        #expect(pairs.count == 9)
        outer.close()
        #expect(try !outer.next())
        let reopened = try open(.value("room"))
        #expect(try reopened.next())
        outer.close()
        let byteCount = unsafe outer.withText(1) { $0.count }
        #expect(outer.value(1) == .null && outer.isNull(0) && byteCount == 0)
        #expect(reopened.value(1) == "1000")
        // Letting go of an open cursor closes it.
        _ = try open(.value("room"))
        reopened.close()
        reader.endTurn()
    }

    @Test("a cursor outlives its reader without harm")
    func cursorOutlivesReader() throws {
        let folder = TemporaryFolder()
        let (store, table) = try makeStore(folder, rows: 1)
        defer { store.close() }
        var reader: Reader? = try store.makeReader()
        let cursor = try reader?.open(
            Fetch(table, columns: [1], access: .scan), partitionKey: nil, sort: nil, after: nil, limit: 1)
        reader = nil
        #expect(try cursor?.next() == true)
        #expect(cursor?.value(0) == "1000")
        cursor?.close()
    }

    @Test("more shapes than statements are kept, and all are right")
    func statementEviction() throws {
        let folder = TemporaryFolder()
        var limits = StoreLimits()
        limits.statementsPerConnectionMax = 4
        let store = try SQLiteStore.open(folder, limits: limits)
        defer { store.close() }
        let table = try store.migrate(to: [message])[0]
        try store.put(table, ["room", "1", "hello"])
        let reader = try store.makeReader()
        let fetches = (1...20).map { count -> Fetch in
            let columns = Array(repeating: 2, count: count)
            return Fetch(table, columns: columns, access: .primaryKey, isShared: count.isMultiple(of: 2))
        }
        for _ in 0..<2 {
            for fetch in fetches {
                #expect(try reader.rows(fetch, "room") == [Array(repeating: "hello", count: fetch.columns.count)])
            }
        }
        // All open at once: the bound is on what is kept, not on what a request needs.
        reader.beginRequest(budget: Budget())
        let cursors = try fetches.map {
            try reader.open($0, partitionKey: .value("room"), sort: nil, after: nil, limit: 1)
        }
        for cursor in cursors { #expect(try cursor.next()) }
        for cursor in cursors { cursor.close() }
        reader.endTurn()
    }

    @Test("values of another shape are refused, a missing key finds nothing")
    func misfits() throws {
        let folder = TemporaryFolder()
        let (store, table) = try makeStore(folder, rows: 1)
        defer { store.close() }
        let reader = try store.makeReader()
        let query = Fetch(table, columns: [1], access: .primaryKey)
        let item = Fetch(table, columns: [1], access: .item)
        let sort = SortCondition(sortOperator: .eq, operands: [["1000"]])
        let position = Position(sort: "1", rowID: 1)
        #expect(throws: StoreError.self) { try reader.rows(query) }
        #expect(throws: StoreError.self) { try reader.rows(query, "room", sort) }
        #expect(throws: StoreError.self) { try reader.rows(query, "room", after: position) }
        #expect(throws: StoreError.self) { try reader.rows(item, "room") }
        #expect(throws: StoreError.self) { try reader.row(item, ["room"]) }
        #expect(throws: StoreError.self) { try reader.item(item, partitionKey: .value("room")) }
        let filter = ParameterizedCondition(.between(column: 1, "a", "b"), of: message)
        let filtered = Fetch(table, columns: [1], access: .primaryKey, filter: filter.shape)
        #expect(throws: StoreError.self) { try reader.rows(filtered, "room") }
        #expect(throws: StoreError.self) { try reader.rows(filtered, "room", filter: ["a"]) }
        #expect(throws: StoreError.self) { try reader.rows(query, "room", filter: filter.values) }
        #expect(try reader.rows(filtered, "room", filter: filter.values) == [])
        let shapes: [(Access, SortOperator, [Int])] = [
            (.scan, .eq, [1]), (.item, .eq, [1]), (.primaryKey, .eq, []), (.primaryKey, .eq, [0]),
            (.primaryKey, .eq, [2]), (.primaryKey, .eq, [1, 1]), (.primaryKey, .between, [1]),
            (.primaryKey, .isAny, []), (.primaryKey, .isAny, [2]),
        ]
        for (access, sortOperator, counts) in shapes {
            let shape = SortShape(sortOperator: sortOperator, partCounts: counts)
            let fetch = Fetch(table, columns: [1], access: access, sort: shape)
            let sort = SortCondition(
                sortOperator: sortOperator, operands: counts.map { Array(repeating: "1", count: $0) })
            #expect { try reader.rows(fetch, access == .scan ? nil : "room", sort) } throws: {
                ($0 as? StoreError)?.code == .invalidRequest
            }
        }
        #expect(try reader.rows(query, .null) == [])
        #expect(try reader.row(item, ["room", .null]) == nil)
        #expect(try reader.row(item, ["room", "1000"]) == ["1000"])
    }

    @Test("the operands of a sort condition are charged, of which there may be thousands")
    func operands() throws {
        let folder = TemporaryFolder()
        let (store, table) = try makeStore(folder, rows: 1)
        defer { store.close() }
        let reader = try store.makeReader()
        let sort = SortCondition.isAny((0..<1_000).map { .text("\($0)") })
        let fetch = Fetch(table, columns: [1], access: .primaryKey, sort: sort.shape)
        func open() throws {
            try reader.open(fetch, partitionKey: .value("room"), sort: sort, after: nil, limit: 1).close()
        }
        reader.beginRequest(budget: .loop(steps: 10_000))
        #expect { for _ in 0..<20 { try open() } } throws: { ($0 as? StoreError)?.code == .repeatOnWorker }
        reader.beginRequest(budget: .loop(steps: 10_000))
        for _ in 0..<5 { try open() }
    }

    @Test("an item and a cursor read alike")
    func rowsReadAlike() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let table = try store.migrate(to: [task])[0]
        let values: [Value] = ["1", nil, "a\0b", -7, 2.5, 1, #"["ä"]"#, "42"]
        guard case .item(let item, _) = try store.put(table, values) else { return #expect(Bool(false)) }
        #expect(item.values == values)
        let reader = try store.makeReader()
        reader.beginRequest(budget: Budget())
        let cursor = try reader.item(
            Fetch(table, columns: Array(values.indices), access: .item), partitionKey: .value("1"))
        #expect(try cursor.next())
        #expect(Item(copying: cursor, count: values.count) == item)
        for position in values.indices {
            #expect(cursor.isNull(position) == item.isNull(position))
            #expect(cursor.integer(position) == item.integer(position), "\(values[position])")
            #expect(cursor.real(position) == item.real(position), "\(values[position])")
            let (found, expected) = unsafe (
                cursor.withText(position) { unsafe Array($0) }, item.withText(position) { unsafe Array($0) }
            )
            #expect(found == expected)
        }
        cursor.close()
    }
}
