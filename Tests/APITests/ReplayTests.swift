import JSON
import Tables
import Testing
import Transformer

@testable import API

@Suite("Subscriptions that come back", .bothExecutors)
struct ReplayTests {
    private static let id = "b1f0c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d"
    private static let document = "subscription { onUpdateBooking { id _version } }"

    private func begin(
        _ service: Service, id: String = ReplayTests.id, _ document: String = ReplayTests.document,
        besides others: [TestSubscriber] = []
    ) throws -> TestSubscriber {
        let subscriber = TestSubscriber()
        let request = try unsafe Array(Service.body(document, nil).utf8).withUnsafeBytes {
            try unsafe service.context.readRequest($0, for: service.api)
        }
        guard
            case .subscribed(let handle) = service.api.subscribe(
                to: request, as: .apiKey, id: id, besides: others.compactMap(\.handle), on: service.context,
                for: subscriber)
        else { throw TestFailure("refused") }
        subscriber.handle = handle
        #expect(subscriber.payloads == [])
        service.context.replay(to: handle)
        return subscriber
    }

    private func versions(_ stage: DataStoreStage, _ subscriber: TestSubscriber) throws -> [Int64] {
        try stage.events(subscriber).compactMap { try JSONReader.read($0)["_version"]?.intValue }
    }

    @Test("what is committed while a socket is gone reaches the subscription that begins again, in order")
    func comesBack() throws {
        let stage = try DataStoreStage()
        try stage.booking()
        let first = try begin(stage.service)
        stage.service.cancel(first)
        for version in 1...3 { _ = try stage.update("id: \"b1\", _version: \(version)", select: "id") }
        let second = try begin(stage.service)
        #expect(try versions(stage, second) == [2, 3, 4])
        _ = try stage.update("id: \"b1\", _version: 4", select: "id")
        #expect(try versions(stage, second) == [5])
        #expect(first.payloads == [])
    }

    @Test("a replay works while the old socket still seems to be open, and delivers an event in transit once")
    func seemsAlive() throws {
        let stage = try DataStoreStage()
        try stage.booking()
        let first = try begin(stage.service)
        _ = try stage.update("id: \"b1\", _version: 1", select: "id")
        let second = try begin(stage.service)
        #expect(try versions(stage, second) == [2])
        _ = try stage.update("id: \"b1\", _version: 2", select: "id")
        #expect(try versions(stage, second) == [3])
        #expect(try versions(stage, first) == [2, 3])
    }

    @Test("a subscription with another identifier or document, or with an identifier in use, receives no replay")
    func others() throws {
        let stage = try DataStoreStage()
        try stage.booking()
        for id in [Self.id, "1"] { stage.service.cancel(try begin(stage.service, id: id)) }
        _ = try stage.update("id: \"b1\", _version: 1", select: "id")
        #expect(try versions(stage, try begin(stage.service, id: Self.id.replacing("b1f0", with: "ffff"))) == [])
        #expect(try versions(stage, try begin(stage.service, Self.document.replacing("id ", with: "title "))) == [])
        #expect(try versions(stage, try begin(stage.service, id: "1")) == [])
        #expect(try versions(stage, try begin(stage.service)) == [2])
    }

    // MARK: - Groups

    @Test("equal subscriptions are one group, though each may come back: an event is completed once for all of them")
    func groups() throws {
        let stage = try DataStoreStage()
        try stage.booking()
        let ids = (0..<40).map { "\(Self.id)\($0)" }
        for id in ids.prefix(20) { stage.service.cancel(try begin(stage.service, id: id)) }
        _ = try stage.update("id: \"b1\", _version: 1", select: "id")
        // Twenty have resubscribed, and receive an event of their own first.
        let subscribers = try ids.map { try begin(stage.service, id: $0) }
        let before = stage.service.context.statistics.eventGroupVisitCount
        for version in 2...4 { _ = try stage.update("id: \"b1\", _version: \(version)", select: "id") }
        try stage.service.deliver()
        #expect(stage.service.context.statistics.eventGroupVisitCount - before == 3)
        for (index, subscriber) in subscribers.enumerated() {
            #expect(subscriber.numbers == (index < 20 ? [1, 2, 3, 4] : [2, 3, 4]))
        }
        // What is completed once is one object, of which a server makes one frame.
        let live = subscribers.flatMap { $0.messages.suffix(3) }.map { ObjectIdentifier($0) }
        #expect(live.count == 120 && Set(live).count == 3)
    }

