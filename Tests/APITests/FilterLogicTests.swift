import JSON
import Testing

@testable import API

@Suite("Filters joined, and conditions on writes", .bothExecutors) struct FilterLogicTests {
    static let schema = "type Thing @model { id: ID! n: Int s: String }"

    private func service() throws -> Service {
        let service = try Service(Self.schema)
        try service.seed(
            """
            mutation {
              a: createThing(input: {id: "a", n: 1, s: "x"}) { id }
              b: createThing(input: {id: "b", n: 2, s: "y"}) { id }
              c: createThing(input: {id: "c", n: 3}) { id }
            }
            """)
        return service
    }

    @Test(
        "and, or, not: at any depth, and with whatever stands beside them",
        arguments: [
            ("and: [{n: {gt: 1}}, {n: {lt: 3}}]", "b"), ("and: [{n: {gt: 1}, s: {eq: \"y\"}}]", "b"),
            ("or: [{n: {eq: 1}}, {n: {eq: 3}}]", "a c"), ("or: [{n: {eq: 1}, s: {eq: \"y\"}}, {n: {eq: 3}}]", "c"),
            ("not: {n: {eq: 1}}", "b c"), ("not: {s: {eq: \"x\"}}", "b c"), ("not: {s: {ne: \"x\"}}", "a"),
            ("not: {n: {gt: 1}, s: {eq: \"y\"}}", "a c"), ("not: {not: {n: {eq: 1}}}", "a"),
            ("n: {ge: 2}, or: [{s: {eq: \"x\"}}, {s: {attributeExists: false}}]", "c"),
            ("or: [{and: [{n: {eq: 1}}, {not: {s: {eq: \"y\"}}}]}, {or: [{and: [{not: {n: {ne: 2}}}]}]}]", "a b"),
            ("and: {n: {eq: 2}}", "b"), ("and: [null, {n: {eq: 2}}]", "b"), ("and: null, or: null, not: null", "a b c"),
            ("and: [{or: [{n: {eq: 1}}]}], or: [{n: {le: 3}}], not: {n: {eq: 2}}", "a"),
        ])
    func joined(filter: String, ids: String) throws {
        let service = try service()
        #expect(try service.ids("{ listThings(filter: {\(filter)}) { items { id } } }", at: "listThings") == ids)
    }

    @Test(
        "what is empty restricts nothing",
        arguments: ["{}", "null", "{and: []}", "{or: []}", "{and: [{}]}", "{n: {}}", "{or: [{}]}"])
    func empty(filter: String) throws {
        let service = try service()
        #expect(try service.ids("{ listThings(filter: \(filter)) { items { id } } }", at: "listThings") == "a b c")
    }

    @Test("an unset variable inside a filter leaves its operator out")
    func unsetVariable() throws {
        let service = try service()
        let query = "query Q($n: Int, $s: String) { listThings(filter: {n: {eq: $n}, s: {eq: $s}}) { items { id } } }"
        #expect(try service.ids(query, "{}", at: "listThings") == "a b c")
        #expect(try service.ids(query, #"{"n": 2}"#, at: "listThings") == "b")
        #expect(try service.ids(query, #"{"n": 2, "s": "x"}"#, at: "listThings") == "")
    }

    @Test("a filter may have many terms, but not any number: then its field fails, the others stand")
    func bounded() throws {
        let service = try service()
        let alternatives = { (count: Int) in (0..<count).map { "{n: {eq: \($0)}}" }.joined(separator: " ") }
        let query = { (count: Int) in
            "{ listThings(filter: {or: [\(alternatives(count))]}) { items { id } } getThing(id: \"a\") { id } }"
        }
        #expect(try service.ids(query(100), at: "listThings") == "a b c")
        let answer = try service.run(query(1_000))
        #expect(answer["data"]?.description == #"{"listThings":null,"getThing":{"id":"a"}}"#)
        #expect(answer["errors"]?.arrayValue?.count == 1)
    }

    @Test("nesting is bounded too, and the field alone fails")
    func deep() throws {
        let service = try service()
        let nested = { (depth: Int) in
            String(repeating: "not: {", count: depth) + "n: {eq: 1}" + String(repeating: "}", count: depth)
        }
        let query = { (depth: Int) in
            "{ listThings(filter: {\(nested(depth))}) { items { id } } getThing(id: \"a\") { id } }"
        }
        #expect(try service.ids(query(16), at: "listThings") == "a")
        #expect(try service.ids(query(17), at: "listThings") == "b c")
        let answer = try service.run(query(60))
        #expect(answer["data"]?.description == #"{"listThings":null,"getThing":{"id":"a"}}"#)
    }

    // MARK: - Conditions

    @Test(
        "a condition decides whether an update or a delete happens",
        arguments: [
            ("{n: {eq: 1}}", true), ("{n: {eq: 2}}", false), ("{s: {attributeExists: false}}", false), ("{}", true),
            ("null", true),
            ("{not: {n: {gt: 1}}, or: [{s: {eq: \"x\"}}]}", true), ("{and: [{n: {eq: 1}}, {s: {eq: \"y\"}}]}", false),
            ("{s: {beginsWith: \"x\", size: {eq: 1}}}", true),
        ])
    func condition(condition: String, holds: Bool) throws {
        let service = try service()
        try service.expect(
            #"mutation { updateThing(input: {id: "a", s: "new"}, condition: \#(condition)) { s } }"#,
            data: holds ? #"{"updateThing":{"s":"new"}}"# : #"{"updateThing":null}"#,
            errors: holds ? [] : [conditionFailed("updateThing")])
        try service.expect(
            #"{ getThing(id: "a") { s } }"#, data: holds ? #"{"getThing":{"s":"new"}}"# : #"{"getThing":{"s":"x"}}"#)

        let other = try self.service()
        try other.expect(
            #"mutation { deleteThing(input: {id: "a"}, condition: \#(condition)) { id } }"#,
            data: holds ? #"{"deleteThing":{"id":"a"}}"# : #"{"deleteThing":null}"#,
            errors: holds ? [] : [conditionFailed("deleteThing")])
        #expect(try other.ids("{ listThings { items { id } } }", at: "listThings") == (holds ? "b c" : "a b c"))
    }

    @Test(
        "on create a condition is asked of the item that is not there",
        arguments: [
            ("{n: {eq: 9}}", false), ("{n: {ne: 9}}", true), ("{n: {attributeExists: false}}", true),
            ("{n: {attributeExists: true}}", false), ("{not: {n: {eq: 9}}}", true), ("{s: {notContains: \"q\"}}", true),
            ("{}", true),
        ])
    func conditionOnCreate(condition: String, holds: Bool) throws {
        let service = try service()
        try service.expect(
            #"mutation { createThing(input: {id: "z", n: 9}, condition: \#(condition)) { id } }"#,
            data: holds ? #"{"createThing":{"id":"z"}}"# : #"{"createThing":null}"#,
            errors: holds ? [] : [conditionFailed("createThing")])
    }

    @Test("a create does not overwrite an item, even if its condition is true")
    func conditionOnDuplicate() throws {
        let service = try service()
        try service.expect(
            #"mutation { createThing(input: {id: "a", n: 9}, condition: {n: {eq: 1}}) { id } }"#,
            data: #"{"createThing":null}"#, errors: [conditionFailed("createThing")])
    }
}
