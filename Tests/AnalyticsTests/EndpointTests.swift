import JSON
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
