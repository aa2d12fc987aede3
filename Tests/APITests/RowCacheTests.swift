import JSON
import Testing

@testable import API

@Suite("Kept rows") struct RowCacheTests {
    private static let schema = """
        type Note @model @key(name: "byOwner", fields: ["owner", "n"], queryField: "notesByOwner") {
          id: ID! owner: ID! n: Int! text: String weight: Float isDone: Boolean big: AWSTimestamp
        }
        type Link @model { id: ID! noteId: ID note: Note @connection(fields: ["noteId"]) }
        """
    private static let fields = "__typename id owner n text weight isDone big"

    /// One page, as it is kept, as it is read because a field hangs on a variable, and as its first field does.
    private static func query(_ page: String) -> String {
        """
        query Q($no: Boolean!) {
          kept: \(page) { items { \(fields) } nextToken }
          read: \(page) { items { \(fields) @skip(if: $no) } nextToken }
          bare: \(page) { items { __typename @skip(if: $no) id owner n text weight isDone big } nextToken }
        }
        """
    }

    /// Items by their keys: as they are kept, and as they are read.
    private static func query(noteID: Int) -> String {
        let (kept, read) = ("{ \(fields) }", "{ \(fields) @skip(if: $no) }")
        let selections = ["kept": kept, "read": read, "bare": "{ __typename @skip(if: $no) \(fields) }"]
        let parts = selections.map { name, selection in
            "\(name): getLink(id: \"l\(noteID)\") { note \(selection) } \(name)Note: getNote(id: \"i\(noteID)\") \(selection)"
        }
        return "query Q($no: Boolean!) { \(parts.joined(separator: " ")) }"
    }

    private static let pages = [
        "listNotes", "listNotes(limit: 3)", #"notesByOwner(owner: "a", limit: 4)"#, #"notesByOwner(owner: "b")"#,
        #"notesByOwner(owner: "a", sortDirection: DESC, limit: 5)"#, #"notesByOwner(owner: "a", n: {ge: 3})"#,
        #"notesByOwner(owner: "b", filter: {isDone: {eq: true}})"#, #"notesByOwner(owner: "nobody")"#,
    ]

