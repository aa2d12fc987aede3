import Testing

@testable import Tables

@Suite("Pages go on where the last one ended")
struct PagingTests {
    @Test("nothing is skipped or repeated while items come in before and after", arguments: [false, true])
    func pagingUnderInserts(descending: Bool) throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let table = try store.migrate(to: [task])[0]
        let reader = try store.makeReader()
        func put(_ id: String, _ priority: Int64) throws {
            try store.perform(
                Write(table: table, action: .put([(0, .text(id)), (1, "me"), (3, .integer(priority))]), returning: []))
        }
        for index in 0..<60 { try put("old\(index)", Int64(index % 4)) }
        func fetch(_ continues: Bool) -> Fetch {
            Fetch(table, columns: [0], access: .index(2), descending: descending, continues: continues)
        }
        var seen: [String] = []
        var position: Position?
        while true {
            reader.beginRequest(budget: Budget())
            let cursor = try reader.open(
                fetch(position != nil), partitionKey: .value("me"), sort: nil, after: position, limit: 7)
            var count = 0
            while try cursor.next() {
                count += 1
                if case .text(let id) = cursor.value(0), id.hasPrefix("old") { seen.append(id) }
            }
            if count == 7 { position = cursor.position }
            cursor.close()
            if count < 7 { break }
            if seen.count < 40 {
                try put("new\(seen.count)", 0)
                try put("newer\(seen.count)", 3)
            }
        }
        let inOrder = (0..<4).flatMap { priority in (0..<60).filter { $0 % 4 == priority } }.map { "old\($0)" }
        #expect(seen == (descending ? inOrder.reversed() : inOrder))
    }

    @Test("the limit counts rows read, and the last one read stays current")
    func limit() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let table = try store.migrate(to: [message])[0]
        for index in 1...5 { try store.put(table, ["room", .text("\(index)"), .text(index == 2 ? "yes" : "no")]) }
        let reader = try store.makeReader()
        let filter = ParameterizedCondition(.compare(column: 2, .eq, "yes"), of: message)
        let fetch = Fetch(table, columns: [1], access: .primaryKey, filter: filter.shape)
        let cursor = try reader.open(
            fetch, partitionKey: .value("room"), sort: nil, after: nil, filter: filter.values, limit: 3)
        var verdicts: [Bool] = []
        while try cursor.next() { verdicts.append(cursor.matches) }
        #expect(verdicts == [false, true, false])
        #expect(cursor.position.sort == "3")
        #expect(try !cursor.next())
        cursor.close()
        let narrowed = Fetch(table, columns: [1], access: .primaryKey, filter: filter.shape, filterDropsRows: true)
        #expect(try reader.rows(narrowed, "room", filter: filter.values, limit: 3) == [["2"]])
    }

    @Test("a composite sort key is compared as one text")
    func compositeKeys() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let table = try store.migrate(to: [seat])[0]
        for (row, place) in [(9, "a"), (10, "a"), (10, "b"), (100, "a")] as [(Int64, String)] {
            try store.put(table, ["hall", .integer(row), .text(place), nil])
        }
        let reader = try store.makeReader()
        func rows(_ sortOperator: SortOperator?, _ operands: [Value]...) throws -> [[Value]] {
            let sort = sortOperator.map { SortCondition(sortOperator: $0, operands: operands) }
            let fetch = Fetch(table, columns: [1, 2], access: .primaryKey, sort: sort?.shape)
            return try reader.rows(fetch, "hall", sort)
        }
        #expect(try rows(nil) == [[10, "a"], [10, "b"], [100, "a"], [9, "a"]])
        #expect(try rows(.beginsWith, [10]) == [[10, "a"], [10, "b"], [100, "a"]])
        #expect(try rows(.beginsWith, [10, ""]) == [[10, "a"], [10, "b"]])
        #expect(try rows(.eq, [10]) == [])
        #expect(try rows(.eq, [10, "b"]) == [[10, "b"]])
        #expect(try rows(.gt, [10, "b"]) == [[100, "a"], [9, "a"]])
        #expect(try rows(.between, [10, "a"], [10, "z"]) == [[10, "a"], [10, "b"]])
    }
}
