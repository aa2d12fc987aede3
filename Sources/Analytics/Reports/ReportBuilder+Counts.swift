import JSON
import Tables

/// Events, sessions, users and screens.
extension ReportBuilder {
    // MARK: Events

    func events() async throws(AnalyticsError) -> Report {
        if let attribute = query.attribute {
            var types = Array(try await typeNames().keys).sorted()
            if let event = query.event { types = [try await type(event)].compactMap(\.self) }
            return try await counts(of: types, by: EventAttribute([attribute]), name: attribute, counting: "events")
        }
        let names = try await typeNames()
        var report = Report((query.isTotal ? [] : ["day"]) + ["event", "events"])
        var totals: [Int64: Int64] = [:]
        for day in try await storedDays() {
            var types = try await types(of: day.day).filter { $0.events > 0 }
            if let event = query.event { types = types.filter { names[$0.type]?.isExactly(event) ?? false } }
            if query.isTotal {
                for type in types { totals[type.type, default: 0] += type.events }
                continue
            }
            let rows = types.map { (name: names[$0.type] ?? "", events: $0.events) }
            for row in rows.sorted(by: { ($1.events, $0.name) < ($0.events, $1.name) }) {
                report.rows.append([Self.date(day.day), .string(row.name), JSONValue(row.events)])
            }
            try checkRows(report.rows.count)
        }
        let rows = totals.map { (name: names[$0.key] ?? "", events: $0.value) }
        for row in rows.sorted(by: { ($1.events, $0.name) < ($0.events, $1.name) }) {
            report.rows.append([.string(row.name), JSONValue(row.events)])
        }
        return report
    }

    /// Counts the stored events of some types by an attribute.
    ///
    /// - Parameter countsUsers: Whether to count their users as well.
    private func counts(
        of types: [Int64], by attribute: EventAttribute, name: String, counting: String, countsUsers: Bool = false,
        leavesOut: Bool = false
    ) async throws(AnalyticsError) -> Report {
        let first = try await firstWithEvents()
        let counts = try await counts(
            of: types, by: attribute, from: first, countsUsers: countsUsers, leavesOut: leavesOut)
        var report = Report(
            (query.isTotal ? [] : ["day"]) + [Self.column(name), counting] + (countsUsers ? ["users"] : [])
        )
        report.completeFrom = first == query.from ? nil : first
        for (key, count) in counts.sorted(by: ReportKey.precedes) {
            report.rows.append(
                (query.isTotal ? [] : [Self.date(key.day)])
                    + [key.value.map { .string($0.text) } ?? .null, JSONValue(count.events)]
                    + (countsUsers ? [JSONValue(count.users.count)] : []))
        }
        return report
    }

    /// The stored events of some types from a day on, and their users, by day and by an attribute.
    ///
    /// - Parameter leavesOut: Whether events without the attribute are left out.
    private func counts(
        of types: [Int64], by attribute: EventAttribute, from first: Int64, countsUsers: Bool, leavesOut: Bool
    ) async throws(AnalyticsError) -> [ReportKey: ReportCount] {
        var counts: [ReportKey: ReportCount] = [:]
        for type in types {
            try await forEachEvent(of: type, from: first) { (time, user, content) throws(AnalyticsError) in
                let value = attribute.value(in: content)
                if leavesOut, value == nil { return }
                let key = ReportKey(day: query.isTotal ? 0 : AppDay.day(of: time), value: value)
                counts[key, default: ReportCount()].count(countsUsers ? user : nil)
                try checkRows(counts.count)
            }
        }
        return counts
    }

    /// The column of an attribute, whose name may collide with that of another column.
    private static func column(_ name: String) -> String {
        ["day", "events", "sessions", "users", "views"].contains(name) ? "value" : name
    }

    // MARK: Sessions

    /// The events that clients send when a session starts and ends.
    private static let (sessionStart, sessionStop) = ("_session.start", "_session.stop")

    func sessions() async throws(AnalyticsError) -> Report {
        let (start, stop) = (try await type(Self.sessionStart), try await type(Self.sessionStop))
        if let attribute = query.attribute {
            return try await counts(
                of: [start].compactMap(\.self), by: EventAttribute([attribute]), name: attribute, counting: "sessions")
        }
        var report = Report((query.isTotal ? [] : ["day"]) + ["sessions", "ended", "averageSeconds"])
        var (sessions, ended, milliseconds): (Int64, Int64, Int64) = (0, 0, 0)
        func row() -> [JSONValue] {
            [
                JSONValue(sessions), JSONValue(ended),
                ended == 0 ? .null : JSONValue(rounded: Double(milliseconds) / Double(ended) / 1_000),
            ]
        }
        let stored = Set(try await storedDays().map(\.day))
        for day in days {
            if !query.isTotal { (sessions, ended, milliseconds) = (0, 0, 0) }
            for type in stored.contains(day) ? try await types(of: day) : [] {
                if type.type == start { sessions += type.events }
                if type.type == stop {
                    (ended, milliseconds) = (ended + type.durations, milliseconds + type.milliseconds)
                }
            }
            if !query.isTotal { report.rows.append([Self.date(day)] + row()) }
        }
        if query.isTotal { report.rows.append(row()) }
        return report
    }

