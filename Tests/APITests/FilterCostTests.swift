import JSON
import Tables
import Testing
import Transformer

@testable import API

@Suite("What filters may cost") struct FilterCostTests {
    private static let schema = "type Note @model { id: ID! body: String tags: [String] rank: Int }"
    private static let long = String(repeating: "a", count: 5_000)

    private func refusal(_ field: String, _ count: Int) -> String {
        "\(field) BadRequest: An operand of a filter or condition may have at most 4096 bytes "
            + "(limits.filterOperandBytesMax), and one has \(count)."
    }

    @Test(
        "an operand has at most as many bytes as the limit, whatever the operator",
        arguments: [
            "{body: {contains: $t}}", "{body: {notContains: $t}}", "{body: {eq: $t}}", "{body: {beginsWith: $t}}",
            "{body: {between: [\"a\", $t]}}", "{tags: {contains: $t}}", "{not: {or: [{body: {lt: $t}}]}}",
        ])
    func operands(filter: String) throws {
        let service = try Service(Self.schema)
        let variables = "{\"t\": \"\(Self.long)\"}"
        try service.expect(
            "query Q($t: String!) { listNotes(filter: \(filter)) { items { id } } }", variables,
            data: #"{"listNotes":null}"#, errors: [refusal("listNotes", 5_000)])
        let short = "{\"t\": \"\(String(repeating: "a", count: 4_096))\"}"
        _ = try service.data("query Q($t: String!) { listNotes(filter: \(filter)) { items { id } } }", short)
        try service.expect(
            "mutation M($t: String!) { createNote(input: {id: \"n\"}, condition: \(filter)) { id } }", variables,
            data: #"{"createNote":null}"#, errors: [refusal("createNote", 5_000)])
    }

    @Test("the operands of a subscription's filter are bounded, too")
    func subscriptions() throws {
        let service = try Service(SubscriptionFilterTests.schema)
        for filter in ["{name: {contains: $t}}", "{name: {in: [\"a\", $t]}}", "{or: [{name: {eq: $t}}]}"] {
            let refusal = try service.refusal(
                "subscription S($t: String) { onCreateTodo(filter: \(filter)) { id } }", "{\"t\": \"\(Self.long)\"}")
            #expect(refusal.count == 1 && refusal[0].contains("at most 4096 bytes"), "\(filter) \(refusal)")
        }
    }

    /// A service that many subscribe to with filters of their own, each a search through the whole of a long text.
    private func searches(
        _ count: Int, limits: APILimits = APILimits()
    ) throws -> (service: Service, subscribers: [TestSubscriber]) {
        let service = try Service(
            "type Note @model { id: ID! body: String }", options: APIOptions(limits: limits),
            transform: TransformOptions(transformerVersion: .v2))
        let subscribers = try (0..<count).map { number in
            let parts = (0..<9).map { "{body: {contains: \"a\(number)b\($0)\"}}" } + ["{body: {contains: \"aa\"}}"]
            return try service.subscribe(
                "subscription { onCreateNote(filter: {or: [\(parts.joined(separator: ", "))]}) { id } }")
        }
        return (service, subscribers)
    }

    private func create(_ id: String, on service: Service) throws {
        _ = try service.data(
            "mutation M($t: String) { createNote(input: {id: \"\(id)\", body: $t}) { id body } }",
            "{\"t\": \"\(String(repeating: "a", count: 380_000))\"}")
    }

    @Test("filters of subscriptions are tested in steps: a turn of the loop goes through about a megabyte of text")
    func subscriptionSteps() throws {
        let (service, subscribers) = try searches(20)
        try create("n", on: service)
        var (turnCount, before) = (0, 0)
        while subscribers.contains(where: \.payloads.isEmpty), turnCount < 1_000 {
            service.loop.drain()
            turnCount += 1
            let count = subscribers.count { !$0.payloads.isEmpty }
            // Each is found with the last of ten searches through 380 KB, of which a turn makes three.
            #expect(count - before <= 1)
            before = count
        }
        #expect(turnCount > 60)
        #expect(subscribers.allSatisfy { $0.payloads.count == 1 })
    }

    @Test("slow filters delay only the subscribers that use them")
    func longFiltersOfOthers() throws {
        let (service, subscribers) = try searches(20)
        let all = try service.subscribe("subscription { onCreateNote { id } }")
        let short = try service.subscribe("subscription { onUpdateNote(filter: {body: {contains: \"b\"}}) { id } }")
        let updated = try service.subscribe("subscription { onUpdateNote { id } }")
        for id in ["n", "m", "o"] { try create(id, on: service) }
        _ = try service.data(#"mutation { updateNote(input: {id: "n", body: "b"}) { id body } }"#)
        for _ in 0..<4 { service.loop.drain() }
        #expect(all.numbers == [1, 2, 3] && updated.numbers == [4])
        #expect(subscribers.count { $0.payloads.isEmpty } > 15)
        // A filter of the same kind on the same model may be of the same client, for whom the order counts.
        #expect(short.numbers == [])
        for _ in 0..<1_000 { service.loop.drain() }
        #expect(subscribers.allSatisfy { $0.numbers == [1, 2, 3] } && short.numbers == [4])
    }

    @Test("where too many events wait for filters that take long, the subscriptions with them are ended, and no others")
    func tooManyLongFilters() throws {
        var limits = APILimits()
        limits.eventInboxCountMax = 50
        let (service, subscribers) = try searches(20, limits: limits)
        let all = try service.subscribe("subscription { onCreateNote { id } }")
        for id in ["n", "m", "o"] { try create(id, on: service) }
        for _ in 0..<10 { service.loop.drain() }
        #expect(subscribers.allSatisfy { $0.ended != nil && $0.payloads.count < 2 })
        #expect(all.ended == nil && all.numbers == [1, 2, 3])
        #expect(service.context.statistics.subscriptionCount == 1)
    }

    @Test("before the sockets are closed each event is delivered, or the subscription is ended with the loss")
    func atTheEnd() throws {
        var limits = APILimits()
        limits.eventStepBytesMax = 1
        let (service, subscribers) = try searches(40, limits: limits)
        let all = try service.subscribe("subscription { onCreateNote { id } }")
        for id in ["n", "m"] { try create(id, on: service) }
        service.loop.drain()
        try create("o", on: service)
        service.context.deliverEverything()
        #expect(all.numbers == [1, 2, 3] && all.ended == nil)
        #expect(subscribers.contains { $0.numbers == [1] } && subscribers.contains { $0.ended != nil })
        #expect(subscribers.allSatisfy { $0.numbers.count == 3 || $0.ended != nil })
    }

    @Test("a subscription that begins, ends or is reloaded between two steps receives each event at most once")
    func betweenSteps() throws {
        let (service, subscribers) = try searches(8)
        for id in ["n", "m"] { try create(id, on: service) }
        for _ in 0..<20 { service.loop.drain() }
        let late = try service.subscribe(
            "subscription { onCreateNote(filter: {body: {contains: \"aa\"}}) { id } }")
        let leaving = try #require(subscribers.last { $0.payloads.isEmpty })
        service.cancel(leaving)
        let other = try service.reloaded(
            "type Note @model { id: ID! body: String more: Int }", transform: TransformOptions(transformerVersion: .v2))
        service.context.revalidate(for: other.api)
        #expect(subscribers.contains { $0.payloads.count == 1 } && subscribers.contains { $0.payloads.isEmpty })
        for _ in 0..<200 { service.loop.drain() }
        #expect(late.payloads.isEmpty && leaving.payloads.isEmpty)
        for subscriber in subscribers where subscriber !== leaving {
            #expect(subscriber.payloads.count == 2 && subscriber.numbers == [1, 2])
        }
    }

    @Test("a page of long texts moves to a worker for its bytes, and is answered as if it had not")
    func longTexts() throws {
        var limits = APILimits()
        limits.readMillisecondsMax = 60_000
        let service = try Service(Self.schema, options: APIOptions(limits: limits))
        let text = String(repeating: "a", count: 100_000)
        for number in 0..<20 {
            _ = try service.data(
                "mutation M($t: String) { createNote(input: {id: \"\(number)\", body: $t}) { id } }",
                "{\"t\": \"\(text)\"}")
        }
        let moved = service.context.statistics.readHandedToWorkerCount
        #expect(try service.text("{ listNotes { items { body } } }").utf8.count > 2_000_000)
        #expect(service.context.statistics.readHandedToWorkerCount == moved + 1)
        let page = try service.ids(
            "{ listNotes(filter: {body: {notContains: \"b\"}}) { items { id } } }", at: "listNotes")
        #expect(page.split(separator: " ").count == 20)
        #expect(service.context.statistics.readHandedToWorkerCount == moved + 2)
        #expect(try service.ids("{ listNotes(limit: 3) { items { id } } }", at: "listNotes") == "0 1 2")
        #expect(service.context.statistics.readHandedToWorkerCount == moved + 2)
    }

    @Test("a filter that searches long texts for hundreds of parts ends when the request's time is over")
    func manySearches() throws {
        var limits = APILimits()
        limits.executionSeconds = 1
        let service = try Service(Self.schema, options: APIOptions(limits: limits))
        // 300 KB of which each part is found in almost every place, but for its last byte.
        let text = String(repeating: "aaaaaaaaab", count: 30_000)
        for number in 0..<60 {
            _ = try service.data(
                "mutation M($t: String) { createNote(input: {id: \"\(number)\", body: $t}) { id } }",
                "{\"t\": \"\(text)\"}")
        }
        let terms = (0..<299).map { "{body: {contains: \"aaaaaaaaa\($0)\"}}" }
        let (kind, answer) = try service.send(
            body: Service.body("{ listNotes(filter: {or: [\(terms.joined(separator: ", "))]}) { items { id } } }", nil))
        #expect(kind.errorTypes == ["ExecutionTimeout"], "\(answer.prefix(300))")
        #expect(service.context.statistics.readHandedToWorkerCount == 1)
    }

    @Test("an item has at most 400 KB, as DynamoDB counts and says it")
    func itemSize() throws {
        let service = try Service(Self.schema)
        func create(_ id: String, _ count: Int) -> (String, String) {
            (
                "mutation M($t: String) { createNote(input: {id: \"\(id)\", body: $t}) { id } }",
                "{\"t\": \"\(String(repeating: "a", count: count))\"}"
            )
        }
        _ = try service.data(create("n", 409_000).0, create("n", 409_000).1)
        try service.expect(
            create("m", 409_600).0, create("m", 409_600).1, data: #"{"createNote":null}"#,
            errors: [
                "createNote DynamoDB:DynamoDbException: Item size has exceeded the maximum allowed size"
            ])
        let tags = (0..<300).map { "\"t\($0)\"" }.joined(separator: ",")
        try service.expect(
            "mutation { updateNote(input: {id: \"n\", tags: [\(tags)]}) { id } }", data: #"{"updateNote":null}"#,
            errors: [
                "updateNote DynamoDB:DynamoDbException: Item size to update has exceeded the maximum allowed size"
            ])
        try service.expect(
            #"{ listNotes { items { id tags } } }"#, data: #"{"listNotes":{"items":[{"id":"n","tags":null}]}}"#)
    }
}

@Suite("Unrecognized filters", .bothExecutors) struct UnrecognizedFilterTests {
    private static let unrecognized = [
        "{n: {between: [1]}}", "{n: {lt: null}}", "{s: {attributeExists: null}}", "{s: {attributeType: null}}",
        "{s: {size: null}}", "{not: {or: [{n: {ge: null}}]}}",
    ]

    @Test("version 2 refuses a filter of which no expression can be made", arguments: unrecognized)
    func versionTwo(filter: String) throws {
        let service = try Service(
            "type Thing @model { id: ID! @primaryKey n: Int s: String }")
        try service.expect(
            "{ listThings(filter: \(filter)) { items { id } } }", data: #"{"listThings":null}"#,
            errors: ["listThings Unrecognized Filter: Unable to process the filter expression"])
    }

    @Test("version 2 ignores further bounds of between, and conditions ask nothing where filters are refused")
    func others() throws {
        let service = try Service("type Thing @model { id: ID! @primaryKey n: Int s: String }")
        try service.seed(#"mutation { createThing(input: {id: "a", n: 2}) { id } }"#)
        #expect(
            try service.ids("{ listThings(filter: {n: {between: [1, 2, 0]}}) { items { id } } }", at: "listThings")
                == "a")
        _ = try service.data(
            #"mutation { updateThing(input: {id: "a"}, condition: {s: {attributeExists: null}}) { id } }"#)
    }

    @Test("version 1 leaves such terms out")
    func versionOne() throws {
        let service = try Service("type Thing @model { id: ID! n: Int s: String }")
        #expect(
            try service.data("{ listThings(filter: {s: {attributeExists: null}}) { items { id } } }")
                == #"{"listThings":{"items":[]}}"#)
        #expect(
            try service.errors("{ listThings(filter: {n: {between: [1]}}) { items { id } } }").first?
                .hasPrefix("DynamoDB:DynamoDbException") == true)
    }
}