    @Test("what comes while a worker completes what was missed waits for it, over a reload too")
    func waiting() throws {
        var limits = APILimits()
        limits.readStepsMax = 500
        let stage = try DataStoreStage(options: APIOptions(limits: limits))
        _ = try stage.mutate("mutation { createRoom(input: {id: \"r1\", name: \"R\"}) { id } }")
        let fields = (0..<300).map { "c\($0): createBooking(input: {id: \"i\($0)\", roomID: \"r1\"}) { id }" }
        for part in stride(from: 0, to: 300, by: 100) {
            _ = try stage.service.data("mutation { \(fields[part..<part + 100].joined(separator: " ")) }")
        }
        let document =
            "subscription { onUpdateBooking { id _version room { bookings(limit: 300) { items { id } } } } }"
        func update(_ version: Int) throws { _ = try stage.update("id: \"i1\", _version: \(version)", select: "id") }
        stage.service.cancel(try begin(stage.service, document))
        for version in 1...3 { try update(version) }
        // Both receive the same; one disconnects while a worker reads for it.
        let (stays, goes) = (try begin(stage.service, document), try begin(stage.service, document))
        stage.service.cancel(goes)
        try update(4)
        stage.service.context.revalidate(
            for: try Service(
                DataStoreStage.schema.replacing("label: String", with: ""), options: stage.service.api.options,
                transform: TransformOptions(transformerVersion: .v2, conflictDetection: .version),
                home: stage.service.home
            ).api)
        try update(5)
        let live = try begin(stage.service, id: "1", document)
        try update(6)
        try stage.service.loop.run { stays.payloads.count == 6 && live.payloads.count == 1 }
        #expect(try versions(stage, stays) == [2, 3, 4, 5, 6, 7])
        #expect(try versions(stage, live) == [7])
        #expect(goes.payloads == [])
        #expect(stage.service.context.statistics.readHandedToWorkerCount >= (BothExecutors.gathers ? 0 : 6))
    }

    @Test("messages wait for what was missed up to a count and up to a number of bytes", arguments: [true, false])
    func tooMuchWaits(isCount: Bool) throws {
        let service = try Service(SubscriptionTests.schema)
        let subscriber = try service.subscribe("subscription { onTodo { id } }")
        defer { service.cancel(subscriber) }
        let operation = try #require(service.context.registry.groups.values.first).operation
        let replay = Replay([], to: operation, besides: [])
        var limits = APILimits()
        if isCount { limits.eventInboxCountMax = 2 } else { limits.eventInboxBytesMax = 20 }
        for number in 1...3 {
            let message = EventMessage(number: UInt64(number), payload: Array(repeating: 32, count: 10))
            #expect(replay.keep(message, limits) == (number < 3))
        }
        var delivered: [UInt64] = []
        while case .waiting(let message)? = replay.next() {
            #expect(!replay.isOver)
            delivered.append(message.number)
        }
        #expect(delivered == [1, 2] && replay.isOver)
    }

    @Test("what was missed is found and sent in steps, and each step costs a bounded number of bytes")
    func steps() throws {
        var limits = APILimits()
        limits.eventStepBytesMax = 1
        let stage = try DataStoreStage(options: APIOptions(limits: limits))
        try stage.booking()
        let document = """
            subscription {
              onUpdateBooking(filter: {or: [{id: {contains: "x"}}, {id: {contains: "b1"}}]}) { id _version }
            }
            """
        stage.service.cancel(try begin(stage.service, document))
        for version in 1...3 { _ = try stage.update("id: \"b1\", _version: \(version)", select: "id") }
        let second = try begin(stage.service, document)
        #expect(second.payloads.isEmpty)
        // Three events are found with two conjunctions each, the first in the turn of the acknowledgement; three are sent.
        for turn in 1...8 {
            stage.service.loop.drain()
            #expect(second.payloads.count == max(0, turn - 5), "turn \(turn)")
        }
        #expect(try versions(stage, second) == [2, 3, 4])
    }

