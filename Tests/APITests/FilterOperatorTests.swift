import JSON
import Testing

@testable import API

@Suite("Filter operators", .bothExecutors) struct FilterOperatorTests {
    static let schema = """
        enum Color { RED GREEN }
        type Thing @model {
          id: ID! str: String int: Int flt: Float bool: Boolean ref: ID date: AWSDate stamp: AWSTimestamp
          color: Color tags: [String] scores: [Int] flags: [Boolean] colors: [Color]
        }
        """

    /// Three things with every attribute, and one, `d`, with none.
    private func service() throws -> Service {
        let service = try Service(Self.schema)
        try service.seed(
            """
            mutation {
              a: createThing(input: {id: "a", str: "apple", int: 1, flt: 1.5, bool: true, ref: "r1", date: "2026-01-01",
                stamp: 100, color: RED, tags: ["x", "y"], scores: [1, 2], flags: [true], colors: [RED]}) { id }
              b: createThing(input: {id: "b", str: "Apple pie", int: 10, flt: -2, bool: false, ref: "r2", date: "2026-02-01",
                stamp: 20, color: GREEN, tags: ["y"], scores: [], flags: [false], colors: [RED, GREEN]}) { id }
              c: createThing(input: {id: "c", str: "banana ☕", int: 9, flt: 10, bool: true, ref: "r10", date: "2026-03-01",
                stamp: 3, color: RED, tags: [], scores: [2], flags: [], colors: []}) { id }
              d: createThing(input: {id: "d"}) { id }
            }
            """)
        return service
    }

    static let cases: [(filter: String, ids: String)] = [
        // Text: by its bytes, upper case before lower case.
        ("str: {eq: \"apple\"}", "a"), ("str: {eq: \"APPLE\"}", ""), ("str: {ne: \"apple\"}", "b c d"),
        ("str: {lt: \"apple\"}", "b"), ("str: {le: \"apple\"}", "a b"), ("str: {gt: \"apple\"}", "c"),
        ("str: {ge: \"apple\"}", "a c"), ("str: {between: [\"Apple\", \"apple\"]}", "a b"),
        ("str: {between: [\"b\", \"a\"]}", ""), ("str: {contains: \"pp\"}", "a b"), ("str: {contains: \"☕\"}", "c"),
        ("str: {contains: \"%\"}", ""), ("str: {notContains: \"pp\"}", "c d"), ("str: {beginsWith: \"App\"}", "b"),
        ("str: {beginsWith: \"_pp\"}", ""), ("str: {beginsWith: \"\"}", "a b c"),
        ("str: {attributeExists: true}", "a b c"),
        ("str: {attributeExists: false}", "d"), ("str: {attributeType: string}", "a b c"),
        ("str: {attributeType: number}", ""),
        ("str: {size: {eq: 5}}", "a"), ("str: {size: {ne: 5}}", "b c"), ("str: {size: {gt: 5, le: 8}}", "c"),
        ("str: {size: {between: [5, 8]}}", "a c"), ("str: {size: {lt: 6}}", "a"), ("str: {size: {ge: 8}}", "b c"),
        // Numbers: by value, not by text.
        ("int: {eq: 9}", "c"), ("int: {ne: 9}", "a b d"), ("int: {lt: 10}", "a c"), ("int: {le: 10}", "a b c"),
        ("int: {gt: 9}", "b"), ("int: {ge: 9}", "b c"), ("int: {between: [2, 10]}", "b c"),
        ("int: {attributeExists: true}", "a b c"), ("int: {attributeExists: false}", "d"),
        ("int: {attributeType: number}", "a b c"), ("int: {attributeType: string}", ""),
        ("flt: {eq: 1.5}", "a"), ("flt: {eq: 10}", "c"), ("flt: {ne: 1.5}", "b c d"), ("flt: {lt: 0}", "b"),
        ("flt: {le: 1.5}", "a b"), ("flt: {gt: 1}", "a c"), ("flt: {ge: 10.0}", "c"),
        ("flt: {between: [-2, 1.5]}", "a b"),
        ("flt: {attributeExists: false}", "d"), ("flt: {attributeType: number}", "a b c"),
        // Booleans have no order.
        ("bool: {eq: true}", "a c"), ("bool: {ne: true}", "b d"), ("bool: {eq: false}", "b"),
        ("bool: {attributeExists: true}", "a b c"), ("bool: {attributeExists: false}", "d"),
        ("bool: {attributeType: bool}", "a b c"), ("bool: {attributeType: number}", ""),
        // Identifiers, dates and enumerations are text; a timestamp is a number.
        ("id: {eq: \"a\"}", "a"), ("id: {ne: \"a\"}", "b c d"), ("id: {beginsWith: \"d\"}", "d"),
        ("id: {between: [\"b\", \"c\"]}", "b c"),
        ("id: {gt: \"b\"}", "c d"), ("id: {attributeExists: true}", "a b c d"), ("id: {size: {eq: 1}}", "a b c d"),
        ("ref: {eq: \"r1\"}", "a"), ("ref: {lt: \"r2\"}", "a c"), ("ref: {contains: \"1\"}", "a c"),
        ("ref: {notContains: \"1\"}", "b d"),
        ("date: {gt: \"2026-01-15\"}", "b c"), ("date: {beginsWith: \"2026-02\"}", "b"),
        ("date: {ne: \"2026-02-01\"}", "a c d"),
        ("stamp: {lt: 100}", "b c"), ("stamp: {between: [3, 20]}", "b c"), ("stamp: {ne: 3}", "a b d"),
        ("color: {eq: RED}", "a c"), ("color: {ne: RED}", "b d"),
        // Lists: an element, the whole, and how many.
        ("tags: {contains: \"x\"}", "a"), ("tags: {contains: \"y\"}", "a b"), ("tags: {notContains: \"y\"}", "c d"),
        ("tags: {attributeExists: true}", "a b c"), ("tags: {attributeExists: false}", "d"),
        ("tags: {attributeType: list}", "a b c"), ("tags: {attributeType: string}", ""),
        ("tags: {size: {eq: 0}}", "c"), ("tags: {size: {gt: 0}}", "a b"), ("tags: {eq: \"x\"}", ""),
        ("tags: {ne: \"x\"}", "a b c d"),
        ("tags: {beginsWith: \"x\"}", ""),
        ("scores: {attributeExists: true}", "a b c"), ("scores: {eq: 1}", ""), ("scores: {ne: 1}", "a b c d"),
        ("flags: {attributeExists: false}", "d"), ("flags: {eq: true}", ""),
        ("colors: {eq: [RED]}", "a"), ("colors: {eq: [RED, GREEN]}", "b"), ("colors: {eq: [GREEN, RED]}", ""),
        ("colors: {eq: []}", "c"), ("colors: {ne: [RED]}", "b c d"), ("colors: {contains: GREEN}", "b"),
        ("colors: {notContains: GREEN}", "a c d"),
        // Several operators on one field, several fields: all must hold.
        ("int: {gt: 1, lt: 10}", "c"), ("int: {gt: 1}, bool: {eq: true}", "c"), ("int: {gt: 1, lt: 1}", ""),
    ]