    private func mutation(using random: inout SeededGenerator) -> String {
        let id = Int.random(in: 0..<12, using: &random)
        let text =
            ["null", #""""#, #""plain""#, #""q\"uo\\te \u0007 and more of it""#].randomElement(using: &random) ?? ""
        let input = """
            id: "i\(id)", owner: "\(Bool.random(using: &random) ? "a" : "b")", n: \(Int.random(in: 0..<6, using: &random)), \
            text: \(text), weight: \(Double(Int.random(in: 0..<9, using: &random)) / 4), big: \(1 << 40 + id), \
            isDone: \(["true", "false", "null"].randomElement(using: &random) ?? "")
            """
        return switch Int.random(in: 0..<4, using: &random) {
        case 0: #"mutation { deleteNote(input: {id: "i\#(id)"}) { id } }"#
        case 1: "mutation { createNote(input: {\(input)}) { id } }"
        default: "mutation { updateNote(input: {\(input)}) { id } }"
        }
    }

    @Test("when the ages begin anew, items of earlier ages are gone and new ones are kept")
    func ages() {
        let cache = RowCache(bytesMax: 1 << 16, age: .max - 1)
        for version in 1...4 as ClosedRange<UInt32> {
            cache.renew(version)
            #expect(cache.isEmpty)
            for id in 1...100 as ClosedRange<Int64> {
                var writer = JSONWriter(capacity: 16)
                #expect(!cache.write(id, as: 0, into: &writer), "item \(id) of version \(version)")
                writer.write(id * Int64(version))
                cache.insert(id, as: 0, writtenSince: 0, in: writer)
            }
            for id in 1...100 as ClosedRange<Int64> {
                var writer = JSONWriter(capacity: 16)
                #expect(cache.write(id, as: 0, into: &writer))
                #expect(writer.bytes == Array("\(id * Int64(version))".utf8))
            }
            #expect(cache.entryCount == 100)
        }
    }

    @Test("answer as the table does while it is written to, on every loop", arguments: [1, 3_000, 8 << 20])
    func equalsTable(bytesMax: Int) throws {
        var limits = APILimits()
        limits.rowCacheBytesMax = bytesMax
        let first = try Service(Self.schema, options: APIOptions(limits: limits))
        let loops = [first, try first.onAnotherLoop(), try first.onAnotherLoop()]
        let links = (0..<12).map { #"m\#($0): createLink(input: {id: "l\#($0)", noteId: "i\#($0)"}) { id }"# }
        try first.seed("mutation { \(links.joined(separator: " ")) }")
        let seed = UInt64.testSeed(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var itemCount = 0
        for step in 0..<300 {
            // Mutations are committed by another thread while the queries behind them are answered.
            var bodies: [String] = []
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                // Three in four turns only read, so that rows come to be kept.
                if step % 4 == 0, Bool.random(using: &random) {
                    bodies.append(Service.body(mutation(using: &random), nil))
                } else if Bool.random(using: &random) {
                    let query = Self.query(noteID: Int.random(in: 0..<12, using: &random))
                    bodies.append(Service.body(query, #"{"no": false}"#))
                } else {
                    let page = Self.pages.randomElement(using: &random) ?? ""
                    bodies.append(Service.body(Self.query(page), #"{"no": false}"#))
                }
            }
            guard let loop = loops.randomElement(using: &random) else { continue }
            for answer in try loop.send(bodies: bodies) {
                guard let data = try JSONReader.read(answer.text)["data"], let kept = data["kept"] else { continue }
                try #require(kept == data["read"], "seed \(seed), step \(step)")
                try #require(kept == data["bare"], "seed \(seed), step \(step)")
                try #require(data["keptNote"] == data["readNote"], "seed \(seed), step \(step)")
                try #require(data["keptNote"] == data["bareNote"], "seed \(seed), step \(step)")
                itemCount += kept["items"]?.arrayValue?.count ?? 1
            }
        }
        #expect(itemCount > 100, "seed \(seed)")
        #expect(loops.contains { $0.context.rows?.isEmpty == (bytesMax == 1) }, "seed \(seed)")
    }

    @Test("are what a dictionary holds, as far as they are kept, and within their bound")
    func equalsDictionary() throws {
        let seed = UInt64.testSeed(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var cache = RowCache(bytesMax: 64 << 10)
        var model: [String: String] = [:]
        var version: UInt32 = 0
        var found = 0
        for step in 0..<50_000 {
            let row = Int.random(in: 0..<400, using: &random)
            let selection = Int.random(in: 1...3, using: &random)
            // By the row's number, or by a key of as many bytes as the number says.
            let key = Bool.random(using: &random) ? String(repeating: "k", count: row) : nil
            let name = "\(selection) \(row) \(key == nil)"
            if Int.random(in: 0..<5_000, using: &random) == 0 {
                (version, model) = (version + 1, [:])
                cache.renew(version)
            }
            var writer = JSONWriter(capacity: 256)
            writer.append("before")
            let isKept =
                key.map {
                    unsafe Array($0.utf8).withUnsafeBytes {
                        unsafe cache.write($0, as: selection, by: nil, into: &writer)
                    }
                }
                ?? cache.write(Int64(row), as: selection, into: &writer)
            if isKept {
                found += 1
                let text = unsafe writer.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
                try #require(text == model[name].map { "before" + $0 }, "seed \(seed), step \(step)")
            } else {
                try #require(writer.count == 6)
                let mark = writer.mark()
                writer.writeString("\(name) \(step)" + String(repeating: "x", count: row))
                model[name] = String(decoding: writer.bytes[mark...], as: UTF8.self)
                if let key {
                    unsafe Array(key.utf8).withUnsafeBytes {
                        unsafe cache.insert($0, as: selection, by: nil, writtenSince: mark, in: writer)
                    }
                } else {
                    cache.insert(Int64(row), as: selection, writtenSince: mark, in: writer)
                }
            }
            try #require(cache.bytesNow <= 64 << 10, "seed \(seed), step \(step)")
        }
        #expect(found > 1_000, "seed \(seed)")
        cache = RowCache(bytesMax: 100)
        var writer = JSONWriter(capacity: 64)
        writer.writeString("too much")
        cache.insert(1, as: 1, writtenSince: 0, in: writer)
        #expect(cache.isEmpty)
    }

    @Test("are not taken for another document's, nor kept when a value does not fit its type")
    func apart() throws {
        let service = try Service("type Todo @model { id: ID! name: String! }")
        try service.seed(#"mutation { createTodo(input: {id: "1", name: "x"}) { id } }"#)
        for _ in 0..<2 {
            try service.expect("{ listTodos { items { id } } }", data: #"{"listTodos":{"items":[{"id":"1"}]}}"#)
            try service.expect("{ listTodos { items { name } } }", data: #"{"listTodos":{"items":[{"name":"x"}]}}"#)
        }
        let newer = try service.reloaded("type Todo @model { id: ID! name: String! more: Int! }")
        for _ in 0..<2 {
            try newer.expect(
                "{ listTodos { items { id more } } }", data: #"{"listTodos":{"items":[null]}}"#,
                errors: [
                    "listTodos/items/0/more Cannot return null for non-nullable type: 'Int' within parent 'Todo' (/listTodos/items[0]/more)"
                ])
        }
    }
}
