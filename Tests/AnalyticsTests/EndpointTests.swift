import JSON
import Tables
import Testing

@testable import Analytics

@Suite("Endpoints")
struct EndpointTests {
    @Test("an update is answered with Accepted and the request's id, and the endpoint is read back in Pinpoint's form")
    func update() async throws {
        let stage = try AnalyticsStage()
        let answer = try await stage.perform(
            .updateEndpoint("e1"),
            [
                "Address": "token", "ChannelType": "APNS", "Attributes": ["team": ["red", "blue"]],
                "Demographic": ["Platform": "iOS", "AppVersion": "1.0"], "User": ["UserId": "jane"], "Unknown": 1,
            ])
        #expect(answer.status == 202)
        #expect(answer.body == ["Message": "Accepted", "RequestID": "request-1"])
        let read = try await stage.perform(.getEndpoint("e1"))
        #expect(read.status == 200)
        let expected: JSONValue = [
            "Address": "token", "Attributes": ["team": ["red", "blue"]], "ChannelType": "APNS",
            "Demographic": ["AppVersion": "1.0", "Platform": "iOS"], "User": ["UserId": "jane"],
            "ApplicationId": .string(AnalyticsStage.app), "CohortId": "2", "CreationDate": "2026-01-15T12:00:00.000Z",
            "EndpointStatus": "ACTIVE", "Id": "e1", "OptOut": "NONE",
        ]
        #expect(read.body == expected)
    }

    @Test("what an update leaves out stays, what it has is replaced, and an empty list removes")
    func merge() async throws {
        let stage = try AnalyticsStage()
        _ = try await stage.perform(
            .updateEndpoint("e"),
            [
                "Attributes": ["a": ["1"], "b": ["2"]], "Metrics": ["m": 1, "n": 2],
                "Demographic": ["Make": "apple", "Model": "iPhone"],
                "User": ["UserId": "jane", "UserAttributes": ["x": ["y"]]],
            ])
        _ = try await stage.perform(
            .updateEndpoint("e"),
            [
                "Attributes": ["a": [], "c": ["3"]], "Metrics": ["m": 5], "Demographic": ["Model": "iPad"],
                "Address": .null,
            ])
        var read = try await stage.perform(.getEndpoint("e")).body
        #expect(read["Attributes"] == ["b": ["2"], "c": ["3"]])
        #expect(read["Metrics"] == ["m": 5, "n": 2])
        #expect(read["Demographic"] == ["Make": "apple", "Model": "iPad"])
        #expect(read["User"] == ["UserAttributes": ["x": ["y"]], "UserId": "jane"])
        _ = try await stage.perform(.updateEndpoint("e"), ["User": ["UserId": "john"]])
        read = try await stage.perform(.getEndpoint("e")).body
        #expect(read["User"] == ["UserId": "john"], "another user does not get the attributes of the one before")
    }

    @Test(
        "an endpoint that is none is refused with the name of the member",
        arguments: [
            (["ChannelType": "PIGEON"], "ChannelType"), (["Attributes": ["a": "b"]], "Attributes.a"),
            (["Metrics": ["m": "1"]], "Metrics.m"), (["Demographic": []], "Demographic"),
            (["User": ["UserId": 1]], "User.UserId"), (["Location": ["Latitude": "north"]], "Location.Latitude"),
        ] as [(JSONValue, String)])
    func refused(_ body: JSONValue, _ member: String) async throws {
        let stage = try AnalyticsStage()
        let answer = try await stage.perform(.updateEndpoint("e"), body)
        #expect(answer.status == 400 && answer.body["name"] == "BadRequestException")
        #expect(answer.body["message"]?.stringValue?.contains("'\(member)'") ?? false, "\(answer.body)")
        // In a batch of events the endpoint is refused, and the events are taken.
        let result = try await stage.put(
            [("a", AnalyticsStage.event("t", "2026-01-15T12:00:00Z"))], endpoint: "e", body)
        #expect(result["EndpointItemResponse"]?["StatusCode"] == 400)
        #expect(result["EventsItemResponse"]?["a"] == AnalyticsStage.accepted)
    }