    // MARK: - Order

    /// What happens to `b1` and `b2` while a device is away, and how the fields are begun again.
    private static let mutations: [(field: String, document: String)] = [
        ("onCreateBooking", "createBooking(input: {id: \"b2\"})"),
        ("onUpdateBooking", "updateBooking(input: {id: \"b1\", _version: 1})"),
        ("onUpdateBooking", "updateBooking(input: {id: \"b2\", _version: 1})"),
        ("onDeleteBooking", "deleteBooking(input: {id: \"b2\", _version: 2})"),
        ("onUpdateBooking", "updateBooking(input: {id: \"b1\", _version: 2})"),
        ("onCreateBooking", "createBooking(input: {id: \"b2\"})"),
    ]

    @Test(
        "in any order of resubscribing, a device receives no state of an item after a newer one",
        arguments: [
            [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0],
        ], [4, 5, 6])
    func order(of places: [Int], mutationCount: Int) throws {
        let stage = try DataStoreStage(options: APIOptions(recreatesOverTombstone: true))
        try stage.booking()
        let fields = ["onCreateBooking", "onUpdateBooking", "onDeleteBooking"]
        func document(_ field: String) -> String { "subscription { \(field) { id _version _deleted } }" }
        for field in fields { stage.service.cancel(try begin(stage.service, document(field))) }
        for mutation in Self.mutations.prefix(mutationCount) {
            _ = try stage.service.data("mutation { \(mutation.document) { id } }")
        }
        var delivered: [(id: String, version: Int64)] = []
        var begun: [TestSubscriber] = []
        for field in places.map({ fields[$0] }) {
            begun.append(try begin(stage.service, document(field), besides: begun))
            delivered += try stage.events(begun[begun.count - 1]).map { text in
                let item = try JSONReader.read(text)
                return (item["id"]?.stringValue ?? "", item["_version"]?.intValue ?? 0)
            }
        }
        for (id, last) in [("b1", mutationCount < 5 ? 2 : 3), ("b2", mutationCount < 6 ? 3 : 4)] {
            let versions = delivered.filter { $0.id == id }.map(\.version)
            #expect(versions == Array(Set(versions)).sorted() && versions.last == Int64(last), "\(id): \(versions)")
        }
        // Nothing is left out without need.
        if places == [0, 1, 2] { #expect(delivered.count == [4: 4, 5: 5, 6: 4][mutationCount]) }
    }

    @Test("events of a field with one subscription are replayed completely, whatever happened to the item since")
    func alone() throws {
        let stage = try DataStoreStage()
        try stage.booking()
        let created = "subscription { onCreateBooking { id _version } }"
        let deleted = "subscription { onDeleteBooking { id _version } }"
        for document in [created, Self.document, deleted] {
            stage.service.cancel(try begin(stage.service, document))
        }
        for mutation in Self.mutations.prefix(4) {
            _ = try stage.service.data("mutation { \(mutation.document) { id } }")
        }
        // Of another client, of the same client and the same field, and a new one that has received nothing.
        let other = try begin(stage.service, deleted)
        let same = try begin(stage.service, Self.document)
        let new = try begin(stage.service, id: "1", deleted)
        #expect(try versions(stage, other) == [3])
        #expect(try versions(stage, try begin(stage.service, created, besides: [new])) == [1])
        #expect(try versions(stage, try begin(stage.service, besides: [same, new])) == [2, 2])
        #expect(try versions(stage, try begin(stage.service, created, besides: [other])) == [])
    }

    @Test("a subscription that a reload has ended may come back as well")
    func endedByReload() throws {
        let stage = try DataStoreStage()
        try stage.booking()
        func service(_ schema: String) throws -> Service {
            let options = TransformOptions(transformerVersion: .v2, conflictDetection: .version)
            return try Service(schema, transform: options, home: stage.service.home)
        }
        let document = "subscription { onUpdateBooking { id _version title } }"
        let first = try begin(stage.service, document)
        let without = try service(DataStoreStage.schema.replacing("  title: String\n", with: ""))
        stage.service.context.revalidate(for: without.api)
        #expect(first.ended != nil)
        _ = try without.data("mutation { updateBooking(input: {id: \"b1\", _version: 1}) { id } }")
        let again = try service(DataStoreStage.schema)
        #expect(try versions(stage, try begin(again, document)) == [2])
    }

    // MARK: - Bounds

    @Test("the replay log stays within its bounds and releases its topics")
    func bounds() throws {
        let stage = try DataStoreStage()
        var limits = APILimits()
        (limits.replaySubscriptionsMax, limits.replaySeconds) = (1, 300)
        let topic = try #require(stage.service.api.schema.topics["updateBooking"])
        let table = stage.service.api.schema.tables[0]
        let item = Item(values: table.table.columns.map { _ in .null })
        let origin = try #require(try plannedField(stage))
        func event(_ number: UInt64) -> PublishedEvent {
            let row = EventRow(item: item, table: table)
            return PublishedEvent(
                number: number,
                event: Event(topic: topic, tree: row.tree, row: row, origin: ObjectIdentifier(origin), byteCount: 1_000)
            )
        }
        func key(_ digit: String) throws -> ReplayKey {
            try #require(
                ReplayKey(String(repeating: digit, count: 36), identity: .apiKey, document: [], variables: nil))
        }
        var log = ReplayLog()
        log.append(event(1), now: 0, limits)
        #expect(log.count == 0, "nobody may come back")
        #expect(log.open(try key("a"), at: 1, now: 0, limits) == nil)
        log.append(event(2), now: 1_000, limits)
        #expect(!topic.isListenedTo)
        log.close(try key("a"), topics: [topic], now: 2_000, limits)
        #expect(topic.isListenedTo)
        _ = log.open(try key("b"), at: 2, now: 2_000, limits)
        log.close(try key("b"), topics: [topic], now: 2_000, limits)
        #expect(log.open(try key("b"), at: 2, now: 2_000, limits) == nil, "more than may be are forgotten")
        #expect(log.open(try key("a"), at: 2, now: 302_000, limits) == 1)
        log.close(try key("a"), topics: [topic], now: 302_000, limits)
        limits.replayBytesMax = 3_000
        for number in UInt64(3)...10 { log.append(event(number), now: 302_000, limits) }
        #expect(log.events(after: 0).map(\.number) == [8, 9, 10] && log.byteCount == 3_000)
        log.append(event(11), now: 602_001, limits)
        #expect(log.events(after: 0).map(\.number) == [11])
        #expect(!topic.isListenedTo)
    }

