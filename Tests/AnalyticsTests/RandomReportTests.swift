import JSON
import Testing

@testable import Analytics

/// Random events of random users, counted by the store and by a plain reading of what was sent.
@Suite("Random events against a plain reading")
struct RandomReportTests {
    private struct Sent: Hashable {
        let endpoint: String
        let id: String
        let user: String
        let type: String
        /// Minutes since 2026-01-01.
        let minute: Int
        let color: String?
        /// The seconds of a session's end.
        let seconds: Int?
        var day: Int { minute / 1_440 }

        /// As it is sent.
        var event: JSONValue {
            let attributes: JSONObject = color.map { ["color": .string($0), "screen": .string($0)] } ?? [:]
            let plain = AnalyticsStage.event(type, RandomReportTests.timestamp(self), attributes)
            guard let seconds, var object = plain.objectValue else { return plain }
            object["Session"] = ["Id": "s", "Duration": .number(String(seconds * 1_000))]
            return .object(object)
        }
    }

    private static func text(ofDay day: Int) -> String { "2026-01-\(day < 9 ? "0" : "")\(day + 1)" }

    private static func timestamp(_ sent: Sent) -> String {
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        return "\(text(ofDay: sent.day))T\(two(sent.minute % 1_440 / 60)):\(two(sent.minute % 60)):00Z"
    }

    private static let types = ["A", "A", "B", "B", "C", "C", "_session.start", "_session.stop", "pageView"]