    @Test("a batch of endpoints is taken whole or not at all")
    func batch() async throws {
        let stage = try AnalyticsStage()
        let large = JSONValue.array((0..<2_000).map { .string("value number \($0) of an attribute") })
        let refused = try await stage.perform(
            .updateEndpointsBatch,
            ["Item": [["Id": "a", "Address": "1"], ["Id": "b", "Attributes": ["large": large]]]])
        #expect(refused.status == 400)
        #expect(try await stage.perform(.getEndpoint("a")).status == 404)
        let taken = try await stage.perform(
            .updateEndpointsBatch, ["Item": [["Id": "a", "Address": "1"], ["Id": "b", "Address": "2"]]])
        #expect(taken.status == 202 && taken.body["Message"] == "Accepted")
        #expect(try await stage.perform(.getEndpoint("b")).body["Address"] == "2")
    }

    @Test("many attributes are removed in time in proportion to their number", .timeLimit(.minutes(1)))
    func manyRemovals() throws {
        var limits = AnalyticsLimits()
        limits.attributesPerEndpointMax = .max
        func change(_ values: JSONValue) throws -> EndpointChange {
            let attributes = JSONObject((0..<20_000).map { ("a\($0)", values) } + [("kept", ["v"])])
            return try EndpointChange(["Attributes": .object(attributes)], byteCount: 0, limits)
        }
        var document = EndpointDocument()
        document.apply(try change(["v"]))
        document.apply(try change([]))
        #expect(document.members["Attributes"] == ["kept": ["v"]])
    }

    @Test("an endpoint has a bounded number of attributes and of values, and as many as it had before")
    func attributesMax() async throws {
        let stage = try AnalyticsStage()
        func attributes(_ names: Range<Int>) -> JSONValue {
            .object(JSONObject(names.map { ("a\($0)", ["v"]) }))
        }
        for (member, body) in [
            ("Attributes", ["Attributes": attributes(0..<251)]),
            ("User.UserAttributes", ["User": ["UserAttributes": attributes(0..<251)]]),
            ("Attributes.a", ["Attributes": ["a": .array(Array(repeating: "v", count: 51))]]),
        ] as [(String, JSONValue)] {
            let answer = try await stage.perform(.updateEndpoint("e"), body)
            #expect(answer.status == 400 && answer.body["message"]?.stringValue?.contains("'\(member)'") == true)
        }
        #expect(try await stage.perform(.updateEndpoint("e"), ["Attributes": attributes(0..<250)]).status == 202)
        #expect(try await stage.perform(.updateEndpoint("e"), ["Attributes": attributes(9..<11)]).status == 202)
        #expect(try await stage.perform(.updateEndpoint("e"), ["Attributes": attributes(249..<251)]).status == 400)
    }

    /// An endpoint of some 40 KB.
    private static let large: JSONValue = ["Address": .string(String(repeating: "x", count: 40_000))]

    /// Applies a change in a transaction alone.
    ///
    /// - Returns: Whether the update has to be merged before the transaction.
    private func needsMerge(_ stage: AnalyticsStage, _ id: String, _ change: EndpointChange) async throws -> Bool {
        let demand = MergeDemand()
        let tables = stage.analytics.tables
        do {
            try await stage.analytics.transact(byteCount: 0) { (transaction) throws(StoreError) in
                var ingestion = try Ingestion(
                    AnalyticsStage.app, now: AnalyticsStage.start, tables, AnalyticsLimits(), merges: [:], demand,
                    transaction)
                _ = try ingestion.change(id, change)
                try ingestion.finish()
            }
        } catch { #expect(demand.isRaised) }
        return demand.isRaised
    }

    @Test("a large endpoint is not parsed in a transaction, and its updates and events are stored all the same")
    func largeEndpoint() async throws {
        let stage = try AnalyticsStage()
        let small = try EndpointChange(["Metrics": ["m": 1]], byteCount: 20, AnalyticsLimits())
        #expect(try await stage.perform(.updateEndpoint("e"), Self.large).status == 202)
        #expect(try await stage.perform(.updateEndpoint("f"), ["Address": "1"]).status == 202)
        #expect(try await needsMerge(stage, "e", small))
        #expect(try await needsMerge(stage, "e", EndpointChange()) == false)
        #expect(try await needsMerge(stage, "f", small) == false)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for name in ["a", "b", "c"] {
                group.addTask {
                    try await stage.perform(.updateEndpoint("e"), ["Attributes": .object([name: ["v"]])]).status
                }
            }
            for try await status in group { #expect(status == 202) }
        }
        let event = AnalyticsStage.event("t", "2026-01-15T12:00:00Z")
        let result = try await stage.put([("1", event)], endpoint: "e", ["Demographic": ["Platform": "iOS"]])
        #expect(result["EndpointItemResponse"] == AnalyticsStage.accepted)
        let read = try await stage.perform(.getEndpoint("e")).body
        #expect(read["Address"] == Self.large["Address"])
        #expect(read["Attributes"]?.objectValue.map { Set($0.keys) } == ["a", "b", "c"])
        #expect(try await stage.report(.users, ["by": "platform"]) == [["2026-01-15", "iOS", 1]])
    }

