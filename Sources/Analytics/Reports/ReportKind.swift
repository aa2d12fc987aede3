/// The kind of a report.
public enum ReportKind: String, Sendable, Hashable, CaseIterable {
    /// Events by their type.
    case events
    /// Sessions and their durations.
    case sessions
    /// Active users and new users.
    case users
    /// Viewed screens and pages.
    case screens
    /// Users who completed steps in order.
    case funnel
    /// Users who returned.
    case retention
}