    @Test("every report is what a plain reading of the events comes to", arguments: 0..<6)
    func reports(_ round: Int) async throws {
        let seed = UInt64.testSeed(in: 0 ... .max) &+ UInt64(round)
        print("Seed of events: \(seed)")
        var random = SeededGenerator(seed: seed)
        let stage = try AnalyticsStage()
        var sent: [Sent] = []
        var known: Set<String> = []
        for _ in 0..<40 {
            let endpoint = "e\(Int.random(in: 0..<6, using: &random))"
            let user = Bool.random(using: &random) ? "u\(Int.random(in: 0..<4, using: &random))" : nil
            let batch = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                let type = Self.types.randomElement(using: &random) ?? "A"
                return Sent(
                    endpoint: endpoint, id: "\(Int.random(in: 0..<60, using: &random))", user: user ?? endpoint,
                    type: type, minute: Int.random(in: 0..<15 * 1_440, using: &random),
                    color: ["red", "blue", nil].randomElement(using: &random) ?? nil,
                    seconds: type == "_session.stop" && Bool.random(using: &random)
                        ? Int.random(in: 0..<1_000, using: &random) : nil)
            }
            // Of two events with one id in an object the last one wins.
            var members: JSONObject = [:]
            var chosen: [String: Sent] = [:]
            for event in batch {
                members[event.id] = event.event
                chosen[event.id] = event
            }
            // Without a user the one before stays the endpoint's: an empty id signs out.
            try await stage.put(
                members.map { ($0.key, $0.value) }, endpoint: endpoint, ["User": ["UserId": .string(user ?? "")]])
            for event in members.compactMap({ chosen[$0.key] })
            where known.insert("\(event.endpoint)|\(event.id)").inserted { sent.append(event) }
        }
        try await check(stage, sent)
        // Without one user, everything is as if that one had never been.
        let chosen = sent.randomElement(using: &random)
        let user = try #require(chosen?.user)
        _ = try await stage.analytics.delete(user: user, app: nil)
        try await check(stage, sent.filter { $0.user != user })
    }

    private func check(_ stage: AnalyticsStage, _ sent: [Sent]) async throws {
        let range: KeyValuePairs = ["from": "2026-01-01", "to": "2026-01-15"]
        // Events.
        var counts: [[String]: Int] = [:]
        for event in sent { counts[[Self.text(ofDay: event.day), event.type], default: 0] += 1 }
        var read: [[String]: Int] = [:]
        for row in try await stage.report(.events, range) {
            read[row.prefix(2).compactMap(\.stringValue)] = row[2].intValue.map { Int($0) }
        }
        #expect(read == counts)
        // Sessions.
        func sessions(_ events: [Sent]) -> [JSONValue] {
            let seconds = events.compactMap(\.seconds)
            let average =
                seconds.isEmpty
                ? JSONValue.null : JSONValue(rounded: Double(seconds.reduce(0, +)) / Double(seconds.count))
            return [JSONValue(events.filter { $0.type == "_session.start" }.count), JSONValue(seconds.count), average]
        }
        let byDay = (0..<15).map { day in
            [JSONValue.string(Self.text(ofDay: day))] + sessions(sent.filter { $0.day == day })
        }
        #expect(try await stage.report(.sessions, range) == byDay)
        #expect(
            try await stage.report(.sessions, ["from": "2026-01-01", "to": "2026-01-15", "total": "true"])
                == [sessions(sent)])
        // Screens.
        let views = Dictionary(grouping: sent.filter { $0.type == "pageView" && $0.color != nil }) { $0.color ?? "" }
        let screens = try await stage.report(
            .screens, ["from": "2026-01-01", "to": "2026-01-15", "total": "true"])
        #expect(screens.count == views.count)
        for row in screens {
            let ofScreen = views[row[0].stringValue ?? ""] ?? []
            #expect(
                Array(row[1...]) == [JSONValue(ofScreen.count), JSONValue(Set(ofScreen.map(\.user)).count)], "\(row)")
        }
        // Users.
        var firstDays: [String: Int] = [:]
        for event in sent { firstDays[event.user] = min(firstDays[event.user] ?? .max, event.day) }
        let users = try await stage.report(.users, range)
        #expect(users.count == 15)
        for (day, row) in users.enumerated() {
            let users = Set(sent.filter { $0.day == day }.map(\.user))
            #expect(row[1] == JSONValue(users.count), "\(row)")
            #expect(row[2] == JSONValue(firstDays.values.filter { $0 == day }.count), "\(row)")
        }
        #expect(
            try await stage.report(.users, ["from": "2026-01-03", "to": "2026-01-09", "total": "true"])[0][0]
                == JSONValue(Set(sent.filter { (2...8).contains($0.day) }.map(\.user)).count))
        // By attribute.
        var colors: [String?: Int] = [:]
        for event in sent { colors[event.color, default: 0] += 1 }
        let readColors = try await stage.report(
            .events, ["from": "2026-01-01", "to": "2026-01-15", "by": "color", "total": "true"]
        ).map { (color: $0[0].stringValue, count: $0[1].intValue.map { Int($0) } ?? -1) }
        #expect(Dictionary(readColors.map { ($0.color, $0.count) }) { $0 + $1 } == colors)
        // Funnels.
        for (steps, window) in [(["A", "B", "C"], nil), (["A", "B"], 3_000), (["B", "B", "A"], 6_000)]
            as [([String], Int?)]
        {
            let rows = try await stage.analytics.report(
                .funnel,
                [("from", "2026-01-01"), ("to", "2026-01-15")] + steps.map { ("step", $0) }
                    + (window.map { [("window", String($0 * 60))] } ?? []))
            let read = rows["items"]?.arrayValue?.compactMap { $0["users"]?.intValue }
            let expected = (1...steps.count).map { count in
                Set(sent.map(\.user)).filter { user in
                    Self.passes(sent.filter { $0.user == user }, Array(steps.prefix(count)), window)
                }.count
            }
            #expect(read == expected.map(Int64.init), "\(steps) \(window ?? 0)")
        }
        // Retention.
        let rows = try await stage.report(
            .retention, ["from": "2026-01-01", "to": "2026-01-15", "period": "day"])
        #expect(rows.count == 15)
        for (cohort, row) in rows.enumerated() {
            let members = Set(firstDays.filter { $0.value == cohort }.keys)
            #expect(row[1] == JSONValue(members.count))
            for offset in 0..<(15 - cohort) {
                let active = Set(sent.filter { $0.day == cohort + offset }.map(\.user)).intersection(members)
                #expect(row[2 + offset] == JSONValue(active.count), "\(cohort) + \(offset)")
            }
        }
    }

    /// Whether some events of a user are the steps one after the other, tried from each first one on. An event at the same
    /// moment comes after another one if its step does.
    private static func passes(_ events: [Sent], _ steps: [String], _ window: Int?) -> Bool {
        func continues(_ step: Int, from start: Sent, after last: Sent, _ used: Set<Sent>) -> Bool {
            guard step < steps.count else { return true }
            return events.contains { event in
                event.type == steps[step] && !used.contains(event) && event.minute >= last.minute
                    && window.map { event.minute - start.minute <= $0 } ?? true
                    && (event.type != last.type || event.minute >= last.minute)
                    && continues(step + 1, from: start, after: event, used.union([event]))
            }
        }
        return events.contains { $0.type == steps[0] && continues(1, from: $0, after: $0, [$0]) }
    }
}