    @Test("each on each type, with an item that lacks the attribute")
    func operators() throws {
        let service = try service()
        for (filter, ids) in Self.cases {
            let found = try service.ids("{ listThings(filter: {\(filter)}) { items { id } } }", at: "listThings")
            #expect(found == ids, "\(filter)")
        }
    }

    @Test("the same by one variable that holds the whole filter")
    func byVariable() throws {
        let service = try service()
        for (filter, ids) in Self.cases {
            let json = "{\(filter)}"
                .replacing(/(\w+):/) { "\"\($0.1)\":" }
                .replacing(/: *([A-Za-z]\w*)/) { ["true", "false"].contains($0.1) ? ":\($0.1)" : ":\"\($0.1)\"" }
                .replacing(/([\[ ])(RED|GREEN)/) { "\($0.1)\"\($0.2)\"" }
            let found = try service.ids(
                "query Q($f: ModelThingFilterInput) { listThings(filter: $f) { items { id } } }", #"{"f": \#(json)}"#,
                at: "listThings")
            #expect(found == ids, "\(json)")
        }
    }

    @Test(
        "null as an operand means an absent attribute; as an operator's whole input it asks nothing",
        arguments: [
            ("str: {eq: null}", "d"), ("str: {ne: null}", "a b c"), ("bool: {eq: null}", "d"), ("str: {lt: null}", ""),
            ("str: {beginsWith: null}", ""), ("str: {contains: null}", ""), ("str: {notContains: null}", "a b c d"),
            ("str: null", "a b c d"), ("str: {}", "a b c d"), ("colors: {eq: null}", "d"),
            ("str: {size: null}", "a b c d"),
            ("str: {attributeExists: null}", "a b c d"), ("str: {size: {}}", "a b c d"),
        ])
    func nullOperand(filter: String, ids: String) throws {
        let service = try service()
        #expect(try service.ids("{ listThings(filter: {\(filter)}) { items { id } } }", at: "listThings") == ids)
    }

    @Test(
        "between takes exactly two",
        arguments: ["int: {between: [1]}", "int: {between: [1, 2, 3]}", "str: {size: {between: [1]}}"])
    func betweenCount(filter: String) throws {
        let service = try service()
        let message = "Invalid operator used in FilterExpression: 'between' expects exactly two elements."
        try service.expect(
            "{ listThings(filter: {\(filter)}) { items { id } } }", data: #"{"listThings":null}"#,
            errors: ["listThings DynamoDB:DynamoDbException: \(message)"])
    }

    @Test(
        "an operator that the type's input lacks, or an operand of another type, is refused by validation",
        arguments: [
            "bool: {lt: true}", "int: {contains: 1}", "str: {eq: 5}", "int: {eq: \"5\"}", "color: {eq: BLUE}",
            "nosuch: {eq: 1}",
            "str: {like: \"a\"}", "str: {attributeType: text}",
        ])
    func refused(filter: String) throws {
        let service = try service()
        let answer = try service.run("{ listThings(filter: {\(filter)}) { items { id } } }")
        #expect(answer["data"] == .null)
        #expect(answer["errors"]?.arrayValue?.isEmpty == false)
    }
}
