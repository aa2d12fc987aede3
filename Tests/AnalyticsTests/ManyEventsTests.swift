import Foundation
import JSON
import Tables
import Testing

@testable import Analytics

@Suite("Many events")
struct ManyEventsTests {
    /// Of `make events`, which counts 10,000,000 in a process of its own; nil in `make test`.
    private static let countGiven =
        ProcessInfo.processInfo.environment["SYNCLINE_EVENT_COUNT"].flatMap(Int.init)
    private static let count = countGiven ?? 30_000

    /// Seconds of the process's processors: those of other tests are among them, unless this one is alone.
    private static var cpuSeconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

    @Test("daily active users of 30 days are exact; `make events` bounds the time of their reading")
    func activeUsers() async throws {
        var limits = AnalyticsLimits()
        limits.eventsBytesMax = 1 << 40
        let stage = try AnalyticsStage(limits: limits)
        let userCount = max(100, Self.count / 50)
        let userSets = (0..<30).map { _ in NSMutableIndexSet() }
        var random = SeededGenerator(seed: 30)
        let before = Self.cpuSeconds
        var number = 0
        while number < Self.count {
            let user = Int.random(in: 0..<userCount, using: &random)
            var text = #"{"BatchItem":{"endpoint-\#(user)":{"Endpoint":{},"Events":{"#
            for index in 0..<min(100, Self.count - number) {
                let day = Int.random(in: 0..<30, using: &random)
                userSets[day].add(user)
                // 2025-12-17 is 29 days before the clock's day.
                let date = ReportQuery.text(ofDay: AppDay.day(of: AnalyticsStage.start) - 29 + Int64(day))
                text +=
                    (index > 0 ? "," : "")
                    + #""\#(number + index)":{"EventType":"type\#(index % 10)","Timestamp":"\#(date)T10:00:00Z"}"#
            }
            text += "}}}}"
            number += 100
            let result = await stage.analytics.perform(
                .putEvents, app: AnalyticsStage.app, Array(text.utf8), requestID: "")
            guard case .success = result else {
                Issue.record("\(result)")
                return
            }
        }
        let taken = Self.cpuSeconds
        let rows = try await stage.report(.users, ["days": "30"])
        let read = Self.cpuSeconds
        print("\(Self.count) events took \(taken - before) s of CPU, their daily active users \(read - taken) s.")
        #expect(rows.map { $0[1] } == userSets.map { JSONValue($0.count) })
        if Self.countGiven != nil { #expect(read - taken <= 1) }
        let total = try await stage.report(.users, ["days": "30", "total": "true"])
        let all = NSMutableIndexSet()
        for set in userSets { all.add(set as IndexSet) }
        #expect(total[0][0] == JSONValue(all.count))
        print("Users of all days together took \(Self.cpuSeconds - read) s of CPU.")
    }
}
