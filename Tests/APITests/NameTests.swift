import JSON
import Testing

@testable import API

@Suite("Names that mean something elsewhere", .bothExecutors) struct NameTests {
    /// Words of SQL, names of SQLite's own row number, and the aliases that a statement might use.
    static let fields = [
        "rowid", "oid", "_rowid_", "select", "order", "group", "where", "index", "table", "key", "value", "type", "t",
        "e", "sort", "seq",
        "excluded", "new", "old", "null", "limit", "filter", "items", "nextToken", "json", "_1",
    ]

    @Test("fields may be called anything: they are written, read, filtered and sorted by")
    func fieldNames() throws {
        let declared = Self.fields.map { "\($0): Int" }.joined(separator: " ")
        let service = try Service(
            #"type Order @model @key(name: "by", fields: ["group", "order"], queryField: "by") { id: ID! \#(declared) }"#
        )
        for (id, base) in [("a", 0), ("b", 100)] {
            let values = Self.fields.enumerated().map { "\($1): \(base + $0)" }.joined(separator: " ")
            try service.seed("mutation { createOrder(input: {id: \"\(id)\" \(values)}) { id } }")
        }
        let selection = Self.fields.joined(separator: " ")
        let expected = Self.fields.enumerated().map { #""\#($1)":\#($0)"# }.joined(separator: ",")
        try service.expect(#"{ getOrder(id: "a") { \#(selection) } }"#, data: #"{"getOrder":{\#(expected)}}"#)
        for (index, field) in Self.fields.enumerated() {
            let found = try service.ids(
                "{ listOrders(filter: {\(field): {eq: \(index)}}) { items { id } } }", at: "listOrders")
            #expect(found == "a", "\(field)")
            try service.expect(
                #"mutation { updateOrder(input: {id: "b", \#(field): \#(index + 1)}) { \#(field) } }"#,
                data: #"{"updateOrder":{"\#(field)":\#(index + 1)}}"#)
        }
        #expect(try service.ids("{ by(group: 5, order: {ge: 4}) { items { id } } }", at: "by") == "a")
        #expect(try service.ids("{ by(group: 6) { items { id } } }", at: "by") == "b")
    }

    @Test("and, or and not as names of fields are those fields")
    func logicNames() throws {
        let service = try Service("type Gate @model { id: ID! name: String! }")
        try service.seed(#"mutation { createGate(input: {id: "and", name: "or"}) { id } }"#)
        #expect(
            try service.ids(#"{ listGates(filter: {not: {name: {eq: "and"}}}) { items { id } } }"#, at: "listGates")
                == "and")
    }

    @Test(
        "models with the names of SQL's words",
        arguments: ["Table", "Select", "Index", "Values", "Transaction", "Items", "Catalog"])
    func modelNames(name: String) throws {
        let service = try Service("type \(name) @model { id: ID! body: String }")
        try service.expect(
            #"mutation { create\#(name)(input: {id: "a", body: "b"}) { id body } }"#,
            data: #"{"create\#(name)":{"id":"a","body":"b"}}"#)
        try service.expect(#"{ get\#(name)(id: "a") { body } }"#, data: #"{"get\#(name)":{"body":"b"}}"#)
    }

    @Test(
        "texts that look like SQL or patterns are texts",
        arguments: [
            "'", "\"", "a'; DROP TABLE Note; --", "%", "_", "\\", "?1", ":a", "#", "a#b", "\u{FFFF}", "\u{10FFFF}",
            "{\"a\":1}", "null", "$id",
        ])
    func texts(text: String) throws { try check(text) }

    @Test("names with a NUL inside, where C would stop, are distinct")
    func nul() throws {
        for text in ["a\u{0}b", "\u{0}"] { try check(text) }
    }

    private func check(_ text: String) throws {
        let service = try Service(
            #"type Note @model @key(name: "byBody", fields: ["body", "more"], queryField: "byBody") { id: ID! body: String more: String tags: [String] }"#
        )
        let json = JSONValue.string(text).description
        let created = try service.value(
            "mutation M($i: CreateNoteInput!) { createNote(input: $i) { id body tags } }",
            #"{"i": {"id": \#(json), "body": \#(json), "more": \#(json), "tags": [\#(json)]}}"#, at: "createNote")
        #expect(created?["id"]?.stringValue == text)
        #expect(created?["body"]?.stringValue == text)
        #expect(created?["tags"]?.arrayValue?.first?.stringValue == text)
        let variables = #"{"x": \#(json)}"#
        let queries = [
            "query Q($x: String) { listNotes(filter: {body: {eq: $x}}) { items { body } } }",
            "query Q($x: String) { listNotes(filter: {body: {beginsWith: $x}, more: {contains: $x}}) { items { body } } }",
            "query Q($x: String) { listNotes: byBody(body: $x, more: {eq: $x}) { items { body } } }",
            "query Q($x: String) { listNotes: byBody(body: $x, more: {beginsWith: $x}) { items { body } } }",
            "query Q($x: String) { listNotes: byBody(body: $x, more: {between: [$x, $x]}) { items { body } } }",
        ]
        for query in queries {
            let items = try service.value(query, variables, at: "listNotes", "items")?.arrayValue
            #expect(items?.map { $0["body"]?.stringValue } == [text], "\(json) \(query)")
        }
        let inList = try service.value(
            "query Q($x: String) { listNotes(filter: {tags: {contains: $x}}) { items { body } } }", variables,
            at: "listNotes", "items")
        #expect(inList?.arrayValue?.count == 1)
    }
}