    // MARK: Users

    func users() async throws(AnalyticsError) -> Report {
        guard let attribute = query.attribute else {
            return query.isTotal ? try await allUsers() : try await usersByDay()
        }
        return switch attribute {
        case "platform": try await users(by: AnalyticsTables.DayUser.platform, name: attribute)
        case "version": try await users(by: AnalyticsTables.DayUser.version, name: attribute)
        default: try await users(byAttribute: attribute)
        }
    }

    private func usersByDay() async throws(AnalyticsError) -> Report {
        var report = Report(["day", "users", "newUsers"])
        var stored: [Int64: Day] = [:]
        for day in try await storedDays() { stored[day.day] = day }
        for day in days {
            let counts = stored[day] ?? Day(day: day)
            report.rows.append([Self.date(day), JSONValue(counts.users), JSONValue(counts.newUsers)])
        }
        return report
    }

    /// The number of distinct users who were active on any of the days.
    private func allUsers() async throws(AnalyticsError) -> Report {
        let first = try await firstWithActivity()
        var users: Set<Int64> = []
        var newUsers: Int64 = 0
        for day in try await storedDays() where day.day >= first {
            newUsers += day.newUsers
            try await forEachUser(
                of: day.day,
                { row throws(AnalyticsError) in
                    users.insert(row.integer(0))
                    try checkUsers(users.count)
                }, columns: [AnalyticsTables.DayUser.user])
        }
        var report = Report(["users", "newUsers"])
        report.completeFrom = first == query.from ? nil : first
        report.rows = [[JSONValue(users.count), JSONValue(newUsers)]]
        return report
    }

    private func users(by column: Int, name: String) async throws(AnalyticsError) -> Report {
        let first = try await firstWithActivity()
        var counts: [ReportKey: ReportCount] = [:]
        for day in try await storedDays() where day.day >= first {
            try await forEachUser(
                of: day.day,
                { row throws(AnalyticsError) in
                    var value: String?
                    if case .text(let text) = row.value(1) { value = text }
                    let key = ReportKey(day: query.isTotal ? 0 : day.day, value: value)
                    counts[key, default: ReportCount()].count(row.integer(0))
                    try checkRows(counts.count)
                }, columns: [AnalyticsTables.DayUser.user, column])
        }
        return userReport(counts, name, first)
    }

    /// Counts the users of stored events by an attribute of the events.
    private func users(byAttribute attribute: String) async throws(AnalyticsError) -> Report {
        let first = try await firstWithEvents()
        var types = Array(try await typeNames().keys).sorted()
        if let event = query.event { types = [try await type(event)].compactMap(\.self) }
        let counts = try await counts(
            of: types, by: EventAttribute([attribute]), from: first, countsUsers: true, leavesOut: true)
        return userReport(counts, attribute, first)
    }

    private func userReport(_ counts: [ReportKey: ReportCount], _ name: String, _ first: Int64) -> Report {
        var report = Report((query.isTotal ? [] : ["day"]) + [Self.column(name), "users"])
        report.completeFrom = first == query.from ? nil : first
        for (key, count) in counts.sorted(by: ReportKey.precedesByUsers) {
            report.rows.append(
                (query.isTotal ? [] : [Self.date(key.day)])
                    + [key.value.map { .string($0.text) } ?? .null, JSONValue(count.users.count)])
        }
        return report
    }

    // MARK: Screens

    /// The event types that count as a view of a screen: `pageView` is sent by amplify-js's page tracker.
    static let screenEvents = ["pageView", "screenView", "screen_view", "_screen.view"]
    /// The attributes with the name of the screen; the first that an event has is used.
    static let screenAttributes = ["screen", "screenName", "screen_name", "name", "url", "path", "page"]

    func screens() async throws(AnalyticsError) -> Report {
        var types: [Int64] = []
        for name in query.event.map({ [$0] }) ?? Self.screenEvents {
            if let type = try await type(name) { types.append(type) }
        }
        let attribute = EventAttribute(query.attribute.map { [$0] } ?? Self.screenAttributes)
        return try await counts(
            of: types, by: attribute, name: "screen", counting: "views", countsUsers: true, leavesOut: true)
    }
}
