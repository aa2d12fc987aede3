public import JSON
import Tables

/// Reports for operators.
extension Analytics {
    /// Makes a report: `columns`, and `items` by the names of the columns.
    ///
    /// - Parameter parameters: The parameters of `ReportQuery`.
    public func report(
        _ kind: ReportKind, _ parameters: [ReportParameter]
    ) async throws(AnalyticsError) -> JSONObject {
        let query = try query(parameters, kind)
        let builder = ReportBuilder(
            query: query, app: try await number(ofApp: query.app.id), reads: reportReads, tables: tables,
            limits: limits)
        let report: Report
        switch kind {
        case .events: report = try await builder.events()
        case .sessions: report = try await builder.sessions()
        case .users: report = try await builder.users()
        case .screens: report = try await builder.screens()
        case .funnel: report = try await builder.funnel()
        case .retention: report = try await builder.retention()
        }
        return report.body(query)
    }

    /// The apps, each with its numbers of endpoints, users and event types.
    public func summary() async throws(AnalyticsError) -> JSONObject {
        typealias App = AnalyticsTables.App
        let total = try await reads.item(of: tables.total, key: AnalyticsTables.Total.key)
        var items: [JSONValue] = []
        for app in apps {
            let item = try await reads.item(of: tables.app, key: [.text(app.id)])
            items.append([
                "id": .string(app.id), "name": .string(app.name),
                "endpoints": JSONValue(item?.integer(App.endpoints) ?? 0),
                "users": JSONValue(item?.integer(App.users) ?? 0),
                "eventTypes": JSONValue(item?.integer(App.types) ?? 0),
            ])
        }
        return [
            "items": .array(items), "next": .null,
            "eventsBytes": JSONValue(total?.integer(AnalyticsTables.Total.bytes) ?? 0),
        ]
    }

    func query(
        _ parameters: [ReportParameter], _ kind: ReportKind?
    ) throws(AnalyticsError) -> ReportQuery {
        try ReportQuery(parameters, kind, apps: apps, today: AppDay.day(of: now), limits)
    }

    /// The app of the parameters.
    func app(_ id: String?) throws(AnalyticsError) -> AnalyticsApp { try ReportQuery.app(id, among: apps) }

    /// The ids of all apps that ever sent something, in the order of their first request.
    public func knownApps() async throws(AnalyticsError) -> [String] { try await storedApps().map(\.id) }

    /// All apps that ever sent something.
    func storedApps() async throws(AnalyticsError) -> [(id: String, number: Int64, types: Int64)] {
        typealias App = AnalyticsTables.App
        let batch = try await reads.batch(
            ItemQuery(
                table: tables.app, access: .scan, key: [], columns: [App.id, App.number, App.types], limit: 10_000))
        var apps: [(id: String, number: Int64, types: Int64)] = []
        try ItemReads.forEachRow(batch) { row in
            if case .text(let id) = row.value(0) { apps.append((id, row.integer(1), row.integer(2))) }
        }
        return apps
    }
}
