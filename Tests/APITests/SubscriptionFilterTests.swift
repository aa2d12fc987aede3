import JSON
import Tables
import Testing

@testable import API

/// The filter of version 2: `filter: ModelSubscriptionTodoFilterInput`
/// (reference: appsync-protocol, "Subscription filters").
@Suite("Subscription filters", .bothExecutors) struct SubscriptionFilterTests {
    static let schema = """
        enum Color { RED GREEN }
        type Todo @model {
          id: ID! name: String n: Int ratio: Float flag: Boolean color: Color tags: [String] at: AWSTimestamp
          a: Int b: Int c: Int d: Int e: Int f: Int items: [Item] @hasMany
        }
        type Item @model { id: ID! todo: Todo @belongsTo }
        type Slug @model { slug: ID! @primaryKey text: String }
        """
    static let selection = "id name n ratio flag color tags at a b c d e f"

    /// Which of these todos, by their places, a filter lets through; they are created one after the other.
    private func received(_ filter: String, of inputs: [String]) throws -> [Int] {
        let service = try Service(Self.schema)
        let subscriber = try service.subscribe("subscription { onCreateTodo(filter: \(filter)) { id } }")
        for (index, input) in inputs.enumerated() {
            try service.seed(
                "mutation { createTodo(input: {id: \"\(index)\", \(input)}) { \(Self.selection) } }")
        }
        return try subscriber.take().map { payload in
            let id = try JSONReader.read(payload)["data"]?["onCreateTodo"]?["id"]?.stringValue
            return try #require(id.flatMap { Int($0) })
        }
    }

