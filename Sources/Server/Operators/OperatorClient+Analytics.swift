import Analytics
public import JSON

extension OperatorClient {
    /// The reports that there are.
    public static let analyticsReports = ReportKind.allCases.map(\.rawValue)

    /// Makes a report of events of apps: `columns`, and `items` by the names of the columns.
    ///
    /// - Parameter parameters: As docs/analytics.md has them; a name may come several times.
    public func analytics(
        _ report: String, _ parameters: [(name: String, value: String)]
    ) async throws(ServerError) -> JSONValue {
        guard let kind = ReportKind(rawValue: report) else {
            throw ServerError(.usage, "There is no report '\(report)'.")
        }
        return try await send(.analyticsReport(kind, Self.parameters(parameters)))
    }

    /// The apps whose events are taken, with what is counted of each.
    public func analyticsApps() async throws(ServerError) -> JSONValue { try await send(.analyticsApps) }

    /// Calls `body` with each event that is kept.
    ///
    /// - Parameter parameters: As those of a report: `app`, `from`, `to`, `days` and `event`.
    public func eachEvent(
        _ parameters: [(name: String, value: String)], _ body: (JSONValue) -> Void
    ) async throws(ServerError) {
        var after: String?
        repeat {
            let page = after.map { [ReportParameter("after", $0)] } ?? []
            let answer = try await send(.analyticsExport(Self.parameters(parameters) + page))
            for item in try Self.items(answer) { body(item) }
            after = answer["next"]?.stringValue
        } while after != nil
    }

    /// Deletes all that is kept of a user.
    public func deleteAnalytics(ofUser id: String, app: String?) async throws(ServerError) -> JSONValue {
        try await send(.deleteAnalyticsUser(id: id, app: app))
    }

    /// Deletes the events and the counts of a type of events.
    public func deleteAnalytics(ofType name: String, app: String?) async throws(ServerError) -> JSONValue {
        try await send(.deleteAnalyticsType(name: name, app: app))
    }

    private static func parameters(_ parameters: [(name: String, value: String)]) -> [ReportParameter] {
        parameters.map { ReportParameter($0.name, $0.value) }
    }
}
