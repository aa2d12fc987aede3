import JSON
import Tables

/// Reads the data of a report.
struct ReportBuilder: Sendable {
    let query: ReportQuery
    /// The app's number; nil if the app has not sent anything yet.
    let app: Int64?
    let reads: ItemReads
    let tables: StoredTables
    let limits: AnalyticsLimits

    var days: ClosedRange<Int64> { query.from...query.to }

    /// The counts of a day of the app.
    struct Day {
        var day: Int64
        var events: Int64 = 0
        var users: Int64 = 0
        var newUsers: Int64 = 0
        var isEventsCut = false
        var isActivityCut = false
    }

    /// The days with counts, in order.
    func storedDays(_ range: ClosedRange<Int64>? = nil) async throws(AnalyticsError) -> [Day] {
        typealias Columns = AnalyticsTables.Day
        guard let app else { return [] }
        let range = range ?? days
        var days: [Day] = []
        try await reads.forEachRow(
            ItemQuery(
                table: tables.day, key: [.integer(app)], sort: .between(range.lowerBound, range.upperBound),
                columns: [
                    Columns.day, Columns.events, Columns.users, Columns.newUsers, Columns.isEventsCut,
                    Columns.isActivityCut,
                ], limit: ItemQuery.pageRowsMax)
        ) { row throws(AnalyticsError) in
            days.append(
                Day(
                    day: row.integer(0), events: row.integer(1), users: row.integer(2), newUsers: row.integer(3),
                    isEventsCut: row.integer(4) == 1, isActivityCut: row.integer(5) == 1))
        }
        return days
    }

    /// The types of the app's events: names by their numbers.
    func typeNames() async throws(AnalyticsError) -> [Int64: String] {
        guard let app else { return [:] }
        var names: [Int64: String] = [:]
        try await reads.forEachRow(
            ItemQuery(
                table: tables.type, key: [.integer(app)],
                columns: [AnalyticsTables.EventType.name, AnalyticsTables.EventType.number],
                limit: ItemQuery.pageRowsMax)
        ) { row throws(AnalyticsError) in
            if case .text(let name) = row.value(0) { names[row.integer(1)] = name }
        }
        return names
    }

    /// The number of a type by its name; nil for an unknown type.
    func type(_ name: String) async throws(AnalyticsError) -> Int64? {
        guard let app else { return nil }
        return try await reads.item(of: tables.type, key: [.integer(app), .text(name)])?
            .integer(AnalyticsTables.EventType.number)
    }

    /// The counts of the types of a day.
    func types(of day: Int64) async throws(AnalyticsError) -> [(
        type: Int64, events: Int64, durations: Int64, milliseconds: Int64
    )] {
        typealias Columns = AnalyticsTables.DayType
        guard let app else { return [] }
        var types: [(type: Int64, events: Int64, durations: Int64, milliseconds: Int64)] = []
        try await reads.forEachRow(
            ItemQuery(
                table: tables.dayType, key: [AppDay(app, day).value],
                columns: [Columns.type, Columns.events, Columns.durations, Columns.milliseconds],
                limit: ItemQuery.pageRowsMax)
        ) { row throws(AnalyticsError) in
            types.append((row.integer(0), row.integer(1), row.integer(2), row.integer(3)))
        }
        return types
    }

    /// The first day after the last one whose events were partly removed.
    func firstWithEvents() async throws(AnalyticsError) -> Int64 {
        (try await storedDays().last { $0.isEventsCut }?.day).map { $0 + 1 } ?? query.from
    }

    /// The first day after the last one whose active users were removed.
    func firstWithActivity(from first: Int64? = nil) async throws(AnalyticsError) -> Int64 {
        let first = first ?? query.from
        return (try await storedDays(first...query.to).last { $0.isActivityCut }?.day).map { $0 + 1 } ?? first
    }

    /// Calls `body` with the time, the user and the content of each stored event of a type, in the order of their times.
    func forEachEvent(
        of type: Int64, from first: Int64,
        _ body: (_ time: Int64, _ user: Int64, _ content: String) throws(AnalyticsError) -> Void
    ) async throws(AnalyticsError) {
        typealias Event = AnalyticsTables.Event
        guard first <= query.to else { return }
        let end = (query.to + 1) * AppDay.millisecondsPerDay - 1
        try await reads.forEachRow(
            ItemQuery(
                table: tables.event, access: .index(Event.byTime), key: [.integer(type)],
                sort: .between(first * AppDay.millisecondsPerDay, end),
                columns: [Event.time, Event.user, Event.content], limit: ItemQuery.pageRowsMax)
        ) { row throws(AnalyticsError) in
            guard case .text(let content) = row.value(2) else { return }
            try body(row.integer(0), row.integer(1), content)
        }
    }

    /// Calls `body` with these columns of `AnalyticsTables.DayUser`, for each user who was active on a day.
    func forEachUser(
        of day: Int64, _ body: (BatchCursor) throws(AnalyticsError) -> Void, columns: [Int]
    ) async throws(AnalyticsError) {
        guard let app else { return }
        try await reads.forEachRow(
            ItemQuery(
                table: tables.dayUser, key: [AppDay(app, day).value], columns: columns, limit: ItemQuery.pageRowsMax),
            body)
    }

    func checkRows(_ count: Int) throws(AnalyticsError) {
        guard count <= limits.reportRowsMax else {
            throw .invalid(
                "The report has more than \(limits.reportRowsMax) rows. Ask for fewer days, or another attribute.")
        }
    }

    func checkUsers(_ count: Int) throws(AnalyticsError) {
        guard count <= limits.reportUsersMax else {
            throw .invalid("The report is about more than \(limits.reportUsersMax) users. Ask for fewer days.")
        }
    }

    static func date(_ day: Int64) -> JSONValue { .string(ReportQuery.text(ofDay: day)) }
}