    @Test(
        "each operator is met by the first of these items and not by the others (case 137)",
        arguments: [
            ("{name: {eq: \"b\"}}", [#"name: "b""#, #"name: "B""#, #"name: "bc""#, "", "name: null"]),
            ("{name: {ne: \"b\"}}", [#"name: "a""#, #"name: "b""#]),
            ("{name: {lt: \"b\"}}", [#"name: "a""#, #"name: "b""#, "", #"name: "ba""#]),
            ("{name: {le: \"b\"}}", [#"name: "b""#, #"name: "ba""#, ""]),
            ("{name: {gt: \"b\"}}", [#"name: "ba""#, #"name: "b""#, ""]),
            ("{name: {ge: \"b\"}}", [#"name: "b""#, #"name: "a""#, ""]),
            ("{name: {contains: \"b\"}}", [#"name: "abc""#, #"name: "ac""#, ""]),
            ("{name: {notContains: \"b\"}}", [#"name: "ac""#, #"name: "abc""#]),
            ("{name: {between: [\"b\", \"d\"]}}", [#"name: "c""#, #"name: "e""#, #"name: "a""#, ""]),
            ("{name: {beginsWith: \"b\"}}", [#"name: "bc""#, #"name: "ab""#, ""]),
            ("{name: {in: [\"a\", \"b\"]}}", [#"name: "b""#, #"name: "c""#, ""]),
            ("{name: {notIn: [\"a\", \"b\"]}}", [#"name: "c""#, #"name: "a""#]),
            ("{id: {eq: \"0\"}}", ["", ""]), ("{id: {in: \"0\"}}", ["", ""]),
            ("{n: {eq: 10}}", ["n: 10", "n: 9", ""]), ("{n: {ne: 10}}", ["n: 9", "n: 10"]),
            ("{n: {lt: 10}}", ["n: 9", "n: 10", ""]), ("{n: {le: 10}}", ["n: 10", "n: 11", ""]),
            ("{n: {gt: 9}}", ["n: 10", "n: 9", ""]), ("{n: {ge: 9}}", ["n: 9", "n: 8", ""]),
            ("{n: {between: [9, 11]}}", ["n: 10", "n: 8", "n: 12", ""]),
            ("{n: {in: [9, 11]}}", ["n: 11", "n: 10", ""]), ("{n: {notIn: [9, 11]}}", ["n: 10", "n: 11"]),
            ("{n: {eq: null}}", ["", "n: 0"]), ("{n: {ne: null}}", ["n: 0", ""]),
            ("{ratio: {eq: 2}}", ["ratio: 2.0", "ratio: 2.5", ""]), ("{ratio: {gt: 0.5}}", ["ratio: 1", "ratio: 0.5"]),
            ("{at: {ge: 1700000000}}", ["at: 1700000000000", "at: 1699999999"]),
            ("{flag: {eq: true}}", ["flag: true", "flag: false", ""]),
            ("{flag: {ne: true}}", ["flag: false", "flag: true"]),
            ("{color: {eq: \"RED\"}}", ["color: RED", "color: GREEN", ""]),
            ("{color: {beginsWith: \"G\"}}", ["color: GREEN", "color: RED", ""]),
            ("{tags: {contains: \"b\"}}", [#"tags: ["a", "b"]"#, #"tags: ["ab"]"#, ""]),
            ("{tags: {notContains: \"b\"}}", [#"tags: ["ab"]"#, #"tags: ["b"]"#]),
        ])
    func operators(filter: String, inputs: [String]) throws {
        #expect(try received(filter, of: inputs) == [0])
    }

    @Test(
        "alternatives, and conditions that hold together (case 138)",
        arguments: [
            ("{}", [0, 1, 2, 3]), ("null", [0, 1, 2, 3]), ("{or: []}", [0, 1, 2, 3]), ("{a: null}", [0, 1, 2, 3]),
            ("{a: {}}", [0, 1, 2, 3]), ("{or: [{a: {eq: 1}}, {}]}", [0, 1, 2, 3]),
            ("{a: {eq: 1}, b: {gt: 1}}", [1]), ("{or: [{a: {eq: 1}}, {b: {eq: 1}}]}", [0, 1, 2]),
            ("{a: {eq: 2}, or: [{b: {eq: 1}}, {b: {eq: 2}}]}", [2, 3]),
            ("{and: [{a: {eq: 1}}, {or: [{b: {eq: 2}}, {c: {eq: 1}}]}]}", [0, 1]),
            ("{and: {a: {eq: 1}}}", [0, 1]), ("{or: {a: {eq: 1}, b: {eq: 2}}}", [1]),
            ("{and: [{or: [{a: {eq: 1}}, {c: {eq: 1}}]}, {or: [{b: {eq: 1}}, {d: {eq: 1}}]}]}", [0, 3]),
            ("{and: [{a: {eq: 1}}, {a: {eq: 1}}], a: {eq: 1}}", [0, 1]),
            ("{a: {in: []}}", []), ("{or: [{a: {in: [1, 2]}}, {a: {in: [1, 2]}}, {a: {eq: 1}}]}", [0, 1, 2, 3]),
        ])
    func groups(filter: String, expected: [Int]) throws {
        let inputs = ["a: 1, b: 1, c: 1", "a: 1, b: 2, c: 2", "a: 2, b: 1", "a: 2, b: 2, c: 1, d: 1"]
        #expect(try received(filter, of: inputs) == expected)
    }

    @Test("AppSync's bounds, in the words that clients recognise")
    func bounds() throws {
        let service = try Service(Self.schema)
        func alternatives(_ count: Int) -> String {
            "{or: [\((1...count).map { "{n: {eq: \($0)}}" }.joined(separator: ", "))]}"
        }
        let four = "a: {eq: 1}, b: {eq: 1}, c: {eq: 1}, d: {eq: 1}"
        let combinations = "Filters combination exceed maximum limit 10 for subscription."
        func attributes(_ count: Int) -> String { "Filters exceed maximum attributes limit \(count) for subscription." }
        let refusals: [(String, String?)] = [
            (alternatives(10), nil), (alternatives(11), combinations),
            ("{and: [\(alternatives(4)), {or: [{a: {eq: 1}}, {b: {eq: 1}}, {c: {eq: 1}}]}]}", combinations),
            ("{\(four), e: {eq: 1}}", nil),
            ("{\(four), e: {eq: 1}, f: {eq: 1}}", attributes(5)),
            ("{\(four), and: [{e: {eq: 1}}, {f: {eq: 1}}]}", attributes(5)),
            ("{\(four), or: [{e: {eq: 1}}, {e: {eq: 2}}, {e: {eq: 3}}, {e: {eq: 4}}]}", nil),
            ("{\(four), or: [{e: {eq: 1}}, {e: {eq: 2}}, {e: {eq: 3}}, {e: {eq: 4}}, {e: {eq: 5}}]}", attributes(20)),
            ("{a: {gt: 1, lt: 5}}", "subscription filter uses same fieldName multiple time"),
            ("{a: {gt: 1}, and: {a: {lt: 5}}}", "subscription filter uses same fieldName multiple time"),
            ("{or: [{a: {gt: 1}}, {a: {lt: 5}}]}", nil),
            ("{n: {in: [1, 2, 3, 4, 5]}}", nil),
            ("{n: {in: [1, 2, 3, 4, 5, 6]}}", "Operator 'in' of a subscription filter takes at most 5 values."),
            ("{n: {notIn: [1, 2, 3, 4, 5, 6]}}", "Operator 'notIn' of a subscription filter takes at most 5 values."),
            ("{n: {between: [1]}}", "Operator 'between' of a subscription filter takes 2 values."),
        ]
        for (filter, message) in refusals {
            let expected = message.map { ["BadRequestException: \($0)"] } ?? ["not refused"]
            let refusal = try service.refusal("subscription { onCreateTodo(filter: \(filter)) { id } }")
            #expect(refusal == expected, "\(filter)")
        }
    }

    @Test("what is no part of the input is refused with the texts by which DataStore knows to do without a filter")
    func unknownFields() throws {
        let service = try Service(Self.schema)
        let query =
            "subscription On($filter: ModelSubscriptionTodoFilterInput) { onCreateTodo(filter: $filter) { id } }"
        let type = "for input object type 'ModelSubscriptionTodoFilterInput' "
        for (filter, field) in [
            (#"{"not": {"n": {"eq": 1}}}"#, "field name 'not'"), (#"{"nope": {"eq": 1}}"#, "field"),
            (#"{"or": [{"and": [{"nope": {"eq": 1}}]}]}"#, "field"),
        ] {
            let refusal = try service.refusal(query, "{\"filter\": \(filter)}")
            #expect(refusal == ["The variables input contains a \(field) that is not defined \(type)"])
        }
        #expect(try service.refusal(query, #"{"filter": {"n": {"eq": 1}}}"#) == ["not refused"])
        #expect(try service.refusal(query, "{}") == ["not refused"])
    }

    @Test("a filter looks at what the mutation selected; an attribute that a model lacks is missing")
    func missing() throws {
        let service = try Service(Self.schema)
        let equal = try service.subscribe("subscription { onCreateTodo(filter: {n: {eq: 1}}) { id } }")
        let unequal = try service.subscribe("subscription { onCreateTodo(filter: {n: {ne: 1}}) { id } }")
        try service.seed(#"mutation { createTodo(input: {id: "x", n: 1}) { id } }"#)
        #expect(equal.take().isEmpty && unequal.take().count == 1)
        // The id that a model does not have, and the key of its items that stands with them.
        let filters = [
            ("onCreateSlug(filter: {id: {eq: \"s\"}}) { slug }", false),
            ("onCreateSlug(filter: {id: {ne: \"s\"}}) { slug }", true),
            ("onCreateTodo(filter: {todoItemsId: {eq: \"t\"}}) { id }", false),
            ("onCreateTodo(filter: {todoItemsId: {notIn: [\"t\"]}}) { id }", true),
        ]
        for (field, isHeard) in filters {
            let subscriber = try service.subscribe("subscription { \(field) }")
            try service.seed(
                #"mutation { createSlug(input: {slug: "s"}) { slug } createTodo(input: {id: "t"}) { id } }"#)
            #expect(subscriber.take().isEmpty != isHeard, "\(field)")
            try service.seed(
                #"mutation { deleteSlug(input: {slug: "s"}) { slug } deleteTodo(input: {id: "t"}) { id } }"#)
        }
    }

    @Test("updates and deletes are filtered by what they leave and take")
    func everyEvent() throws {
        let service = try Service(
            """
            type Todo @model(subscriptions: {onUpdate: ["onUpdateTodo", "onChange"], onDelete: ["onDeleteTodo", "onChange"]}) {
              id: ID! n: Int kind: String @index(name: "byKind")
            }
            """)
        let created = try service.subscribe("subscription { onCreateTodo(filter: {n: {gt: 1}}) { id n } }")
        let updated = try service.subscribe("subscription { onUpdateTodo(filter: {n: {gt: 1}}) { id n } }")
        let deleted = try service.subscribe("subscription { onDeleteTodo(filter: {n: {gt: 1}}) { id n } }")
        let changed = try service.subscribe(
            "subscription { onChange(filter: {or: [{n: {eq: 3}}, {n: {eq: 0}}]}) { n kind } }")
        try service.seed(
            """
            mutation {
              a: createTodo(input: {id: "a", n: 1, kind: "o"}) { id n kind }
              b: updateTodo(input: {id: "a", n: 2}) { id n kind }
              c: updateTodo(input: {id: "a", n: 0}) { id n kind }
              d: updateTodo(input: {id: "a", n: 3, kind: "p"}) { id n kind }
              e: deleteTodo(input: {id: "a"}) { id n kind }
            }
            """)
        #expect(created.payloads.isEmpty)
        #expect(
            updated.payloads == [
                #"{"data":{"onUpdateTodo":{"id":"a","n":2}}}"#, #"{"data":{"onUpdateTodo":{"id":"a","n":3}}}"#,
            ])
        #expect(deleted.payloads == [#"{"data":{"onDeleteTodo":{"id":"a","n":3}}}"#])
        #expect(
            changed.payloads == [
                #"{"data":{"onChange":{"n":0,"kind":"o"}}}"#, #"{"data":{"onChange":{"n":3,"kind":"p"}}}"#,
                #"{"data":{"onChange":{"n":3,"kind":"p"}}}"#,
            ])
    }

    @Test("in the mode that fills events, a renamed field is filtered by its name")
    func renamedField() throws {
        let options = APIOptions(subscriptions: .fill)
        let service = try Service(
            "type Post @model { id: ID! @primaryKey title: String @refersTo(name: \"head\") }", options: options)
        let subscriber = try service.subscribe(
            "subscription { onCreatePost(filter: {title: {beginsWith: \"a\"}}) { title } }")
        try service.seed(
            """
            mutation {
              a: createPost(input: {id: "a", title: "a1"}) { id }
              b: createPost(input: {id: "b", title: "b1"}) { id }
            }
            """)
        try service.deliver()
        #expect(subscriber.take() == [#"{"data":{"onCreatePost":{"title":"a1"}}}"#])
    }

    @Test("an event visits the groups that its values lead to, and not all that filter")
    func index() throws {
        let service = try Service(Self.schema)
        let subscribers = try (0..<50).map {
            try service.subscribe("subscription { onCreateTodo(filter: {n: {eq: \($0)}, a: {gt: 0}}) { id } }")
        }
        let before = service.context.statistics.eventGroupVisitCount
        try service.seed(#"mutation { createTodo(input: {id: "x", n: 7, a: 1}) { id n a } }"#)
        #expect(subscribers.enumerated().filter { !$0.element.payloads.isEmpty }.map(\.offset) == [7])
        #expect(service.context.statistics.eventGroupVisitCount - before == 1)
    }
}
