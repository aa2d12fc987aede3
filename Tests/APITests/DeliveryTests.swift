import GraphQL
import JSON
import Testing

@testable import API

@Suite("The delivery of events to many", .bothExecutors) struct DeliveryTests {
    private static let schema = "type Todo @model { id: ID! name: String }"
    private static let subscription = "subscription { onCreateTodo { id name } }"
    private static let perTurn = LoopContext.membersPerTurnMax

    /// A service whose loop has many subscribers of one group.
    private struct Fixture {
        let service: Service
        let subscribers: [TestSubscriber]

        init(count: Int = 150, options: APIOptions = APIOptions()) throws {
            let service = try Service(schema, options: options)
            self.service = service
            subscribers = try (0..<count).map { _ in try service.subscribe(subscription) }
        }

        /// Events as mutations would make them, all in one turn; the loop has not looked yet.
        func publish(_ numbers: ClosedRange<Int>, by field: String = "createTodo") throws {
            let publisher = service.home.environment.publisher
            let origin = PlannedField(
                responseKey: field, key: PlannedField.key(field), inclusion: .always, offset: 0, fieldName: field,
                parentName: "Mutation",
                typeName: "Todo", isNonNull: false, resolution: .null, authorization: nil)
            for number in numbers {
                let tree = try JSONReader.read(#"{"id":"\#(number)","name":"n"}"#)
                publisher.eventQueues.publish(
                    Event(
                        topic: publisher.topic(of: field), tree: tree, origin: ObjectIdentifier(origin), byteCount: 50))
            }
        }

        var toldCount: Int { subscribers.count { !$0.batches.isEmpty } }

        /// Takes the loop's turns until nothing is left to do.
        func finish() { for _ in 0..<20 { service.loop.drain() } }
    }

    @Test("each subscriber is given what came in one turn together, and a turn reaches a few of them")
    func together() throws {
        let fixture = try Fixture()
        try fixture.publish(1...8)
        fixture.service.loop.drain()
        #expect(fixture.toldCount == Self.perTurn)
        fixture.service.loop.drain()
        #expect(fixture.toldCount == 2 * Self.perTurn)
        fixture.finish()
        #expect(fixture.subscribers.allSatisfy { $0.batches == [8] })
        #expect(fixture.subscribers.allSatisfy { $0.numbers == fixture.subscribers[0].numbers })
        #expect(fixture.subscribers[0].numbers == fixture.subscribers[0].numbers.sorted())
    }

    @Test("events that arrive during a delivery are delivered together in the next one")
    func meanwhile() throws {
        let fixture = try Fixture()
        try fixture.publish(1...1)
        fixture.service.loop.drain()
        for number in 2...5 {
            try fixture.publish(number...number)
            fixture.service.loop.drain()
        }
        fixture.finish()
        for subscriber in fixture.subscribers {
            #expect(subscriber.batches.reduce(0, +) == 5)
            #expect(subscriber.numbers == subscriber.numbers.sorted())
            #expect(subscriber.batches.count < 5)
        }
    }

    @Test("a subscriber to several fields of a model receives the events of an item in order")
    func acrossFields() throws {
        let fixture = try Fixture(count: 0)
        let service = fixture.service
        let (created, deleted) = (
            try service.subscribe(Self.subscription), try service.subscribe("subscription { onDeleteTodo { id } }")
        )
        var received: [String] = []
        created.react = { received.append("create") }
        deleted.react = { received.append("delete") }
        let fields = "delete create create delete delete create delete".split(separator: " ").map(String.init)
        for (number, field) in fields.enumerated() { try fixture.publish(number...number, by: field + "Todo") }
        fixture.finish()
        #expect(received == fields)
        #expect(created.batches == [2, 1] && deleted.batches == [1, 2, 1])
    }

    @Test(
        "a subscription cancelled during a delivery receives nothing further, and a new one receives no earlier event")
    func leaving() throws {
        let fixture = try Fixture()
        try fixture.publish(1...2)
        fixture.service.loop.drain()
        let left = fixture.subscribers.filter(\.batches.isEmpty)
        for subscriber in left { fixture.service.cancel(subscriber) }
        let late = try fixture.service.subscribe(Self.subscription)
        fixture.finish()
        #expect(left.count == fixture.subscribers.count - Self.perTurn && left.allSatisfy(\.payloads.isEmpty))
        #expect(fixture.toldCount == Self.perTurn)
        #expect(late.payloads.isEmpty)
        try fixture.publish(3...3)
        fixture.finish()
        #expect(late.batches == [1])
    }

    @Test("pending events are delivered before a reload and before the sockets are closed", arguments: 0..<3)
    func beforeAnEnd(kind: Int) throws {
        let fixture = try Fixture()
        try fixture.publish(1...2)
        if kind < 2 { fixture.service.loop.drain() }
        let fields = ["id: ID! name: String more: Int", "id: ID!"]
        if kind < 2 {
            let reloaded = try fixture.service.reloaded("type Todo @model { \(fields[kind]) }")
            fixture.service.context.revalidate(for: reloaded.api)
        } else {
            fixture.service.context.deliverEverything()
        }
        #expect(fixture.subscribers.allSatisfy { $0.numbers.count == 2 })
        #expect(fixture.subscribers.allSatisfy { ($0.ended != nil) == (kind == 1) })
        fixture.finish()
        #expect(fixture.subscribers.allSatisfy { $0.numbers.count == 2 })
    }

    @Test("subscriptions that have lost events are ended in steps of 256")
    func endings() throws {
        var limits = APILimits()
        limits.eventInboxCountMax = 10
        let fixture = try Fixture(count: 600, options: APIOptions(limits: limits))
        try fixture.publish(1...11)
        var counts: [Int] = []
        for _ in 0..<20 {
            let countBefore = fixture.subscribers.count { $0.ended != nil }
            fixture.service.loop.drain()
            counts.append(fixture.subscribers.count { $0.ended != nil } - countBefore)
        }
        #expect(counts.filter { $0 > 0 } == [256, 256, 88])
        #expect(fixture.subscribers.allSatisfy { $0.ended == [.eventsLost] && $0.payloads.isEmpty })
    }

    @Test("a subscription whose event a worker completes when the sockets are about to be closed ends with an error")
    func shutdownBesideWorker() throws {
        var options = APIOptions(subscriptions: .fill)
        options.limits.readStepsMax = 500
        let service = try Service(
            "type Room @model { id: ID! guests: [Guest] @hasMany }\ntype Guest @model { id: ID! }", options: options)
        for first in stride(from: 0, to: 300, by: 100) {
            let fields = (first..<first + 100).map { "c\($0): createGuest(input: {roomGuestsId: \"r1\"}) { id }" }
            _ = try service.data("mutation { \(fields.joined(separator: " ")) }")
        }
        let subscriber = try service.subscribe(
            "subscription { onCreateRoom { id guests(limit: 300) { items { id } } } }")
        _ = try service.onAnotherLoop().data("mutation { createRoom(input: {id: \"r1\"}) { id } }")
        #expect(subscriber.payloads.isEmpty && subscriber.ended == nil)
        service.context.deliverEverything()
        #expect(subscriber.ended == [.eventsLost] && subscriber.payloads.isEmpty)
        #expect((service.context.statistics.readHandedToWorkerCount > 0) != BothExecutors.gathers)
        // The worker's result arrives, and is for nobody.
        _ = try service.data("{ listRooms { items { id } } }")
        #expect(subscriber.payloads.isEmpty)
    }
}
