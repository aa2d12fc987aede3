import JSON
import Testing

@testable import Tables

/// A record of two key columns and a document.
struct Note: Record, Equatable {
    var author: String
    var number: Int64
    var text: String
    var revision: Int64 = 0

    static let table = Table(
        system: "Test.Notes", ["author", "number", "document"], integers: ["number"], key: ("author", "number"),
        indexes: [("byNumber", "number", "author")])

    init(_ author: String, _ number: Int64, _ text: String) {
        (self.author, self.number, self.text) = (author, number, text)
    }

    init?(_ row: [Value], revision: Int64) {
        guard let author = row[0].text, let text = RecordDocument(row[2].text)?.string("text") else { return nil }
        self.init(author, row[1].asInteger, text)
        self.revision = revision
    }

    var row: [Value] {
        var document = RecordDocument()
        document.set("text", text)
        return [.text(author), .integer(number), .text(document.text)]
    }
}

@Suite("Records")
struct RecordTests {
    private let folder = TemporaryFolder()
    private let store: SQLiteStore
    private let tables: StoredRecordTables
    private let reader: Reader

    init() throws {
        store = try SQLiteStore.open(folder)
        tables = StoredRecordTables(try store.migrate(to: [Note.storedTable]))
        reader = try store.makeReader()
    }

    private func write(_ writes: RecordWrite...) async throws -> Bool {
        try await store.write(writes, to: tables, on: TestExecutor()).get()
    }

    private func note(_ author: String, _ number: Int64) throws -> Note? {
        let table = tables[Note.self]
        let fetch = Fetch(table, columns: Array(table.table.columns.indices), access: .item)
        return try reader.row(fetch, [.text(author), .integer(number)]).flatMap { Note(stored: Item(values: $0)) }
    }

