import Testing

@testable import Tables

@Suite("Reads in waves") struct BatchReaderTests {
    private func makeStore(_ folder: TemporaryFolder) throws -> (SQLiteStore, StoredTable) {
        let store = try SQLiteStore.open(folder)
        let table = try store.migrate(to: [message])[0]
        for room in ["a", "b"] {
            for index in 1...4 {
                try store.put(table, [.text(room), .text("\(index)"), .text(index.isMultiple(of: 2) ? "yes" : "no")])
            }
        }
        return (store, table)
    }

    @Test("a fetch has the rows of each key in the order of the keys, and stops after so many that meet the filter")
    func keys() throws {
        let folder = TemporaryFolder()
        let (store, table) = try makeStore(folder)
        defer { store.close() }
        let reader = try store.makeReader()
        let filter = ParameterizedCondition(.compare(column: 2, .eq, "yes"), of: message)
        let fetch = Fetch(table, columns: [0, 1], access: .primaryKey, descending: true, filter: filter.shape)
        let keys = ["b", "none", "a"].map { BatchFetch.Key([.text($0)]) }
        func found(rowsMax: Int, matchesMax: Int) throws -> [[String]] {
            let batch = try reader.batch(
                BatchFetch(fetch, keys: keys, filter: filter.values, rowsMax: rowsMax, matchesMax: matchesMax))
            return try keys.indices.map { key in
                let cursor = BatchCursor(batch, key: key)
                var rows: [String] = []
                while try cursor.next() {
                    guard case .text(let sort)? = cursor.position.sort else { continue }
                    rows.append(sort + (cursor.matches ? "+" : "-"))
                    if cursor.matches { #expect(cursor.value(1) == cursor.position.sort) }
                }
                return rows
            }
        }
        let all = ["4+", "3-", "2+", "1-"]
        #expect(try found(rowsMax: .max, matchesMax: .max) == [all, [], all])
        #expect(try found(rowsMax: 2, matchesMax: .max) == [["4+", "3-"], [], ["4+", "3-"]])
        #expect(try found(rowsMax: .max, matchesMax: 2) == [["4+", "3-", "2+"], [], ["4+", "3-", "2+"]])
    }

    @Test("a request that cannot be carried out is refused, and the others of its wave are carried out")
    func refusal() throws {
        let folder = TemporaryFolder()
        let (store, table) = try makeStore(folder)
        defer { store.close() }
        let reader = try store.makeReader()
        let scan = Fetch(table, columns: [0], access: .scan)
        let outcomes = try reader.outcomes(of: [
            .fetch(BatchFetch(scan, keys: [BatchFetch.Key(["a"])], rowsMax: 1)), .deltaHorizon(table),
            .fetch(BatchFetch(scan, keys: [BatchFetch.Key([])], rowsMax: 3)),
        ])
        guard outcomes.count == 3, case .refused(let first) = outcomes[0], case .refused(let second) = outcomes[1],
            case .rows(let batch) = outcomes[2]
        else { throw StoreError(.other, "\(outcomes)") }
        #expect([first.code, second.code] == [.invalidRequest, .invalidRequest])
        #expect(batch.rowCount == 3)
    }

    @Test("a wave that is too late fails whole")
    func deadline() throws {
        let folder = TemporaryFolder()
        let (store, table) = try makeStore(folder)
        defer { store.close() }
        let filter = ParameterizedCondition(.contains(column: 2, "nowhere"), of: message)
        let scan = Fetch(table, columns: [0], access: .scan, filter: filter.shape)
        for row in 0..<2_000 { try store.put(table, ["c", .text("\(row)"), "no"]) }
        var code: StoreError.Code?
        SQLiteBatchReader(try store.makeReader(), on: TestExecutor()).run(
            [.fetch(BatchFetch(scan, keys: [BatchFetch.Key([])], filter: filter.values, rowsMax: .max))],
            deadline: .now - .seconds(1)
        ) { if case .failure(let error) = $0 { code = error.code } }
        #expect(code == .timedOut)
    }

    @Test("the rows of a batch read like an item, whatever type is asked for")
    func rowsReadAlike() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let table = try store.migrate(to: [task])[0]
        let values: [Value] = ["1", nil, "a\0b", -7, 2.5, 1, #"["ä"]"#, "42"]
        guard case .item(let item, _) = try store.put(table, values) else { return #expect(Bool(false)) }
        let fetch = Fetch(table, columns: Array(values.indices), access: .item)
        let cursor = BatchCursor(
            try store.makeReader().batch(BatchFetch(fetch, keys: [BatchFetch.Key(["1"])], rowsMax: 1)), key: 0)
        #expect(try cursor.next())
        #expect(Item(copying: cursor, count: values.count) == item)
        for position in values.indices {
            let cell = cursor.cell(position)
            #expect(cursor.isNull(position) == item.isNull(position) && cell.isNull == item.isNull(position))
            #expect(cursor.integer(position) == item.integer(position) && cell.integer == item.integer(position))
            #expect(cursor.real(position) == item.real(position) && cell.real == item.real(position))
            let text = unsafe item.withText(position) { unsafe Array($0) }
            let found = unsafe cursor.withText(position) { unsafe Array($0) }
            #expect(found == text)
            var seen: [UInt8]?
            let isText: Bool = unsafe cell.withText { seen = unsafe Array($0) }
            #expect(isText == !item.isNull(position))
            #expect(seen == (item.isNull(position) ? nil : text))
        }
        #expect(try !cursor.next())
    }
}