    @Test("the endpoints of a request are bounded together, and the events of those refused are stored")
    func requestBytes() async throws {
        let stage = try AnalyticsStage()
        let ids = (0..<20).map { "e\($0)" }
        for id in ids { #expect(try await stage.perform(.updateEndpoint(id), Self.large).status == 202) }
        let event: JSONValue = ["1": AnalyticsStage.event("t", "2026-01-15T12:00:00Z")]
        let batch = ids.map { ($0, ["Endpoint": ["Metrics": ["m": 1]], "Events": event] as JSONValue) }
        let answer = try await stage.perform(.putEvents, ["BatchItem": .object(JSONObject(batch))])
        let results = ids.map { answer.body["Results"]?[$0] ?? .null }
        let refused = results.filter { $0["EndpointItemResponse"] != AnalyticsStage.accepted }
        #expect(refused.count == 20 - (1 << 20) / 80_100)
        let message = refused.first?["EndpointItemResponse"]?["Message"]?.stringValue
        #expect(message?.contains("together") == true)
        #expect(results.allSatisfy { $0["EventsItemResponse"]?["1"] == AnalyticsStage.accepted })
    }

    @Test("an endpoint that is too large as it was sent is refused before it is parsed")
    func sentBytes() async throws {
        let stage = try AnalyticsStage()
        let attributes = JSONObject((0..<9_000).map { ("attribute \($0)", []) })
        let large: JSONValue = ["Unknown": .object(attributes)]
        #expect(large.description.utf8.count > 2 * AnalyticsLimits().endpointBytesMax)
        #expect(try await stage.perform(.updateEndpoint("e"), large).status == 400)
        let event = AnalyticsStage.event("t", "2026-01-15T12:00:00Z")
        let result = try await stage.put([("1", event)], endpoint: "e", large)
        #expect(result["EndpointItemResponse"]?["StatusCode"] == 400)
        #expect(result["EventsItemResponse"]?["1"] == AnalyticsStage.accepted)
    }

    @Test("endpoints of a user are listed and deleted, and their events stay")
    func users() async throws {
        let stage = try AnalyticsStage()
        #expect(try await stage.perform(.getUserEndpoints("jane")).status == 404)
        for id in ["e1", "e2"] {
            try await stage.put(
                [("x", AnalyticsStage.event("t", "2026-01-15T12:00:00Z"))], endpoint: id, ["User": ["UserId": "jane"]])
        }
        let list = try await stage.perform(.getUserEndpoints("jane"))
        #expect(list.body["Item"]?.arrayValue?.map { $0["Id"] } == ["e1", "e2"])
        let first = try await stage.perform(.deleteEndpoint("e1"))
        #expect(first.status == 202 && first.body["Id"] == "e1")
        #expect(try await stage.perform(.getEndpoint("e1")).status == 404)
        #expect(try await stage.perform(.deleteEndpoint("e1")).status == 404)
        #expect(try await stage.perform(.deleteUserEndpoints("jane")).body["Item"]?.arrayValue?.count == 1)
        #expect(try await stage.perform(.getUserEndpoints("jane")).status == 404)
        #expect(try await stage.report(.events) == [["2026-01-15", "t", 2]])
        // An endpoint that comes again is a new one, whose events are still known.
        try await stage.put([("x", AnalyticsStage.event("t", "2026-01-15T12:00:00Z"))], endpoint: "e1")
        #expect(try await stage.report(.events) == [["2026-01-15", "t", 2]])
    }

    @Test("there are no in-app messages")
    func inAppMessages() async throws {
        let stage = try AnalyticsStage()
        let answer = try await stage.perform(.getInAppMessages("e1"))
        #expect(answer.status == 200)
        #expect(answer.body == ["InAppMessageCampaigns": []])
    }
}