    @Test("a subscription that may come back is known by a digest that differs with each thing it asks for")
    func digest() throws {
        func key(
            _ id: String = Self.id, _ document: String = Self.document, _ variables: JSONObject? = nil
        ) -> ReplayKey? {
            ReplayKey(id, identity: .apiKey, document: Array(document.utf8), variables: variables)
        }
        let large = Self.document + String(repeating: " ", count: 200_000)
        let texts = [Self.document, large, large + " ", "\u{0}" + large, ""]
        let objects: [JSONObject?] = [
            nil, [:], ["a": 1], ["a": 1.5], ["a": "1"], ["a": nil], ["b": 1], ["a": [1, 2]], ["a": [[1], 2]],
            ["a": ["b": 1]],
        ]
        var keys: Set<ReplayKey> = []
        for id in [Self.id, Self.id + "0"] {
            for text in texts { for object in objects { keys.insert(try #require(key(id, text, object))) } }
        }
        #expect(keys.count == 2 * texts.count * objects.count)
        #expect(key(Self.id, large, ["a": 1]) == key(Self.id, large, ["a": 1]))
        #expect(key("1") == nil, "others count theirs as well")
        #expect(MemoryLayout<ReplayKey>.size == 16)
    }

    private func plannedField(_ stage: DataStoreStage) throws -> PlannedField? {
        guard case .plan(let plan) = stage.service.api.schema.plan(Array(Self.document.utf8), operationName: nil) else {
            return nil
        }
        return plan.roots.first
    }
}
