import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import API

@Suite("Events of subscriptions", .bothExecutors) struct SubscriptionTests {
    static let schema = """
        enum Color { RED GREEN }
        type Todo @model {
          id: ID! name: String! n: Int owner: String color: Color at: AWSDateTime flag: Boolean price: Float big: AWSTimestamp
          tags: [String!] place: Place items: [Item] @connection(name: "I")
        }
        type Place { city: String! street: String }
        type Item @model { id: ID! text: String todo: Todo @connection(name: "I") }
        type Quiet @model(subscriptions: {level: off}) { id: ID! }
        type Joined @model(subscriptions: {onCreate: ["onJoined"], onDelete: ["onJoined"]}) { id: ID! }
        union Any = Place | Item
        type Mutation { touch(id: ID!): Todo many: [Todo!] number: Int any: Any nothing: Todo }
        type Subscription {
          onTodo(owner: String, name: String, n: Int, color: Color, price: Float): Todo
            @aws_subscribe(mutations: ["createTodo", "updateTodo", "touch", "nothing"])
          onFlag(flag: Boolean, at: AWSDateTime, big: AWSTimestamp, filter: String, id: ID = "d"): Todo
            @aws_subscribe(mutations: ["createTodo"])
          onMany(id: ID): [Todo!] @aws_subscribe(mutations: ["many"])
          onNumber: Int @aws_subscribe(mutations: ["number"])
          onAny: Any @aws_subscribe(mutations: ["any"])
          silent: Todo
        }
        """

    /// The functions of the custom mutations, answering with this JSON.
    static func functions(_ answers: [String: String]) throws -> [FieldCoordinate: FieldFunction] {
        var functions: [FieldCoordinate: FieldFunction] = [:]
        for (name, json) in answers {
            let value = try JSONReader.read(json)
            functions[FieldCoordinate(type: "Mutation", field: name)] = { _ in FieldAnswer(value: value) }
        }
        return functions
    }

    static func create(_ input: String, selecting selection: String) -> String {
        "mutation { createTodo(input: {\(input)}) { \(selection) } }"
    }

    // MARK: - What an event holds

