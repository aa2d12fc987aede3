import JSON
import Tables
import Testing

@testable import Analytics

@Suite("PutEvents")
struct EventsTests {
    private static let noon = "2026-01-15T12:00:00.000Z"

    @Test("an event is answered with 202 and Accepted, in the words by which amplify-swift drops it")
    func accepted() async throws {
        let stage = try AnalyticsStage()
        let answer = try await stage.perform(
            .putEvents, AnalyticsStage.batch("e1", [:], [("a", AnalyticsStage.event("open", Self.noon))]))
        #expect(answer.status == 202)
        let expected: JSONValue = [
            "Results": [
                "e1": [
                    "EndpointItemResponse": AnalyticsStage.accepted,
                    "EventsItemResponse": ["a": AnalyticsStage.accepted],
                ]
            ]
        ]
        #expect(answer.body == expected)
        #expect(try await stage.report(.events) == [["2026-01-15", "open", 1]])
    }

    @Test("a bad event is refused, and the others of its request are taken")
    func partialFailure() async throws {
        let stage = try AnalyticsStage()
        let long = String(repeating: "é", count: 1_001)
        let many = JSONObject((0..<41).map { ("k\($0)", "v") })
        let result = try await stage.put([
            ("good", AnalyticsStage.event("open", Self.noon)),
            ("noType", ["Timestamp": .string(Self.noon)]),
            ("emptyType", AnalyticsStage.event("", Self.noon)),
            ("noTime", ["EventType": "open"]),
            ("badTime", AnalyticsStage.event("open", "yesterday")),
            ("before1970", AnalyticsStage.event("open", "1969-12-31T23:59:59Z")),
            ("manyAttributes", AnalyticsStage.event("open", Self.noon, many)),
            ("longValue", AnalyticsStage.event("open", Self.noon, ["k": .string(long)])),
            ("longName", AnalyticsStage.event("open", Self.noon, [String(repeating: "k", count: 51): "v"])),
            ("number", AnalyticsStage.event("open", Self.noon, ["k": 1])),
            ("noObject", "open"), ("null", .null),
            (
                "metric",
                ["EventType": "open", "Timestamp": .string(Self.noon), "Metrics": ["m": "1"]]
            ),
            ("full", AnalyticsStage.event("open", Self.noon, ["k": .string(String(repeating: "é", count: 1_000))])),
        ])
        let outcomes = try #require(result["EventsItemResponse"]?.objectValue)
        #expect(outcomes.count == 14)
        for (id, outcome) in outcomes {
            let isGood = ["good", "full"].contains(id)
            #expect(outcome["StatusCode"] == (isGood ? 202 : 400), "\(id): \(outcome)")
            #expect((outcome["Message"] == "Accepted") == isGood, "\(id)")
        }
        #expect(result["EndpointItemResponse"] == AnalyticsStage.accepted)
        #expect(try await stage.report(.events) == [["2026-01-15", "open", 2]])
    }

    @Test("an event that is sent twice counts once, and both times it is accepted")
    func duplicates() async throws {
        let stage = try AnalyticsStage()
        for _ in 0..<3 {
            let result = try await stage.put([
                ("a", AnalyticsStage.event("open", Self.noon)), ("b", AnalyticsStage.event("open", Self.noon)),
            ])
            #expect(result["EventsItemResponse"]?["a"] == AnalyticsStage.accepted)
        }
        #expect(try await stage.report(.events) == [["2026-01-15", "open", 2]])
        #expect(try await stage.report(.users, ["days": "1"]) == [["2026-01-15", 1, 1]])
    }

