import GraphQL
import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import API

@Suite("The way of an event", .bothExecutors) struct EventOrderTests {
    // MARK: - Queues

    /// A topic, an inbox that listens to it, and events by their numbers.
    private struct Fixture {
        let publisher = Publisher(nowMilliseconds: { 0 })
        let loop = TestLoop()
        let inbox: EventInbox
        let topic: Topic
        let origin = PlannedField(
            responseKey: "f", key: PlannedField.key("f"), inclusion: .always, offset: 0, fieldName: "f",
            parentName: "Mutation", typeName: "T",
            isNonNull: false, resolution: .null, authorization: nil)

        init(_ limits: APILimits = APILimits()) {
            topic = publisher.topic(of: "f")
            inbox = EventInbox(executor: loop) {}
            publisher.eventQueues.setLimits(limits)
            topic.attach(inbox)
        }

        func event(_ number: Int, bytes: Int = 10) -> Event {
            Event(topic: topic, tree: .number(String(number)), origin: ObjectIdentifier(origin), byteCount: bytes)
        }

        func took() -> [String] { inbox.take().events.map { "\($0.number):\($0.event.tree)" } }
    }

    @Test("events of one item leave in commit order, whichever is completed first; other items are not held up")
    func queues() {
        let fixture = Fixture()
        let queues = fixture.publisher.eventQueues
        let resumed = Mutex<[Int]>([])
        func settle(_ sequence: UInt64, _ isEvent: Bool = true) -> Bool {
            queues.settle(sequence, isEvent ? fixture.event(Int(sequence)) : nil, on: fixture.loop) {
                resumed.withLock { $0.append(Int(sequence)) }
            }
        }
        for (sequence, queue) in [(1, 1), (2, 1), (3, 2), (4, 1), (5, 1), (6, 2)] {
            queues.expect(UInt64(sequence), of: fixture.topic, queue: queue)
        }
        #expect(queues.isExpected(4) && !queues.isExpected(7))
        #expect(!settle(4) && !settle(2))
        #expect(settle(5, false), "nothing to publish is nothing to wait for")
        #expect(settle(3))
        #expect(fixture.took() == ["1:3"])
        #expect(settle(1, false))
        #expect(fixture.took() == ["2:2", "3:4"])
        fixture.loop.drain()
        #expect(resumed.withLock { $0 } == [2, 4])
        #expect(settle(6))
        #expect(fixture.took() == ["4:6"])
        #expect(queues.pendingCount == 0 && !queues.isExpected(1))
    }

    @Test("a loop whose inbox passes its bound drops everything and is notified; later events arrive again")
    func bounds() {
        var limits = APILimits()
        (limits.eventInboxCountMax, limits.eventInboxBytesMax, limits.pendingEventCountMax) = (3, 100, 2)
        for sizes in [[1, 1, 1, 1], [60, 50], [101]] {
            let fixture = Fixture(limits)
            for size in sizes.dropLast() { fixture.publisher.eventQueues.publish(fixture.event(1, bytes: size)) }
            fixture.publisher.eventQueues.publish(fixture.event(2, bytes: sizes.last ?? 0))
            fixture.publisher.eventQueues.publish(fixture.event(3))
            let (events, hasLost) = fixture.inbox.take()
            #expect(events.isEmpty && hasLost)
            fixture.publisher.eventQueues.publish(fixture.event(4))
            #expect(fixture.took().count == 1)
        }
        let fixture = Fixture(limits)
        for sequence in 1...3 {
            fixture.publisher.eventQueues.expect(UInt64(sequence), of: fixture.topic, queue: sequence)
        }
        #expect(fixture.inbox.take().hasLost && !fixture.publisher.eventQueues.isExpected(3))
        #expect(fixture.publisher.eventQueues.isExpected(2))
    }