    @Test(
        "an event is what the mutation selected, with what the subscriber selects of it",
        arguments: [
            // Case 128: selected by the subscriber alone.
            ("onCreateTodo { id n }", "id", #"{"data":{"onCreateTodo":{"id":"d","n":null}}}"#),
            // Case 129: and it may not be null.
            (
                "onCreateTodo { id name }", "id",
                #"{"data":{"onCreateTodo":null},"errors":[{"message":"Cannot return null for non-nullable type: 'String' "#
                    + #"within parent 'Todo' (/onCreateTodo/name)","path":["onCreateTodo","name"]}]}"#
            ),
            ("onCreateTodo { name id }", "id name n owner", #"{"data":{"onCreateTodo":{"name":"x","id":"d"}}}"#),
            // Aliases of both sides do not matter.
            (
                "e: onCreateTodo { a: id b: name c: __typename }", "name: id k: name x: n",
                #"{"data":{"e":{"a":"d","b":"x","c":"Todo"}}}"#
            ),
            (
                "onCreateTodo { n color at flag price big tags }", "n color at flag price big tags",
                #"{"data":{"onCreateTodo":{"n":5,"color":"RED","at":"2026-01-01T00:00:00Z","flag":true,"price":1e+22,"#
                    + #""big":9007199254740993,"tags":["a"]}}}"#
            ),
            (
                "onCreateTodo { place { city street } }", "a: place { town: city } b: place { road: street }",
                #"{"data":{"onCreateTodo":{"place":{"city":"Rome","street":"Corso"}}}}"#
            ),
            (
                "onCreateTodo { id place { city street } }", "id place { street }",
                #"{"data":{"onCreateTodo":{"id":"d","place":null}},"errors":[{"message":"Cannot return null for non-nullable "#
                    + #"type: 'String' within parent 'Place' (/onCreateTodo/place/city)","#
                    + #""path":["onCreateTodo","place","city"]}]}"#
            ),
            // What the mutation read beside its item is in the event, and nothing is read for the subscriber.
            (
                "onCreateTodo { items { items { text todo { id n } } nextToken } }",
                "list: items { all: items { t: text todo { i: id } } }",
                #"{"data":{"onCreateTodo":{"items":{"items":[{"text":"t","todo":{"id":"d","n":null}}],"nextToken":null}}}}"#
            ),
            ("onCreateTodo { items { items { text } } }", "id", #"{"data":{"onCreateTodo":{"items":null}}}"#),
        ])
    func payload(subscription: String, selection: String, expected: String) throws {
        let service = try Service(Self.schema)
        try service.seed(#"mutation { createItem(input: {id: "i", text: "t", itemTodoId: "d"}) { id } }"#)
        let subscriber = try service.subscribe("subscription { \(subscription) }")
        let input =
            #"id: "d", name: "x", n: 5, color: RED, at: "2026-01-01T00:00:00Z", flag: true, price: 1e22, "#
            + #"big: 9007199254740993, tags: ["a"], place: {city: "Rome", street: "Corso"}"#
        try service.seed(Self.create(input, selecting: selection))
        #expect(subscriber.take() == [expected])
    }

    @Test(
        "generated fields follow their mutation, merged ones several; each root field is an event of its own, in order")
    func topics() throws {
        let service = try Service(Self.schema)
        let created = try service.subscribe("subscription { onCreateTodo { id } }")
        let updated = try service.subscribe("subscription { onUpdateTodo { id n } }")
        let deleted = try service.subscribe("subscription { onDeleteTodo { id n } }")
        let joined = try service.subscribe("subscription { onJoined { id } }")
        let silent = try service.subscribe("subscription { silent { id } }")
        try service.seed(
            """
            mutation {
              a: createTodo(input: {id: "a", name: "a"}) { id }
              u1: updateTodo(input: {id: "a", n: 1}) { id n }
              b: createTodo(input: {id: "b", name: "b"}) { id }
              u2: updateTodo(input: {id: "a", n: 2}) { id n }
              d: deleteTodo(input: {id: "a"}) { id n }
              j: createJoined(input: {id: "j"}) { id }
              g: deleteJoined(input: {id: "j"}) { id }
            }
            """)
        #expect(
            created.payloads == [
                #"{"data":{"onCreateTodo":{"id":"a"}}}"#, #"{"data":{"onCreateTodo":{"id":"b"}}}"#,
            ])
        #expect(
            updated.payloads == [
                #"{"data":{"onUpdateTodo":{"id":"a","n":1}}}"#, #"{"data":{"onUpdateTodo":{"id":"a","n":2}}}"#,
            ])
        #expect(deleted.payloads == [#"{"data":{"onDeleteTodo":{"id":"a","n":2}}}"#])
        #expect(joined.payloads.count == 2)
        #expect(silent.payloads.isEmpty)
        #expect(created.numbers + updated.numbers + deleted.numbers == [1, 3, 2, 4, 5])
        #expect(try service.errors("subscription { onCreateQuiet { id } }").first?.contains("FieldUndefined") == true)
    }

    @Test("what failed or is null is no event; what has errors in it is one (case 130)")
    func failures() throws {
        let service = try Service(
            Self.schema.replacing(#" @connection(name: "I")"#, with: ""),
            functions: try Self.functions(["nothing": "null"]),
            enforcing: [.public("Todo"), .public("Todo", field: "owner", .create)],
            transform: TransformOptions(transformerVersion: .v2))
        let subscriber = try service.subscribe("subscription { onTodo { id owner } }")
        let create = #"createTodo(input: {id: "a", name: "a", owner: "o"}) { id owner }"#
        let answer = try service.text("mutation { \(create) }")
        #expect(answer.contains("Not Authorized to access owner on type Todo"))
        #expect(subscriber.take().map { $0.contains(#""onTodo":{"id":"a","owner":null}"#) } == [true])
        for mutation in [
            create, #"updateTodo(input: {id: "no", n: 1}) { id }"#, "nothing { id }",
            #"updateTodo(input: {id: "a", n: 1}, condition: {n: {eq: 7}}) { id }"#,
            #"createTodo(input: {id: "", name: "a"}) { id }"#,
        ] {
            _ = try service.text("mutation { \(mutation) }")
            #expect(subscriber.take() == [], "\(mutation)")
        }
        #expect(service.home.environment.publisher.eventQueues.pendingCount == 0)
    }

    @Test("what functions answer is published: an item, a list as one event, a leaf, one of a union")
    func functions() throws {
        let service = try Service(
            Self.schema,
            functions: try Self.functions([
                "touch": #"{"id": "t", "name": "n", "extra": 1}"#, "many": #"[{"id": "1", "name": "a"}, {"id": "2"}]"#,
                "number": "7", "any": #"{"__typename": "Place", "city": "Rome"}"#,
            ]))
        let todo = try service.subscribe("subscription { onTodo { id name } }")
        let many = try service.subscribe("subscription { onMany { id } }")
        let none = try service.subscribe(#"subscription { onMany(id: "1") { id } }"#)
        let number = try service.subscribe("subscription { onNumber }")
        let any = try service.subscribe("subscription { onAny { ... on Place { city } ... on Item { text } } }")
        try service.seed(
            #"mutation { touch(id: "t") { i: id name } many { x: id } number any { ... on Place { c: city } ... on Item { id } } }"#
        )
        #expect(todo.payloads == [#"{"data":{"onTodo":{"id":"t","name":"n"}}}"#])
        #expect(many.payloads == [#"{"data":{"onMany":[{"id":"1"},{"id":"2"}]}}"#])
        #expect(none.payloads == [])
        #expect(number.payloads == [#"{"data":{"onNumber":7}}"#])
        #expect(any.payloads == [#"{"data":{"onAny":{"city":"Rome"}}}"#])
    }

    @Test("a field that a subscriber asks for and a mutation does not select is noticed once")
    func notices() throws {
        let service = try Service(Self.schema)
        let other = try service.onAnotherLoop()
        let query = "subscription { onCreateTodo { id n place { city } } }"
        _ = try (service.subscribe(query), service.subscribe(query), other.subscribe(query))
        for id in 1...3 {
            try service.seed(
                Self.create(#"id: "\#(id)", name: "x", place: {city: "R"}"#, selecting: "id place { street }"))
        }
        other.loop.drain()
        let notices = service.home.notices.list.withLock { $0 }
        #expect(
            notices
                == ["n", "place.city"].map {
                    Notice.notSelected(field: $0, mutation: "createTodo", subscription: "onCreateTodo")
                })
    }

    // MARK: - Arguments

    @Test(
        "arguments compare by value with what the mutation selected",
        arguments: [
            // Cases 131 to 136.
            (#"onTodo(owner: "ada") { id }"#, "null", true), (#"onTodo(owner: "ben") { id }"#, "null", false),
            ("onTodo { id }", "null", true), ("onTodo(owner: null) { id }", "null", false),
            ("onTodo(price: null) { id }", "null", true), ("onTodo(owner: $o) { id }", "{}", true),
            ("onTodo(owner: $o) { id }", #"{"o": null}"#, false), ("onTodo(price: $p) { id }", #"{"p": null}"#, true),
            ("onTodo(owner: $o) { id }", #"{"o": "ada"}"#, true), ("onTodo(owner: $o) { id }", #"{"o": "Ada"}"#, false),
            (#"onTodo(name: "x") { id }"#, "null", false), ("onTodo(name: null) { id }", "null", true),
            ("onTodo(n: 5, color: RED) { id }", "null", true), ("onTodo(n: 5, color: GREEN) { id }", "null", false),
            ("onTodo(n: $n) { id }", #"{"n": "5"}"#, true), ("onTodo(n: $n) { id }", #"{"n": 5.0}"#, true),
            ("onTodo(color: $c) { id }", #"{"c": "RED"}"#, true), ("onTodo(owner: $d) { id }", "null", true),
            ("onTodo(owner: $e) { id }", #"{"e": null}"#, false),
            (#"onFlag(flag: true, id: "d") { id }"#, "null", true), ("onFlag(flag: false) { id }", "null", false),
            ("onFlag(big: 9007199254740993) { id }", "null", true),
            ("onFlag(big: 9007199254740992) { id }", "null", false),
            // A default is present like what is written; `filter` is never compared.
            ("onFlag { id }", "null", true), (#"onFlag(id: "e") { id }"#, "null", false),
            (#"onFlag(filter: "x") { id }"#, "null", true), ("onFlag(filter: null) { id }", "null", true),
        ])
    func arguments(subscription: String, variables: String, isHeard: Bool) throws {
        let service = try Service(Self.schema)
        let used = ["$o: String", "$p: Float", "$n: Int", "$c: Color", #"$d: String = "ada""#, #"$e: String = "ben""#]
            .filter { subscription.contains($0.prefix(2) + ")") }
        let declared = used.isEmpty ? "" : "(\(used.joined(separator: ", ")))"
        let subscriber = try service.subscribe("subscription S\(declared) { \(subscription) }", variables)
        let input = #"id: "d", name: "x", n: 5, owner: "ada", color: RED, flag: true, big: 9007199254740993"#
        try service.seed(Self.create(input, selecting: "id n owner color flag big price"))
        #expect(subscriber.payloads.count == (isHeard ? 1 : 0))
    }

    @Test("strict about nulls, a variable without a value asks for null, but never for `filter`")
    func strictNullArguments() throws {
        let service = try Service(Self.schema, options: APIOptions(strictNullArguments: true))
        let owner = try service.subscribe("subscription S($o: String) { onTodo(owner: $o) { id } }")
        let filter = try service.subscribe("subscription S($f: String) { onFlag(filter: $f) { id } }")
        let open = try service.subscribe("subscription { onTodo { id } }")
        try service.seed(
            Self.create(#"id: "d", name: "x", owner: "ada""#, selecting: "id owner"),
            Self.create(#"id: "e", name: "x""#, selecting: "id owner"))
        #expect(owner.payloads == [#"{"data":{"onTodo":{"id":"e"}}}"#])
        #expect(filter.payloads.count == 1)
        #expect(open.payloads.count == 2)
    }

    // MARK: - Subscribing

    @Test(
        "what is refused, and with which words",
        arguments: [
            (
                "subscription { nope }", "null",
                ["Validation error of type FieldUndefined: Field 'nope' in type 'Subscription' is undefined @ 'nope'"]
            ),
            (
                "subscription S($n: Int!) { onTodo(n: $n) { id } }", "{}",
                ["Variable 'n' has coerced Null value for NonNull type 'Int!'"]
            ),
            (
                "subscription S($n: Int) { onTodo(n: $n) { id } }", #"{"n": "x"}"#,
                ["Variable 'n' has an invalid value. Expected type 'Int' but was 'String'."]
            ),
            (
                "subscription S($b: Boolean!) { onTodo @skip(if: $b) { id } }", #"{"b": true}"#,
                ["A subscription selects one field."]
            ),
            (
                "subscription A { onTodo { id } } subscription B { onTodo { id } }", "null",
                ["BadRequestException: Missing operation name."]
            ),
            (
                "subscription { onUpdateTodo { id } }", "null",
                ["Unauthorized: Not Authorized to access onUpdateTodo on type Subscription"]
            ),
            (
                "subscription { onDeleteTodo { id } }", "null",
                ["Unauthorized: Not Authorized to access onDeleteTodo on type Subscription"]
            ),
            ("subscription { onNumber }", "null", ["Custom: no"]),
        ])
    func refusals(query: String, variables: String, expected: [String]) throws {
        let functions: [FieldCoordinate: FieldFunction] = [
            FieldCoordinate(type: "Subscription", field: "onNumber"): { _ throws(ResolverError) in
                throw ResolverError(errorType: "Custom", message: "no")
            }
        ]
        let service = try Service(
            Self.schema.replacing(#" @connection(name: "I")"#, with: ""), functions: functions,
            enforcing: [
                .public("Todo"), .group("Staff", "Subscription", field: "onUpdateTodo"),
                .owner("Subscription", field: "onDeleteTodo"),
            ], transform: TransformOptions(transformerVersion: .v2))
        #expect(try service.refusal(query, variables) == expected)
        #expect(service.context.statistics.subscriptionCount == 0)
    }

    @Test("several root fields are refused; an operation is chosen by its name")
    func otherOperations() throws {
        let service = try Service(Self.schema)
        let refusal = try service.refusal("subscription S { onTodo { id } onFlag { id } }")
        #expect(refusal.first?.contains("SubscriptionMultipleRootFields") == true)
        for (query, name) in [("{ getTodo(id: 1) { id } }", "query"), ("mutation { number }", "mutation")] {
            guard case .otherOperation(name: name) = try service.outcome(of: query) else {
                Issue.record("\(query) is no \(name)")
                continue
            }
        }
    }

    @Test("a cancelled subscription receives nothing further, and a change without subscribers becomes no event")
    func cancelling() throws {
        let service = try Service(Self.schema)
        let first = try service.subscribe("subscription { onTodo { id } }")
        let second = try service.subscribe("subscription { onTodo { id } }")
        try service.seed(Self.create(#"id: "a", name: "x""#, selecting: "id"))
        service.cancel(first)
        service.cancel(first)
        try service.seed(Self.create(#"id: "b", name: "x""#, selecting: "id"))
        service.cancel(second)
        try service.seed(Self.create(#"id: "c", name: "x""#, selecting: "id"))
        #expect((first.payloads.count, second.payloads.count) == (1, 2))
        #expect(service.home.environment.publisher.eventQueues.lastNumber == 2)
        #expect(service.home.environment.publisher.openSubscriptionCount == 0)
    }

    @Test("a subscriber that cancels others, or itself, while it receives an event does not affect the rest")
    func cancellingInBetween() throws {
        let service = try Service(Self.schema)
        let subscribers = try (0..<8).map { _ in try service.subscribe("subscription { onTodo { id } }") }
        let context = service.context
        for subscriber in subscribers {
            subscriber.react = { for other in subscribers { other.handle.map(context.cancel) } }
        }
        try service.seed(Self.create(#"id: "a", name: "x""#, selecting: "id"))
        #expect(subscribers.reduce(0) { $0 + $1.payloads.count } == 1)
        #expect(service.context.statistics.subscriptionCount == 0)
    }

    @Test("an event that left before a subscription began is not for it, although its loop has not looked yet")
    func late() throws {
        let service = try Service(Self.schema)
        let other = try service.onAnotherLoop()
        let early = try other.subscribe("subscription { onTodo { id } }")
        try service.seed(Self.create(#"id: "a", name: "x""#, selecting: "id"))
        let late = try other.subscribe("subscription { onTodo { id } }")
        try other.deliver()
        #expect((early.payloads.count, late.payloads.count) == (1, 0))
    }

    @Test("equal subscriptions are sent one message object")
    func groups() throws {
        let service = try Service(Self.schema, enforcing: [.public("Todo")])
        let query = "subscription S($o: String) { onTodo(owner: $o) { id owner } }"
        let subscribers = try (0..<4).map { try service.subscribe(query, #"{"o": "\#($0 % 2)"}"#) }
        try service.seed(Self.create(#"id: "a", name: "x", owner: "1""#, selecting: "id owner"))
        #expect(subscribers.map(\.payloads.count) == [0, 1, 0, 1])
        #expect(service.context.statistics.eventGroupVisitCount == 1)
        #expect(service.context.statistics.eventDeliveredCount == 2)
    }

    @Test("an event costs by the groups that match it, not by the subscriptions there are")
    func matching() throws {
        let service = try Service(Self.schema)
        for number in 0..<50_000 {
            _ = try service.subscribe(
                "subscription S($o: String) { onTodo(owner: $o) { id } }", #"{"o": "u\#(number)"}"#)
        }
        for number in 0..<500 {
            _ = try service.subscribe("subscription S($n: Int) { onTodo(n: $n) { id } }", #"{"n": \#(number)}"#)
        }
        let matching = try (0..<10).map {
            try service.subscribe(#"subscription { a\#($0): onTodo(owner: "u77") { id } }"#)
        }
        try service.seed(Self.create(#"id: "a", name: "x", owner: "u77", n: 900"#, selecting: "id owner n"))
        #expect(service.context.statistics.eventGroupVisitCount == 11)
        #expect(service.context.statistics.eventDeliveredCount == 11)
        #expect(matching.allSatisfy { $0.payloads.count == 1 })
        #expect(service.home.environment.publisher.openSubscriptionCount == 50_510)
    }
}