    @Test("an event whose number another one has gets the next, and a few at most are tried")
    func eventKeys() async throws {
        let stage = try AnalyticsStage()
        let table = stage.analytics.tables.event
        func put(_ id: String, at key: Int64?) async throws -> EventKey.Outcome {
            try await stage.analytics.transact(byteCount: 0) { (transaction) throws(StoreError) in
                var row: [Value] = [
                    .integer(1), .integer(key ?? 0), .text(id), .integer(1), .integer(1), .integer(1), .integer(1),
                    .text("{}"),
                ]
                guard key == nil else { return try transaction.put(row, into: table) ? .stored : .known }
                return try EventKey.put(EventKey.first(of: id), &row, into: table, transaction)
            }
        }
        let number = EventKey.first(of: "a")
        _ = try await put("other", at: number)
        #expect(try await put("a", at: nil) == .stored)
        #expect(try await put("a", at: nil) == .known)
        let next = EventKey.first(of: "b")
        for offset in 0..<Int64(EventKey.triesMax) { _ = try await put("other \(offset)", at: next &+ offset) }
        #expect(try await put("b", at: nil) == .noRoom)
    }

    /// Sends a body as it is written.
    private static func put(_ text: String, _ stage: AnalyticsStage) async -> Result<AnalyticsAnswer, AnalyticsError> {
        await stage.analytics.perform(.putEvents, app: AnalyticsStage.app, Array(text.utf8), requestID: "1")
    }

    private static let plainEvent = #"{"EventType":"a","Timestamp":"2026-01-15T12:00:00Z"}"#

    @Test("of two events of an endpoint with one id, which have one answer, the last is used")
    func repeatedEvents() async throws {
        let stage = try AnalyticsStage()
        let other = Self.plainEvent.replacing("\"a\"", with: "\"b\"")
        let text = #"{"BatchItem":{"e":{"Events":{"x":\#(Self.plainEvent),"x":\#(other)}}}}"#
        let body = String(decoding: try await Self.put(text, stage).get().body, as: UTF8.self)
        #expect(body.ranges(of: "\"x\"").count == 1, "\(body)")
        #expect(try await stage.report(.events) == [["2026-01-15", "b", 1]])
    }

    @Test("a request with a member twice, of which one would be lost without an answer, is a BadRequestException")
    func repeatedMembers() async throws {
        let stage = try AnalyticsStage()
        let events = #""Events":{"x":\#(Self.plainEvent)}"#
        for text in [
            #"{"BatchItem":{"e":{\#(events)},"f":{},"e":{}}}"#, #"{"BatchItem":{"e":{\#(events)},"\u0065":{}}}"#,
            #"{"BatchItem":{"e":{\#(events)}},"BatchItem":{"f":{}}}"#, #"{"BatchItem":{"e":{\#(events),\#(events)}}}"#,
            #"{"BatchItem":{"e":{"Endpoint":{},\#(events),"Endpoint":{}}}}"#,
        ] {
            guard case .failure(let error) = await Self.put(text, stage) else {
                Issue.record("It was taken: \(text)")
                continue
            }
            #expect(error.name == "BadRequestException" && error.message.contains("more than once"), "\(error)")
        }
        #expect(try await stage.report(.events).isEmpty)
    }

    @Test("an event with a member twice is refused, and the others of its request are taken")
    func repeatedMembersOfEvents() async throws {
        let stage = try AnalyticsStage()
        let names = ["EventType", "Timestamp", "Attributes", "Metrics", "Session"]
        let event = Self.plainEvent.dropLast()
        let own = names.map { name in
            let value = ["EventType": "\"b\"", "Timestamp": "\"2026-01-15T12:00:00Z\""][name] ?? "{}"
            let member = "\"\(name)\":\(value)"
            return "\"\(name)\":\(event),\(member),\(member)}"
        }
        let good = "\"good\":\(event),\"Other\":1,\"Other\":2}"
        let text = #"{"BatchItem":{"e":{"Events":{\#((own + [good]).joined(separator: ","))}}}}"#
        let body = try JSONReader.read(try await Self.put(text, stage).get().body)
        let outcomes = body["Results"]?["e"]?["EventsItemResponse"]
        for name in names {
            #expect(outcomes?[name]?["StatusCode"] == 400)
            #expect(outcomes?[name]?["Message"] == .string("'\(name)' is given more than once."))
        }
        #expect(outcomes?["good"] == AnalyticsStage.accepted)
        #expect(try await stage.report(.events) == [["2026-01-15", "a", 1]])
    }

