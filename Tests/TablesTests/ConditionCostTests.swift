import Testing

@testable import Tables

@Suite("What conditions cost") struct ConditionCostTests {
    /// Rows of one long text each, in a table read by scans.
    private func makeStore(
        _ folder: TemporaryFolder, rows: Int, bytes: Int, limits: StoreLimits = StoreLimits()
    ) throws -> (SQLiteStore, StoredTable) {
        let store = try SQLiteStore.open(folder, limits: limits)
        let table = try store.migrate(to: [message])[0]
        let text = String(repeating: "a", count: bytes)
        for row in 0..<rows { try store.put(table, ["room", .text("\(row)"), .text(text)]) }
        return (store, table)
    }

    /// How many items of the table meet the condition.
    private func read(_ reader: Reader, _ table: StoredTable, _ condition: Condition, _ budget: Budget) throws -> Int {
        let filter = ParameterizedCondition(condition, of: table.table)
        let fetch = Fetch(table, columns: [1], access: .scan, filter: filter.shape)
        reader.beginRequest(budget: budget)
        let cursor = try reader.open(
            fetch, partitionKey: nil, sort: nil, after: nil, filter: filter.values, limit: 1_000)
        defer { cursor.close() }
        var count = 0
        while try cursor.next() { count += cursor.matches ? 1 : 0 }
        return count
    }

    @Test(
        "a condition on long texts passes a budget by the bytes it looks at, however few steps it takes",
        arguments: [
            Condition.contains(column: 2, "b"), .notContains(column: 2, "ab"), .size(column: 2, .gt, 3),
            .or((0..<20).map { .compare(column: 2, .eq, .text("b\($0)")) }),
            .or((0..<20).map { .beginsWith(column: 2, "b\($0)") }),
        ])
    func bytes(condition: Condition) throws {
        let folder = TemporaryFolder()
        let (store, table) = try makeStore(folder, rows: 20, bytes: 100_000)
        defer { store.close() }
        let reader = try store.makeReader()
        // Twenty rows are some hundred steps, and two million bytes are 125,000.
        #expect { try read(reader, table, condition, .loop(steps: 10_000)) } throws: {
            ($0 as? StoreError)?.code == .repeatOnWorker
        }
        #expect(reader.stepCount < 20_000)
        _ = try read(reader, table, condition, .loop(steps: 10_000_000))
        #expect(reader.rowCount == 20)
    }

    @Test("the texts of a condition are parsed once for a statement, not for each row", arguments: [1, 6])
    func texts(column: Int) throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let table = try store.migrate(to: [task])[0]
        for row in 0..<200 {
            let group = "group-\(row + 1_900)"
            try store.put(
                table,
                [.text("\(row)"), .text(group), .null, .null, .null, .null, .text(#"["x","\#(group)"]"#), .null])
        }
        let condition = Condition.isAny(column: column, TextSet(texts: (0..<2_000).map { "group-\($0)" }))
        let reader = try store.makeReader()
        #expect(try read(reader, table, condition, Budget()) == 100)
        #expect(reader.rowCount == 200)
        // The texts have 23 KB: hashed once they are some 12,000 steps, and 200 times two million.
        #expect(reader.stepCount < 30_000)
    }

    @Test("long texts that were read and written pass a budget by their bytes")
    func charged() throws {
        let folder = TemporaryFolder()
        let (store, _) = try makeStore(folder, rows: 1, bytes: 1)
        defer { store.close() }
        let reader = try store.makeReader()
        reader.beginRequest(budget: .loop(steps: 1_000))
        try reader.charge(bytes: 16_000)
        #expect { try reader.charge(bytes: 16_000) } throws: { ($0 as? StoreError)?.code == .repeatOnWorker }
        #expect { try reader.charge(bytes: 1) } throws: { ($0 as? StoreError)?.code == .repeatOnWorker }
        reader.beginRequest(budget: Budget())
        try reader.charge(bytes: 1 << 30)
    }

    @Test("a request that holds its thread for too long passes a budget whose steps it has not used")
    func time() throws {
        let folder = TemporaryFolder()
        let (store, table) = try makeStore(folder, rows: 200, bytes: 10)
        defer { store.close() }
        let reader = try store.makeReader()
        let condition = Condition.compare(column: 2, .eq, "b")
        var budget = Budget.loop(steps: .max)
        #expect(try read(reader, table, condition, budget) == 0)
        budget.threadNanosecondsMax = 0
        #expect { try read(reader, table, condition, budget) } throws: { ($0 as? StoreError)?.code == .repeatOnWorker }
    }

    @Test("a write whose condition looks at more than it may is refused, changes nothing, and harms no other write")
    func writer() throws {
        let folder = TemporaryFolder()
        var limits = StoreLimits()
        limits.conditionBytesMax = 100_000
        let (store, table) = try makeStore(folder, rows: 1, bytes: 30_000, limits: limits)
        defer { store.close() }
        func update(_ text: Value, if condition: Condition) throws -> WriteResult {
            try store.perform(
                Write(
                    table: table, action: .update(key: ["room", "0"], [(column: 2, value: text)]),
                    condition: condition, returning: [2]))
        }
        let test = Condition.notContains(column: 2, "b")
        for conditions in [Array(repeating: test, count: 4), Array(repeating: test, count: 400)] {
            #expect {
                try update("changed", if: .and(conditions))
            } throws: { error in
                guard let error = error as? StoreError else { return false }
                return error.code == .invalidRequest && error.message.contains("100000 bytes")
            }
            #expect {
                try store.perform(
                    Write(
                        table: table, action: .delete(key: ["room", "0"]), condition: .and(conditions), returning: [2]))
            } throws: {
                ($0 as? StoreError)?.code == .invalidRequest
            }
        }
        // Each write has its own account.
        for _ in 0..<3 {
            #expect(try update(.text(String(repeating: "c", count: 30_000)), if: test) != .conditionFailed())
        }
        #expect(try update("short", if: .and(Array(repeating: test, count: 3))) != .conditionFailed())
        #expect(try update("short", if: .and(Array(repeating: test, count: 400))) != .conditionFailed())
    }
}