    @Test(
        "the commit decides whether there is an event: a subscription that begins between write and commit receives it")
    func decidedAtCommit() throws {
        let fixture = Fixture()
        fixture.topic.detach(fixture.inbox)
        let service = try Service("type Todo @model { id: ID! }")
        let table = service.api.schema.tables[0]
        let write = Write(table: table, action: .delete(key: [.text("a")]), returning: [], observer: fixture.topic)
        fixture.topic.committed(write, sequence: 1)
        #expect(!fixture.publisher.eventQueues.isExpected(1))
        fixture.topic.attach(fixture.inbox)
        fixture.topic.committed(write, sequence: 2)
        #expect(fixture.publisher.eventQueues.isExpected(2))
    }

    @Test("a loop that cannot keep up ends its subscriptions with an error instead of losing events silently")
    func overflow() throws {
        var limits = APILimits()
        limits.eventInboxCountMax = 3
        let service = try Service(SubscriptionTests.schema, options: APIOptions(limits: limits))
        let other = try service.onAnotherLoop()
        let own = try service.subscribe("subscription { onTodo { id } }")
        let behind = try other.subscribe("subscription { onTodo { id } }")
        for id in 0..<4 { try service.seed(SubscriptionTests.create(#"id: "\#(id)", name: "x""#, selecting: "id")) }
        try other.deliver()
        #expect(own.payloads.count == 4 && own.ended == nil)
        #expect(behind.payloads.isEmpty && behind.ended?.map(\.errorType) == ["InternalFailure"])
        #expect(other.context.statistics.subscriptionCount == 0)
        let again = try other.subscribe("subscription { onTodo { id } }")
        try service.seed(SubscriptionTests.create(#"id: "9", name: "x""#, selecting: "id"))
        try other.deliver()
        #expect(again.payloads.count == 1)
    }

    @Test("subscriptions are bounded over all loops, and closing a context ends its own")
    func subscriptionBound() throws {
        var limits = APILimits()
        limits.subscriptionsPerServerMax = 3
        let service = try Service(SubscriptionTests.schema, options: APIOptions(limits: limits))
        do {
            let other = try service.onAnotherLoop()
            _ = try (
                service.subscribe("subscription { onTodo { id } }"), other.subscribe("subscription { onTodo { id } }")
            )
            _ = try other.subscribe("subscription { onFlag { id } }")
            #expect(
                try service.refusal("subscription { onTodo { id } }") == [
                    "LimitExceededError: Max number of 3 subscriptions per server reached"
                ])
        }
        _ = try (service.subscribe("subscription { onTodo { n } }"), service.subscribe("subscription { onTodo { n } }"))
        #expect(service.home.environment.publisher.openSubscriptionCount == 3)
    }

    // MARK: - Filled events

    static let filled = APIOptions(subscriptions: .fill)

    @Test("filled, an event has what the subscription selects, read beside the committed item where need be")
    func fill() throws {
        let service = try Service(SubscriptionTests.schema, options: Self.filled)
        try service.seed(#"mutation { createItem(input: {id: "i", text: "t", itemTodoId: "d"}) { id } }"#)
        let all = try service.subscribe(
            "subscription { onTodo { id name n owner flag price tags place { city } items { items { text } } } }")
        let mine = try service.subscribe(#"subscription { onTodo(owner: "ada", price: 2.5) { id } }"#)
        let flagged = try service.subscribe("subscription { onFlag(flag: true) { owner } }")
        let items = try service.subscribe("subscription { onCreateItem { text todo { id n } } }")
        let deleted = try service.subscribe("subscription { onDeleteTodo { id name } }")
        let input =
            #"id: "d", name: "x", n: 1, owner: "ada", flag: true, price: 2.5, tags: ["a"], place: {city: "Rome"}"#
        try service.seed(
            SubscriptionTests.create(input, selecting: "id"),
            #"mutation { createItem(input: {id: "j", text: "u", itemTodoId: "d"}) { id } }"#,
            #"mutation { updateTodo(input: {id: "d", owner: "ben"}) { __typename } }"#,
            #"mutation { deleteTodo(input: {id: "d"}) { __typename } }"#)
        func item(_ owner: String, _ texts: String) -> String {
            #"{"data":{"onTodo":{"id":"d","name":"x","n":1,"owner":"\#(owner)","flag":true,"price":2.5,"tags":["a"],"#
                + #""place":{"city":"Rome"},"items":{"items":[\#(texts)]}}}}"#
        }
        #expect(all.payloads == [item("ada", #"{"text":"t"}"#), item("ben", #"{"text":"t"},{"text":"u"}"#)])
        #expect(mine.payloads == [#"{"data":{"onTodo":{"id":"d"}}}"#])
        #expect(flagged.payloads == [#"{"data":{"onFlag":{"owner":"ada"}}}"#])
        #expect(items.payloads == [#"{"data":{"onCreateItem":{"text":"u","todo":{"id":"d","n":1}}}}"#])
        #expect(deleted.payloads == [#"{"data":{"onDeleteTodo":{"id":"d","name":"x"}}}"#])
        #expect(service.home.notices.list.withLock { $0.isEmpty })
    }

    /// Four hundred items of one parent: reading them takes more steps than a loop may.
    private static func long(_ options: APIOptions) throws -> Service {
        var options = options
        options.limits.readStepsMax = 500
        let service = try Service(SubscriptionTests.schema, options: options)
        let items = (0..<400).map { #"i\#($0): createItem(input: {id: "\#($0)", itemTodoId: "d"}) { id }"# }
        try service.seed(
            "mutation { \(items.joined(separator: " ")) }",
            SubscriptionTests.create(#"id: "d", name: "x", n: 0"#, selecting: "id"))
        return service
    }

    private static func update(_ n: Int, selecting selection: String) -> String {
        #"mutation { updateTodo(input: {id: "d", n: \#(n)}) { \#(selection) } }"#
    }

    private static func order(_ subscriber: TestSubscriber) throws -> [Int64] {
        try subscriber.payloads.map { try JSONReader.read($0)["data"]?["onUpdateTodo"]?["n"]?.intValue ?? -1 }
    }

    @Test("a selection too long for a loop keeps its place in the order of its group, over a reload too")
    func longSelections() throws {
        let service = try Self.long(Self.filled)
        let long = try service.subscribe("subscription { onUpdateTodo { n items(limit: 400) { items { id } } } }")
        let short = try service.subscribe("subscription { onUpdateTodo { n } }")
        let reloaded = try ["n: Int m: Int", "n: Int"].map { fields in
            try service.reloaded(
                SubscriptionTests.schema.replacingPart("n: Int", with: fields), options: service.api.options
            ).api
        }
        for n in 1...9 {
            try service.seed(Self.update(n, selecting: "id"))
            // The answer is here before what the worker read, so the group is busy; its successors are too.
            if n == 5 { for api in reloaded { service.context.revalidate(for: api) } }
        }
        try service.loop.run { long.payloads.count == 9 }
        try service.deliver()
        #expect(try Self.order(long) == Array(1...9))
        #expect(try Self.order(short) == Array(1...9))
        // Only live reads move to a worker.
        #expect(service.context.statistics.readHandedToWorkerCount >= (BothExecutors.gathers ? 0 : 9))
        #expect(long.payloads.allSatisfy { $0.contains(#"{"id":"399"}"#) })
    }

    @Test("a mutation whose selection is long holds up the events of its item and nothing else")
    func longMutation() throws {
        let service = try Self.long(APIOptions())
        let subscriber = try service.subscribe("subscription { onUpdateTodo { id n } }")
        try service.seed(SubscriptionTests.create(#"id: "e", name: "x""#, selecting: "id"))
        let answers = try service.send(bodies: [
            Service.body(Self.update(1, selecting: "id n items(limit: 400) { items { id } }"), nil),
            Service.body(Self.update(2, selecting: "id n"), nil),
            Service.body(#"mutation { updateTodo(input: {id: "e", n: 3}) { id n } }"#, nil),
            Service.body(Self.update(4, selecting: "id n items(limit: 400) { items { id } }"), nil),
        ])
        try service.deliver()
        #expect(answers.allSatisfy { !$0.text.contains("errors") })
        #expect(service.context.statistics.readHandedToWorkerCount == (BothExecutors.gathers ? 0 : 2))
        let order = try Self.order(subscriber)
        #expect(order.filter { $0 != 3 } == [1, 2, 4])
        #expect(order.count == 4)
        #expect(service.home.environment.publisher.eventQueues.pendingCount == 0)
    }

    // MARK: - Reload

    @Test("a reload keeps valid subscriptions, under the new schema, and ends the others with the reason")
    func reload() throws {
        let service = try Service(SubscriptionTests.schema)
        let stays = try service.subscribe(
            "subscription S($o: String) { onTodo(owner: $o) { id name } }", #"{"o": "a"}"#)
        let plain = try service.subscribe("subscription { onCreateTodo { id } }")
        let field = try service.subscribe("subscription { onFlag { flag } }")
        let argument = try service.subscribe("subscription { onTodo(color: RED) { id } }")
        let generated = try service.subscribe("subscription { onDeleteTodo { id } }")
        let schema = SubscriptionTests.schema
            .replacingPart("RED GREEN", with: "GREEN").replacingPart("flag: Boolean price", with: "price")
            .replacingPart(
                "type Todo @model {", with: "type Todo @model(subscriptions: {onCreate: [\"onCreateTodo\"]}) {"
            )
            .replacingPart("\"updateTodo\", \"touch\"", with: "\"touch\"")
        let reloaded = try service.reloaded(schema)
        service.context.revalidate(for: reloaded.api)
        #expect(stays.ended == nil && plain.ended == nil)
        #expect(field.ended?.first?.message.contains("Field 'flag' in type 'Todo' is undefined") == true)
        #expect(argument.ended?.first?.message.contains("'color'") == true)
        #expect(generated.ended?.first?.message.contains("'onDeleteTodo'") == true)
        #expect(service.home.environment.publisher.openSubscriptionCount == 2)
        #expect(service.context.statistics.subscriptionCount == 2)
        // The old API answers what had begun under it; its subscribers are those that stayed.
        for api in [service, reloaded] {
            let id = api === service ? "1" : "2"
            try api.seed(SubscriptionTests.create(#"id: "\#(id)", name: "x", owner: "a""#, selecting: "id name owner"))
            try api.seed(#"mutation { updateTodo(input: {id: "\#(id)", name: "y"}) { id name owner } }"#)
        }
        try service.deliver()
        #expect(
            stays.payloads == ["1", "2"].map { #"{"data":{"onTodo":{"id":"\#($0)","name":"x"}}}"# })
        #expect(plain.payloads.count == 2)
        service.cancel(stays)
        service.cancel(plain)
        #expect(service.home.environment.publisher.openSubscriptionCount == 0)
    }

    @Test("the first subscription under a new API brings the others along; one under the old API joins the new")
    func reloadBySubscribing() throws {
        let service = try Service(SubscriptionTests.schema)
        let flagged = try service.subscribe("subscription { onFlag { flag } }")
        let reloaded = try service.reloaded(
            SubscriptionTests.schema.replacingPart("flag: Boolean price", with: "price"))
        let request = try unsafe Array(Service.body("subscription { onTodo { id } }", nil).utf8).withUnsafeBytes {
            try unsafe service.context.readRequest($0, for: reloaded.api)
        }
        let outcome = reloaded.api.subscribe(to: request, as: .apiKey, on: service.context, for: TestSubscriber())
        guard case .subscribed = outcome else {
            Issue.record("refused")
            return
        }
        #expect(flagged.ended != nil)
        #expect(try service.refusal("subscription { onFlag { flag } }").first?.contains("FieldUndefined") == true)
    }
}

extension String {
    /// The text with one part, which must be there, replaced.
    func replacingPart(_ part: String, with other: String) -> String {
        guard let range = indices.first(where: { self[$0...].hasPrefix(part) }) else {
            preconditionFailure("\(part) is not in the text")
        }
        return self[..<range] + other + self[range...].dropFirst(part.count)
    }
}
