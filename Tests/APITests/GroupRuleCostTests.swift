import JSON
import Tables
import Testing
import Transformer

@testable import API

@Suite("Subscribers with many groups", .bothExecutors) struct GroupRuleCostTests {
    private static let schema = """
        type Doc @model @auth(rules: [{allow: groups, groupsField: "team"}, {allow: groups, groups: ["Staff"]}]) {
          id: ID! team: String a: String b: String
        }
        """

    private static func service(_ limits: APILimits = APILimits(), home: Service.Home? = nil) throws -> Service {
        var transform = TransformOptions()
        (transform.transformerVersion, transform.authModes) = (.v2, RuledStage.modes)
        return try Service(schema, options: APIOptions(limits: limits), transform: transform, home: home)
    }

    private static let staff = Identity.user("sue", in: ["Staff"])

    private func create(_ fields: String, on service: Service) throws {
        let body = Service.body("mutation { createDoc(input: {\(fields)}) { id team a b } }", nil)
        _ = try service.send(body: body, as: Self.staff)
        try service.deliver()
    }

    private static func groups(_ count: Int, _ name: String = "g") -> [String] { (0..<count).map { "\(name)\($0)" } }

    @Test("decisions of callers with many groups are kept within a bound of bytes, and none is another caller's")
    func decisionBytes() throws {
        let service = try Self.service()
        try create(#"id: "d", team: "u7-0""#, on: service)
        var counts: [Int] = []
        for number in 0..<60 {
            let user = Identity.user("u\(number)", in: Self.groups(2_000, "u\(number)-"))
            let answer = number == 7 ? #"{"getDoc":{"id":"d"}}"# : #"{"getDoc":null} | getDoc U"#
            for _ in 0..<2 { try service.expect(user, #"{ getDoc(id: "d") { id } }"#, answer) }
            counts.append(service.context.decisions.byteCount)
        }
        #expect(counts[0] > 10_000 && counts.allSatisfy { $0 <= RecentDecisions.bytesMax })
        #expect(60 * counts[0] > RecentDecisions.bytesMax, "the bound is reached")
        // A table that is too large is not kept, and takes no room from the others.
        let large = Identity.user("large", in: Self.groups(40_000))
        let before = service.context.decisions.byteCount
        try service.expect(large, #"{ getDoc(id: "d") { id } }"#, #"{"getDoc":null} | getDoc U"#)
        #expect(service.context.decisions.byteCount == before && before > RecentDecisions.bytesMax / 2)
    }

    @Test("a filter is not multiplied by the groups of the subscriber, which all of its subscriptions share")
    func shared() throws {
        let service = try Self.service()
        let ann = Identity.user("ann", in: Self.groups(2_000))
        for number in 0..<5 {
            let parts = (0..<10).map { "{a: {ne: \"\(number)-\($0)\"}, b: {ne: \"x\"}}" }.joined(separator: ", ")
            _ = try service.subscribe("subscription { onCreateDoc(filter: {or: [\(parts)]}) { id } }", as: ann)
        }
        let filters = service.context.registry.groups.values.map(\.operation.filter)
        #expect(filters.map(\.conjunctions.count) == [10, 10, 10, 10, 10])
        let texts = filters.flatMap { $0.conjunctions.flatMap { $0.compactMap(\.texts) } }
        #expect(texts.count == 50)
        #expect(texts.allSatisfy { $0 === ann.groups(of: "cognito:groups") })
    }

    @Test(
        "a subscriber receives the events of its groups and no others, however many it has",
        arguments: [1, 3, 100, 900])
    func received(count: Int) throws {
        let service = try Self.service()
        let ann = Identity.user("ann", in: Self.groups(count))
        let all = try service.subscribe("subscription { onCreateDoc { id } }", as: ann)
        let some = try service.subscribe("subscription { onCreateDoc(filter: {a: {eq: \"1\"}}) { id } }", as: ann)
        let other = try service.subscribe(
            "subscription { onCreateDoc(filter: {a: {eq: \"1\"}, b: {eq: \"2\"}}) { id } }", as: ann)
        for (index, fields) in [
            "team: \"g0\"", "team: \"g\(count - 1)\", a: \"1\"", "team: \"g\(count)\", a: \"1\"", "a: \"1\"",
            "team: \"g0\", a: \"1\", b: \"2\"", "team: \"Staff\", a: \"1\", b: \"2\"",
        ].enumerated() { try create("id: \"\(index)\", \(fields)", on: service) }
        func ids(_ subscriber: TestSubscriber) throws -> [String] {
            try subscriber.take().map {
                try JSONReader.read($0)["data"]?["onCreateDoc"]?["id"]?.stringValue ?? "?"
            }
        }
        #expect(try ids(all) == ["0", "1", "4"])
        #expect(try ids(some) == ["1", "4"])
        #expect(try ids(other) == ["4"])
    }

    @Test("an event visits the subscribers that have its group, and of those with an argument the ones that match it")
    func visits() throws {
        let service = try Self.service()
        var subscribers: [TestSubscriber] = []
        for number in 0..<40 {
            let user = Identity.user("u\(number)", in: ["all"] + Self.groups(3, "u\(number)-"))
            subscribers.append(try service.subscribe("subscription { onCreateDoc { id } }", as: user))
            subscribers.append(
                try service.subscribe("subscription { onCreateDoc(filter: {a: {eq: \"\(number)\"}}) { id } }", as: user)
            )
        }
        func visits(_ fields: String) throws -> Int {
            let before = service.context.statistics.eventGroupVisitCount
            try create(fields, on: service)
            return service.context.statistics.eventGroupVisitCount - before
        }
        #expect(try visits("id: \"1\", team: \"u7-1\"") == 1)
        #expect(try visits("id: \"2\", team: \"u7-1\", a: \"7\"") == 2)
        #expect(try visits("id: \"3\", team: \"all\", a: \"7\"") == 41)
        #expect(try visits("id: \"4\", team: \"none\", a: \"7\"") == 0)
        let received: Int = subscribers.reduce(0) { $0 + $1.take().count }
        #expect(received == 44)
        for subscriber in subscribers { service.cancel(subscriber) }
        #expect(service.context.registry.groups.isEmpty)
        #expect(try visits("id: \"5\", team: \"all\"") == 0)
    }

    @Test("subscribers and their filters take as many bytes as the limit, and give them back")
    func bound() throws {
        var limits = APILimits()
        limits.subscriberBytesMax = 1 << 20
        let service = try Self.service(limits)
        let publisher = service.home.environment.publisher
        var open: [TestSubscriber] = []
        var refusals: Set<String> = []
        func subscribe(_ number: Int, as identity: Identity) throws {
            let subscriber = TestSubscriber()
            let query = "subscription { onCreateDoc(filter: {a: {ne: \"\(number)\"}}) { id } }"
            switch try service.outcome(of: query, as: identity, for: subscriber) {
            case .subscribed(let handle):
                subscriber.handle = handle
                open.append(subscriber)
            case .refused(let errors, _): refusals.formUnion(errors.map { "\($0.errorType ?? ""): \($0.message)" })
            case .otherOperation(let name): Issue.record("a \(name)")
            }
        }
        // One caller with many subscriptions counts once.
        let ann = Identity.user("ann", in: Self.groups(1_000))
        for number in 0..<200 { try subscribe(number, as: ann) }
        #expect(open.count == 200 && refusals.isEmpty)
        for number in 0..<200 { try subscribe(number, as: .user("u\(number)", in: Self.groups(1_000, "u\(number)-"))) }
        #expect(open.count > 201 && open.count < 300)
        #expect(
            refusals == [
                "LimitExceededError: The subscribers of the server and their filters reached their limit of 1048576 "
                    + "bytes (limits.subscriberBytesMax)"
            ])
        #expect(publisher.subscriberBytesNow <= 1 << 20 && publisher.subscriberBytesNow > 1 << 19)
        // A reload keeps what is open.
        let newer = try Self.service(limits, home: service.home)
        let before = publisher.subscriberBytesNow
        service.context.revalidate(for: newer.api)
        #expect(open.allSatisfy { $0.ended == nil } && publisher.subscriberBytesNow == before)
        for subscriber in open { service.cancel(subscriber) }
        #expect(publisher.subscriberBytesNow == 0)
        refusals = []
        try subscribe(0, as: ann)
        #expect(refusals.isEmpty)
    }
}
