import JSON
import Testing

@testable import Analytics
@testable import Tables

@Suite("What is kept")
struct KeepingTests {
    private static func day(_ number: Int) -> String { "2026-01-\(number < 10 ? "0" : "")\(number)T12:00:00Z" }

    @Test("events older than the retention are removed, and what was counted of them stays")
    func retention() async throws {
        var limits = AnalyticsLimits()
        (limits.retentionDays, limits.removedPerTransactionMax) = (3, 7)
        let stage = try AnalyticsStage(limits: limits)
        for day in [10, 12, 13, 15] {
            try await stage.put((0..<20).map { ("\(day)-\($0)", AnalyticsStage.event("t", Self.day(day), ["k": "v"])) })
        }
        await stage.analytics.removeEnded()
        #expect(try await exportedDays(stage) == ["2026-01-13": 20, "2026-01-15": 20])
        let rows = try await stage.report(.events, ["days": "10"])
        #expect(rows.map { $0[0] } == ["2026-01-10", "2026-01-12", "2026-01-13", "2026-01-15"])
        let body = try await stage.analytics.report(.events, [("days", "10"), ("by", "k")])
        #expect(body["completeFrom"] == "2026-01-13")
        #expect(body["items"]?.arrayValue?.count == 2)
    }

    @Test("an event that is older than ten years is refused, and makes no counts; a late one is counted")
    func oldEvents() async throws {
        var limits = AnalyticsLimits()
        (limits.retentionDays, limits.activityDays) = (3, 10)
        let stage = try AnalyticsStage(limits: limits)
        let result = try await stage.put([
            ("old", AnalyticsStage.event("t", "1971-01-01T12:00:00Z")),
            ("late", AnalyticsStage.event("t", "2021-03-01T12:00:00Z")),
        ])
        #expect(result["EventsItemResponse"]?["old"]?["StatusCode"] == 400)
        #expect(result["EventsItemResponse"]?["late"] == AnalyticsStage.accepted)
        #expect(try await stage.report(.events, ["from": "1970-01-01", "to": "1975-01-01"]).isEmpty)
        #expect(
            try await stage.report(.events, ["from": "2021-01-01", "to": "2021-12-31"]) == [["2021-03-01", "t", 1]])
    }

    @Test("a transaction that removes events has bounded work, however many types its days have")
    func removalWork() async throws {
        var limits = AnalyticsLimits()
        (limits.retentionDays, limits.removedPerTransactionMax) = (3, 30)
        let stage = try AnalyticsStage(limits: limits)
        for round in 0..<2 {
            try await stage.put(
                (0..<60).map { ("\(round)-\($0)", AnalyticsStage.event("t\(round)-\($0)", Self.day(10))) })
        }
        var position: EventRemoval.Position?
        var counts: [Int] = []
        var isRest = true
        while isRest {
            isRest = try await stage.analytics.removeSome(from: &position)
            counts.append(try await exportedDays(stage)["2026-01-10"] ?? 0)
            if counts.count == 3 {
                // An event of a type that was passed.
                try await stage.put([("late", AnalyticsStage.event("t0-0", Self.day(10)))])
            }
        }
        // Each event costs a search and its removal, with which 30 steps remove 15 at most.
        #expect(zip([120] + counts, counts).allSatisfy { $0 - $1 <= 15 } && counts.count >= 8, "\(counts)")
        #expect(counts.last == 0, "\(counts)")
        // The types have no events any more, but each of them is searched.
        try await stage.put([("again", AnalyticsStage.event("t1-59", Self.day(10)))])
        position = nil
        var transactionCount = 1
        while try await stage.analytics.removeSome(from: &position) { transactionCount += 1 }
        #expect(transactionCount >= 4)
        #expect(try await exportedDays(stage).isEmpty)
    }

    private func exportedDays(_ stage: AnalyticsStage) async throws -> [String: Int] {
        var days: [String: Int] = [:]
        var after: String?
        repeat {
            let page = try await stage.analytics.export(after.map { [("after", $0)] } ?? [])
            for item in page["items"]?.arrayValue ?? [] {
                days[String(item["time"]?.stringValue?.prefix(10) ?? ""), default: 0] += 1
            }
            after = page["next"]?.stringValue
        } while after != nil
        return days
    }

    @Test("past the bound of bytes the oldest day goes first, while events come, and the bound holds")
    func bytes() async throws {
        var limits = AnalyticsLimits()
        limits.eventsBytesMax = 40_000
        let stage = try AnalyticsStage(limits: limits)
        for day in 1...15 {
            try await stage.put((0..<50).map { ("\(day)-\($0)", AnalyticsStage.event("t\($0 % 3)", Self.day(day))) })
            let bytes = try await stage.analytics.summary()["eventsBytes"]?.intValue ?? .max
            #expect(bytes <= 40_000)
        }
        let kept = try await exportedDays(stage)
        let first = try #require(kept.keys.min())
        #expect(kept.count > 1 && kept.count < 8)
        #expect(kept.filter { $0.key > first }.values.allSatisfy { $0 == 50 }, "\(kept)")
        let rows = try await stage.report(.events, ["days": "15", "total": "true"])
        #expect(rows.reduce(0) { $0 + ($1[1].intValue ?? 0) } == 750)
    }

    @Test("a user who is deleted leaves nothing, and is taken out of the counts")
    func deletion() async throws {
        var limits = AnalyticsLimits()
        limits.removedPerTransactionMax = 3
        let stage = try AnalyticsStage(limits: limits)
        let jane: JSONValue = ["User": ["UserId": "jane"]]
        // A device that jane and john share, and one of jane's own.
        for (endpoint, user) in [("shared", "jane"), ("shared", "john"), ("own", "jane")] {
            let stop: JSONValue = [
                "EventType": "_session.stop", "Timestamp": .string(Self.day(14)), "Session": ["Duration": 1_000],
            ]
            try await stage.put(
                (0..<8).map { ("\(user)\($0)", AnalyticsStage.event("t", Self.day(14 + $0 % 2))) } + [
                    (user + "s", stop)
                ],
                endpoint: endpoint, ["User": ["UserId": .string(user)]])
        }
        _ = try await stage.perform(.updateEndpoint("silent"), jane)
        let deleted = try await stage.analytics.delete(user: "jane", app: nil)
        #expect(deleted == ["events": 18, "endpoints": 2, "days": 2])
        #expect(try await stage.report(.users, ["days": "2"]) == [["2026-01-14", 1, 1], ["2026-01-15", 1, 0]])
        #expect(try await stage.report(.events, ["total": "true"]) == [["t", 8], ["_session.stop", 1]])
        #expect(try await stage.report(.sessions, ["total": "true"]) == [[0, 1, 1]])
        #expect(try await stage.perform(.getUserEndpoints("jane")).status == 404)
        #expect(try await stage.perform(.getEndpoint("silent")).status == 404)
        #expect(try await stage.perform(.getEndpoint("shared")).status == 200)
        await #expect(throws: AnalyticsError.self) { try await stage.analytics.delete(user: "jane", app: nil) }
        let page = try await stage.analytics.export([] as [ReportParameter])
        #expect(page["items"]?.arrayValue?.allSatisfy { $0["user"] == "john" } ?? false)
        #expect(!JSONValue.object(page).description.contains("jane"))
    }

    @Test("a deleted type leaves neither events nor counts, and its place is free again")
    func deletedType() async throws {
        var limits = AnalyticsLimits()
        (limits.eventTypesPerAppMax, limits.removedPerTransactionMax) = (2, 3)
        let stage = try AnalyticsStage(limits: limits)
        func put(_ ids: [String]) async throws {
            try await stage.put(ids.map { ($0, AnalyticsStage.event(String($0.prefix(1)), "2026-01-15T10:00:00Z")) })
        }
        try await put((0..<8).map { "a\($0)" } + ["b", "c"])
        try await stage.put([("a-day-before", AnalyticsStage.event("a", "2026-01-14T10:00:00Z"))])
        #expect(try await stage.analytics.delete(type: "a", app: nil) == ["events": 9, "days": 2])
        await #expect(throws: AnalyticsError.self) { try await stage.analytics.delete(type: "a", app: nil) }
        let day: JSONValue = "2026-01-15"
        #expect(try await stage.report(.events) == [[day, "_other", 1], [day, "b", 1]])
        #expect(try await stage.analytics.export([ReportParameter]())["items"]?.arrayValue?.count == 2)
        try await put(["d", "a", "e"])
        #expect(try await stage.report(.events) == [[day, "_other", 3], [day, "b", 1], [day, "d", 1]])
        #expect(try await stage.analytics.delete(type: "_other", app: nil) == ["events": 3, "days": 1])
        #expect(try await stage.analytics.summary()["items"]?.arrayValue?.first?["eventTypes"] == 2)
    }

    @Test("where all types are taken, those whose events were removed give their places, and their counts stay")
    func releasedTypes() async throws {
        var limits = AnalyticsLimits()
        (limits.eventTypesPerAppMax, limits.retentionDays) = (2, 10)
        let stage = try AnalyticsStage(limits: limits)
        let old = "2026-01-15T10:00:00Z"
        try await stage.put([("1", AnalyticsStage.event("a", old)), ("2", AnalyticsStage.event("b", old))])
        stage.time.advance(days: 5)
        try await stage.put([("3", AnalyticsStage.event("b", "2026-01-20T10:00:00Z"))])
        await stage.analytics.removeEnded()
        #expect(try await stage.report(.events, ["total": "true"]).map { $0[0] } == ["b", "a"], "all have events")
        stage.time.advance(days: 6)
        await stage.analytics.removeEnded()
        try await stage.put([("4", AnalyticsStage.event("c", "2026-01-26T10:00:00Z"))])
        #expect(
            try await stage.report(.events) == [
                ["2026-01-15", "_other", 1], ["2026-01-15", "b", 1], ["2026-01-20", "b", 1], ["2026-01-26", "c", 1],
            ])
    }

    @Test(
        "endpoints that were not used for the longest time are removed beyond the bounds, and come back with their events",
        arguments: [false, true])
    func endpoints(boundsCount: Bool) async throws {
        var limits = AnalyticsLimits()
        limits.removedPerTransactionMax = 4
        if boundsCount { limits.endpointsPerAppMax = 3 } else { limits.endpointsBytesMax = 4_000 }
        let stage = try AnalyticsStage(limits: limits)
        func update(_ id: String) async throws -> Int {
            let text = JSONValue.string(String(repeating: "v", count: 1_000))
            return try await stage.perform(.updateEndpoint(id), ["Attributes": ["k": [text]]]).status
        }
        func has(_ id: String) async throws -> Bool { try await stage.perform(.getEndpoint(id)).status == 200 }
        for id in ["e1", "e2", "e3"] {
            #expect(try await update(id) == 202)
            stage.time.advance(days: 1)
        }
        // The oldest is used again.
        try await stage.put([("1", AnalyticsStage.event("open", "2026-01-18T10:00:00Z"))], endpoint: "e1")
        #expect(try await update("e4") == 202)
        for id in ["e1", "e3", "e4"] { #expect(try await has(id), "\(id) is kept") }
        #expect(try await has("e2") == false)
        let answer = try await stage.put(
            [("2", AnalyticsStage.event("open", "2026-01-18T10:00:00Z"))], endpoint: "e2")
        #expect(answer["EventsItemResponse"]?["2"] == AnalyticsStage.accepted)
        #expect(try await has("e2"))
        for id in (0..<20).map({ "f\($0)" }) { #expect(try await update(id) == 202) }
        let app = try #require(try await stage.analytics.summary()["items"]?.arrayValue?.first)
        #expect(app["endpoints"] == 3)
        #expect(try await stage.report(.events, ["total": "true"]) == [["open", 2]])
    }

    @Test("events of users past the bound are accepted and counted as one user, whose data is deleted together")
    func usersMax() async throws {
        var limits = AnalyticsLimits()
        limits.usersPerAppMax = 2
        let stage = try AnalyticsStage(limits: limits)
        func put(_ users: [String]) async throws {
            for user in users {
                let answer = try await stage.put(
                    [("1", AnalyticsStage.event("t", Self.day(15)))], endpoint: user + "'s",
                    ["User": ["UserId": .string(user)]])
                #expect(answer["EventsItemResponse"]?["1"] == AnalyticsStage.accepted, "\(user)")
            }
        }
        try await put(["a", "b", "c", "d", "_other"])
        #expect(try await stage.report(.events, ["total": "true"]) == [["t", 5]])
        #expect(try await stage.report(.users, ["total": "true"]) == [[3, 3]])
        func exportedUsers() async throws -> [String] {
            let items = try await stage.analytics.export([ReportParameter]())["items"]?.arrayValue ?? []
            return items.compactMap { $0["user"]?.stringValue }
        }
        #expect(try await exportedUsers() == ["a", "b", "_other", "_other", "_other"])
        func users() async throws -> JSONValue? {
            try await stage.analytics.summary()["items"]?.arrayValue?.first?["users"]
        }
        #expect(try await users() == 2)
        #expect(try await stage.analytics.delete(user: "_other", app: nil)["events"] == 3)
        #expect(try await users() == 2)
        #expect(try await stage.report(.users, ["total": "true"]) == [[2, 2]])
        #expect(try await stage.analytics.delete(user: "a", app: nil)["events"] == 1)
        try await put(["e", "f"])
        #expect(try await exportedUsers() == ["b", "e", "_other"])
        #expect(try await users() == 2)
    }

    @Test("a deletion that was interrupted is completed later")
    func interruptedDeletion() async throws {
        let stage = try AnalyticsStage()
        for user in ["jane", "john"] {
            try await stage.put(
                [("1", AnalyticsStage.event("t", Self.day(15)))], endpoint: user + "'s",
                ["User": ["UserId": .string(user)]])
        }
        let analytics = stage.analytics
        let app = try #require(try await analytics.number(ofApp: AnalyticsStage.app))
        let key: [Value] = [.integer(app), .text("jane")]
        let user = try #require(try await analytics.reads.item(of: analytics.tables.user, key: key))
        // What the first transaction of a deletion does, after which nothing else came.
        let tables = analytics.tables
        try await analytics.transact(byteCount: 0) { (transaction) throws(StoreError) in
            _ = try transaction.delete(key, from: tables.user)
            _ = try transaction.put([user.value(AnalyticsTables.User.number), .integer(app)], into: tables.deletion)
        }
        await analytics.removeEnded()
        let page = try await analytics.export([] as [ReportParameter])
        #expect(page["items"]?.arrayValue?.map { $0["user"] } == ["john"])
        #expect(try await stage.report(.users, ["days": "1"])[0][1] == 1)
        #expect(try await analytics.reads.items(of: tables.deletion, key: [user.value(2)], limit: 1).isEmpty)
    }

    @Test("who was active is forgotten after its days, and how many they were stays")
    func activity() async throws {
        var limits = AnalyticsLimits()
        (limits.activityDays, limits.removedPerTransactionMax) = (2, 4)
        let stage = try AnalyticsStage(limits: limits)
        for day in [13, 14, 15] {
            for user in 0..<10 {
                try await stage.put([("\(day)", AnalyticsStage.event("t", Self.day(day)))], endpoint: "\(user)")
            }
        }
        await stage.analytics.removeEnded()
        #expect(try await stage.report(.users, ["days": "3"]).map { $0[1] } == [10, 10, 10])
        let body = try await stage.analytics.report(.users, [("days", "3"), ("total", "true")])
        #expect(body["completeFrom"] == "2026-01-14")
    }
}