    @Test("a system table has text columns but for its integers, its keys by position, and the revision last")
    func table() {
        let columns = [
            Column(name: "author", type: .text), Column(name: "number", type: .integer),
            Column(name: "document", type: .text), Column(name: "revision", type: .integer),
        ]
        #expect(
            Note.storedTable
                == Table(
                    name: "Test.Notes", columns: columns, key: KeySchema(partitionKey: 0, sortKeys: [1]),
                    indexes: [SecondaryIndex(name: "byNumber", key: KeySchema(partitionKey: 1, sortKeys: [0]))]))
        #expect(Table(system: "Test.Pools", ["id"], key: ("id", nil)).key == KeySchema(partitionKey: 0))
    }

    @Test("a record is inserted once, and replaced and deleted only as it was read")
    func revisions() async throws {
        #expect(try await write(.insert(Note("a", 1, "first"))))
        #expect(try await !write(.insert(Note("a", 1, "again"))))
        var read = try #require(try note("a", 1))
        #expect(read.text == "first" && read.revision == 1)
        read.text = "second"
        #expect(try await write(.replace(read)))
        let stored = try #require(try note("a", 1))
        #expect(stored.text == "second" && stored.revision == 2)
        #expect(try await !write(.replace(read)))
        #expect(try await !write(.delete(read)))
        #expect(try note("a", 1) == stored)
        #expect(try await write(.delete(stored)))
        #expect(try note("a", 1) == nil)
        #expect(try await !write(.replace(stored)))
    }

    @Test("writes of several records are carried out together, or none of them")
    func together() async throws {
        #expect(try await write(.insert(Note("a", 1, "one")), .insert(Note("a", 2, "two"))))
        let (first, second) = (try #require(try note("a", 1)), try #require(try note("a", 2)))
        #expect(try await !write(.delete(first), .insert(second)))
        #expect(try await !write(.delete(first), .require(Note("b", 1, ""))))
        #expect(try note("a", 1) == first)
        #expect(try await write(.delete(first), .require(Note("a", 2, "whatever it is"))))
        #expect(try note("a", 1) == nil)
        #expect(try note("a", 2) == second)
    }

    @Test("items are read by key, by index and in pages, with the columns and in the order that are asked for")
    func reads() async throws {
        for number in 1...5 { #expect(try await write(.insert(Note("a", Int64(number), "text \(number)")))) }
        #expect(try await write(.insert(Note("b", 3, "of b"))))
        let reads = try ItemReads(store, on: TestExecutor())
        let table = tables[Note.self]
        func rows(_ query: ItemQuery, _ count: Int) async throws -> (rows: [[Value]], last: Position?) {
            let batch = try await reads.run(query).get()
            let cursor = BatchCursor(batch, key: 0)
            var rows: [[Value]] = []
            while try cursor.next() { rows.append((0..<count).map { cursor.value($0) }) }
            return (rows, rows.isEmpty ? nil : cursor.position)
        }
        // Each twice: the second time by the fetch of the first.
        for _ in 0..<2 {
            let item = ItemQuery(table: table, access: .item, key: ["a", 2], limit: 1)
            #expect(try await rows(item, 4).rows == [Note("a", 2, "text 2").row + [1]])
            var page = ItemQuery(table: table, key: ["a"], columns: [1], limit: 3)
            let (first, last) = try await rows(page, 1)
            #expect(first == [[1], [2], [3]])
            page.after = last
            #expect(try await rows(page, 1).rows == [[4], [5]])
            let newest = ItemQuery(table: table, key: ["a"], columns: [1, 0], limit: 2, descending: true)
            #expect(try await rows(newest, 2).rows == [[5, "a"], [4, "a"]])
            let sort = SortCondition(sortOperator: .beginsWith, operands: [["b"]])
            let indexed = ItemQuery(table: table, access: .index(0), key: [3], sort: sort, columns: [0], limit: 9)
            #expect(try await rows(indexed, 1).rows == [["b"]])
            #expect(
                try await rows(ItemQuery(table: table, access: .scan, key: [], columns: [1], limit: 9), 1).rows.count
                    == 6)
        }
        // A sort condition is for a query alone.
        let refused = await reads.run(
            ItemQuery(
                table: table, access: .item, key: ["a", 1],
                sort: SortCondition(sortOperator: .eq, operands: [["a"]]), limit: 1))
        #expect(throws: StoreError.self) { try refused.get() }
    }

    @Test("a document has the members that were set, and reads them again")
    func document() throws {
        var document = RecordDocument()
        document.set("text", "t")
        document.set("noText", String?.none)
        document.set("number", Int64.max)
        document.set("noNumber", Int64?.none)
        document.set("true", true)
        document.set("false", false)
        document.set("texts", ["a", "b"])
        document.set("noTexts", [String]())
        document.set("pairs", [(name: "n", value: "v"), (name: "n", value: "w")])
        document.set("noPairs", [(name: String, value: String)]())
        let text =
            #"{"text":"t","number":9223372036854775807,"true":true,"texts":["a","b"],"pairs":[["n","v"],["n","w"]]}"#
        #expect(document.text == text)
        let read = try #require(RecordDocument(text))
        #expect(read.string("text") == "t" && read.string("number") == nil && read.string("noText") == nil)
        #expect(read.integer("number") == .max && read.integer("text") == nil)
        #expect(read.bool("true") && !read.bool("false") && !read.bool("text"))
        #expect(read.strings("texts") == ["a", "b"] && read.strings("noTexts").isEmpty)
        #expect(read.pairs("pairs").map(\.value) == ["v", "w"] && read.pairs("texts").isEmpty)
        for text in [nil, "", "[]", "{"] { #expect(RecordDocument(text) == nil, "\(text ?? "nil")") }
    }

    @Test("sortable numbers have 19 digits and are ordered as the numbers are")
    func sortableNumbers() {
        let numbers: [Int64] = [0, 1, 9, 10, 99, 1_700_000_000_000, .max]
        let texts = numbers.map(SortableNumber.text)
        #expect(texts.allSatisfy { $0.utf8.count == 19 } && texts == texts.sorted() && Set(texts).count == texts.count)
        #expect(SortableNumber.text(-1) == texts[0])
    }
}
