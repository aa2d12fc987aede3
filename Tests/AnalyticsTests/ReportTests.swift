import JSON
import Testing

@testable import Analytics

@Suite("Reports")
struct ReportTests {
    private static func day(_ number: Int, _ time: String = "12:00:00") -> String {
        "2026-01-\(number < 10 ? "0" : "")\(number)T\(time)Z"
    }

    @Test("users are counted by UserId, else by endpoint, each once a day")
    func users() async throws {
        let stage = try AnalyticsStage()
        let jane: JSONValue = ["User": ["UserId": "jane"], "Demographic": ["Platform": "iOS", "AppVersion": "2"]]
        try await stage.put([("1", AnalyticsStage.event("t", Self.day(14)))], endpoint: "phone", jane)
        try await stage.put([("2", AnalyticsStage.event("t", Self.day(14)))], endpoint: "tablet", jane)
        try await stage.put([("3", AnalyticsStage.event("t", Self.day(15)))], endpoint: "tablet")
        try await stage.put([("4", AnalyticsStage.event("t", Self.day(15)))], endpoint: "guest")
        #expect(
            try await stage.report(.users, ["days": "3"]) == [
                ["2026-01-13", 0, 0], ["2026-01-14", 1, 1], ["2026-01-15", 2, 1],
            ])
        #expect(try await stage.report(.users, ["days": "3", "total": "true"]) == [[2, 2]])
        #expect(
            try await stage.report(.users, ["days": "3", "total": "true", "by": "platform"]) == [
                ["iOS", 1], [.null, 1],
            ])
    }

    @Test("a late event moves a user's first day")
    func firstDay() async throws {
        let stage = try AnalyticsStage()
        try await stage.put([("1", AnalyticsStage.event("t", Self.day(15)))])
        try await stage.put([("2", AnalyticsStage.event("t", Self.day(13)))])
        try await stage.put([("3", AnalyticsStage.event("t", Self.day(14)))])
        #expect(
            try await stage.report(.users, ["days": "3"]) == [
                ["2026-01-13", 1, 1], ["2026-01-14", 1, 0], ["2026-01-15", 1, 0],
            ])
    }

    @Test("sessions are counted at their start, and their length at their end")
    func sessions() async throws {
        let stage = try AnalyticsStage()
        func session(_ type: String, _ members: JSONObject) -> JSONValue {
            ["EventType": .string(type), "Timestamp": .string(Self.day(15)), "Session": .object(members)]
        }
        try await stage.put([
            ("1", session("_session.start", ["Id": "a", "StartTimestamp": .string(Self.day(15))])),
            ("2", session("_session.start", ["Id": "b"])),
            ("3", session("_session.stop", ["Id": "a", "Duration": 30_000])),
            (
                "4",
                session(
                    "_session.stop",
                    [
                        "Id": "b", "StartTimestamp": .string(Self.day(15, "12:00:00")),
                        "StopTimestamp": .string(Self.day(15, "12:01:00")),
                    ])
            ),
        ])
        #expect(try await stage.report(.sessions, ["days": "1"]) == [["2026-01-15", 2, 2, 45]])
    }

    @Test("events are counted by an attribute, and screens by their names")
    func attributes() async throws {
        let stage = try AnalyticsStage()
        for (index, color) in ["red", "blue", "red"].enumerated() {
            try await stage.put(
                [("\(index)", AnalyticsStage.event("buy", Self.day(15), ["color": .string(color)]))],
                endpoint: "e\(index)")
        }
        try await stage.put([
            ("n", AnalyticsStage.event("buy", Self.day(15))),
            ("p", AnalyticsStage.event("pageView", Self.day(15), ["url": "https://x.example/a"])),
            ("q", AnalyticsStage.event("pageView", Self.day(15), ["url": "https://x.example/a", "screen": "A"])),
        ])
        #expect(
            try await stage.report(.events, ["event": "buy", "by": "color", "total": "true"]) == [
                ["red", 2], ["blue", 1], [.null, 1],
            ])
        #expect(
            try await stage.report(.screens) == [
                ["2026-01-15", "A", 1, 1], ["2026-01-15", "https://x.example/a", 1, 1],
            ])
        #expect(
            try await stage.report(.users, ["by": "color", "total": "true"]) == [["red", 2], ["blue", 1]])
    }

    @Test("a funnel counts users who did one step after the other, within the window")
    func funnel() async throws {
        let stage = try AnalyticsStage()
        let journeys: [(user: String, steps: [(String, String)])] = [
            ("all", [("A", "10:00:00"), ("B", "10:01:00"), ("C", "10:02:00")]),
            ("slow", [("A", "10:00:00"), ("B", "10:01:00"), ("C", "12:00:00")]),
            ("again", [("A", "08:00:00"), ("B", "10:00:00"), ("A", "10:01:00"), ("B", "10:02:00"), ("C", "10:03:00")]),
            ("backwards", [("C", "10:00:00"), ("B", "10:01:00"), ("A", "10:02:00")]),
            ("one", [("A", "10:00:00")]), ("none", [("B", "10:00:00")]),
        ]
        for journey in journeys {
            try await stage.put(
                journey.steps.enumerated().map {
                    ("\($0.offset)", AnalyticsStage.event($0.element.0, Self.day(15, $0.element.1)))
                },
                endpoint: journey.user)
        }
        func counts(_ parameters: KeyValuePairs<String, String>) async throws -> [Int64?] {
            try await stage.report(.funnel, parameters).map { $0[2].intValue }
        }
        #expect(try await counts(["step": "A", "step": "B", "step": "C"]) == [5, 3, 3])
        #expect(try await counts(["step": "A", "step": "B", "step": "C", "window": "600"]) == [5, 3, 2])
        #expect(try await counts(["step": "A", "step": "A"]) == [5, 1])
        #expect(try await counts(["step": "A", "step": "never"]) == [5, 0])
        await #expect(throws: AnalyticsError.self) { try await stage.analytics.report(.funnel, [("step", "A")]) }
    }

    @Test("retention shows by weeks, which begin on Monday, who came back")
    func retention() async throws {
        let stage = try AnalyticsStage()
        // 2026-01-05 and 2026-01-12 are Mondays.
        let days: [(String, [Int])] = [("a", [4, 5, 11, 12]), ("b", [5, 6, 13]), ("c", [11]), ("d", [12, 15])]
        for (user, days) in days {
            try await stage.put(
                days.map { ("\($0)", AnalyticsStage.event("t", Self.day($0))) }, endpoint: user)
        }
        #expect(
            try await stage.report(.retention, ["from": "2026-01-05", "to": "2026-01-15"]) == [
                ["2026-01-05", 2, 2, 1], ["2026-01-12", 1, 1, .null],
            ])
        #expect(
            try await stage.report(.retention, ["from": "2026-01-04", "to": "2026-01-06", "period": "day"]) == [
                ["2026-01-04", 1, 1, 1, 0], ["2026-01-05", 1, 1, 1, .null], ["2026-01-06", 0, 0, .null, .null],
            ])
    }

    @Test("a report says what it cannot be asked")
    func refused() async throws {
        let stage = try AnalyticsStage(apps: ["one", "two"])
        for parameters in [
            [], [("app", "three")], [("app", "one"), ("from", "2026-13-01")], [("app", "one"), ("days", "0")],
            [("app", "one"), ("from", "2026-02-01"), ("to", "2026-01-01")], [("app", "one"), ("colour", "red")],
            [("app", "one"), ("total", "yes")],
        ] as [[(String, String)]] {
            await #expect(throws: AnalyticsError.self, "\(parameters)") {
                try await stage.analytics.report(.events, parameters)
            }
        }
        _ = try await stage.analytics.report(.events, [("app", "one")])
    }

    @Test(
        "a report refuses the parameters of other reports",
        arguments: [
            (ReportKind.events, "step"), (.events, "window"), (.events, "period"), (.sessions, "event"),
            (.users, "period"),
            (.screens, "after"), (.funnel, "by"), (.funnel, "total"), (.funnel, "event"), (.retention, "total"),
            (.retention, "step"),
        ])
    func foreignParameters(kind: ReportKind, name: String) async throws {
        let values = ["total": "true", "window": "60", "period": "day"]
        let steps = kind == .funnel ? [("step", "A"), ("step", "B")] : []
        let error = await #expect(throws: AnalyticsError.self) {
            try await AnalyticsStage().analytics.report(kind, steps + [(name, values[name] ?? "A")])
        }
        #expect(error?.message.hasPrefix("The report '\(kind.rawValue)' has no parameter '\(name)'.") == true)
    }

    @Test("the users of a type of events are only counted by an attribute of the events", arguments: [nil, "platform"])
    func usersOfEvent(by attribute: String?) async throws {
        let parameters = [("event", "A")] + (attribute.map { [("by", $0)] } ?? [])
        await #expect(throws: AnalyticsError.self) { try await AnalyticsStage().analytics.report(.users, parameters) }
        _ = try await AnalyticsStage().analytics.report(.users, [("event", "A"), ("by", "color")])
    }

    @Test("a report without an app says which ones there are, or that there is none")
    func missingApp() async throws {
        for (apps, message) in [
            ([], "There is no app whose events are accepted."),
            (["one", "two"], "There are several apps: one, two. Name one as 'app'."),
        ] {
            let error = await #expect(throws: AnalyticsError.self) {
                try await AnalyticsStage(apps: apps).analytics.report(.events, [ReportParameter]())
            }
            #expect(error?.message == message)
        }
    }
}