    @Test("100 events are taken, and a request with more is refused whole")
    func batchSize() async throws {
        let stage = try AnalyticsStage()
        let events = (0..<101).map { ("\($0)", AnalyticsStage.event("open", Self.noon)) }
        #expect(try await stage.perform(.putEvents, AnalyticsStage.batch("e", [:], events)).status == 400)
        #expect(try await stage.report(.events).isEmpty)
        try await stage.put(Array(events.prefix(100)))
        #expect(try await stage.report(.events) == [["2026-01-15", "open", 100]])
    }

    @Test(
        "a body that cannot be taken at all is a BadRequestException",
        arguments: ["", "{", "[]", "{}", #"{"BatchItem":[]}"#, "{\"BatchItem\":{}}x", "\u{FF}"])
    func badBodies(_ body: String) async throws {
        let stage = try AnalyticsStage()
        let result = await stage.analytics.perform(
            .putEvents, app: AnalyticsStage.app, Array(body.utf8), requestID: "1")
        guard case .failure(let error) = result else {
            Issue.record("It was taken: \(body)")
            return
        }
        #expect(error.name == "BadRequestException" && error.status == 400)
    }

    @Test("an unknown app is a NotFoundException in Pinpoint's words")
    func unknownApp() async throws {
        let stage = try AnalyticsStage()
        let answer = try await stage.perform(.putEvents, AnalyticsStage.batch("e", [:], []), app: "other")
        #expect(answer.status == 404)
        #expect(answer.body == ["name": "NotFoundException", "message": "Resource not found"])
    }

    @Test("a day is UTC of the event's timestamp, and of its arrival if that lies more than a day before")
    func days() async throws {
        let stage = try AnalyticsStage()
        try await stage.put([
            ("a", AnalyticsStage.event("t", "2026-01-15T23:59:59.999Z")),
            ("b", AnalyticsStage.event("t", "2026-01-15T23:30:00-01:00")),
            ("c", AnalyticsStage.event("t", "2026-01-16T12:00:00.000Z")),
            ("d", AnalyticsStage.event("t", "2026-01-16T12:00:00.001Z")),
            ("e", AnalyticsStage.event("t", "2031-01-01T00:00:00Z")),
            ("f", AnalyticsStage.event("t", "2025-12-31T00:00:00Z")),
        ])
        let rows = try await stage.report(.events, ["from": "2025-12-01", "to": "2026-02-01"])
        #expect(rows == [["2025-12-31", "t", 1], ["2026-01-15", "t", 3], ["2026-01-16", "t", 2]])
    }

    @Test(
        "moments are read as ISO 8601 has them",
        arguments: [
            ("2026-01-15T12:00:00Z", 1_768_478_400_000), ("2026-01-15T12:00:00.5Z", 1_768_478_400_500),
            ("2026-01-15T12:00:00.678901Z", 1_768_478_400_678), ("2026-01-15T13:30:00+01:30", 1_768_478_400_000),
            ("2026-01-15T10:00:00-0200", 1_768_478_400_000), ("2026-01-15T12:00:00", 1_768_478_400_000),
            ("2026-01-15", 1_768_435_200_000), ("2026-01-15T12:00", 1_768_478_400_000), ("2026-02-30T00:00:00Z", nil),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000), ("2026-01-15T24:00:00Z", nil), ("2026-1-15", nil),
            ("", nil), ("2026-01-15T12:00:00ZZ", nil), ("1969-12-31T23:59:59Z", nil),
            ("1970-01-01T00:00:00+00:01", nil),
        ] as [(String, Int64?)])
    func timestamps(_ text: String, _ milliseconds: Int64?) {
        #expect(Timestamp.milliseconds(Array(text.utf8)) == milliseconds)
    }

    @Test("types that differ in bytes alone are different types")
    func exactTypes() async throws {
        let stage = try AnalyticsStage()
        try await stage.put([
            ("a", AnalyticsStage.event("caf\u{E9}", Self.noon)), ("b", AnalyticsStage.event("cafe\u{301}", Self.noon)),
        ])
        #expect(try await stage.report(.events).count == 2)
    }

    @Test("events of types past the bound are accepted and counted as one type, which no client can send")
    func typesMax() async throws {
        var limits = AnalyticsLimits()
        limits.eventTypesPerAppMax = 2
        let stage = try AnalyticsStage(limits: limits)
        let result = try await stage.put(
            ["a", "b", "c", "a2", "d"].map { ($0, AnalyticsStage.event(String($0.prefix(1)), Self.noon)) })
        for id in ["a", "b", "c", "a2", "d"] { #expect(result["EventsItemResponse"]?[id] == AnalyticsStage.accepted) }
        let day: JSONValue = "2026-01-15"
        #expect(try await stage.report(.events) == [[day, "_other", 2], [day, "a", 2], [day, "b", 1]])
        let exported = try await stage.analytics.export([ReportParameter]())["items"]?.arrayValue ?? []
        let types: [JSONValue?] = ["a", "b", "c", "a", "d"]
        #expect(exported.map { $0["event"]?["EventType"] } == types)
        let own = try await stage.put([("x", AnalyticsStage.event("_other", Self.noon))])
        #expect(own["EventsItemResponse"]?["x"]?["StatusCode"] == 400)
    }

    @Test("a batch with random bytes in it is refused or answered, and never counts what it did not accept")
    func fuzz() async throws {
        let seed = UInt64.testSeed(in: 0 ... .max)
        print("Seed of batches of events: \(seed)")
        var random = SeededGenerator(seed: seed)
        let stage = try AnalyticsStage()
        let body = AnalyticsStage.batch(
            "e1", ["User": ["UserId": "u"], "Attributes": ["a": ["b", "c"]]],
            (0..<4).map { ("id\($0)", AnalyticsStage.event("t\($0)", Self.noon, ["k": "v\\\"é😀"])) })
        let valid = Array(body.description.utf8)
        var accepted: Set<String> = []
        for _ in 0..<600 {
            var bytes = valid
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(#"{}[]",:0nt\"#.utf8.randomElement(using: &random) ?? 0, at: place)
                default:
                    let end = min(bytes.count, place + Int.random(in: 0...40, using: &random))
                    bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
                }
            }
            switch await stage.analytics.perform(.putEvents, app: AnalyticsStage.app, bytes, requestID: "1") {
            case .failure(let error): #expect(error.status == 400, "\(error) \(String(decoding: bytes, as: UTF8.self))")
            case .success(let answer):
                #expect(answer.status == 202)
                let results = try #require(try JSONReader.read(answer.body)["Results"]?.objectValue)
                for (endpoint, item) in results {
                    for (id, outcome) in item["EventsItemResponse"]?.objectValue ?? [:]
                    where outcome == AnalyticsStage.accepted { accepted.insert("\(endpoint)|\(id)") }
                }
            }
        }
        let rows = try await stage.report(.events, ["total": "true", "from": "2020-01-01"])
        let counted = rows.reduce(0) { $0 + ($1[1].intValue ?? 0) }
        var exported: Set<String> = []
        var after: String?
        repeat {
            let page = try await stage.analytics.export(after.map { [("after", $0)] } ?? [])
            for item in page["items"]?.arrayValue ?? [] {
                exported.insert("\(item["endpoint"]?.stringValue ?? "")|\(item["id"]?.stringValue ?? "")")
            }
            after = page["next"]?.stringValue
        } while after != nil
        #expect(exported == accepted)
        // What is counted lies outside of the report's days only where a timestamp was changed to another year.
        #expect(counted <= Int64(exported.count))
    }
}
