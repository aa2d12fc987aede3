/// What a report is about.
public enum ReportKind: String, Sendable, Hashable, CaseIterable {
    /// Events by their type.
    case events
    /// Sessions, and how long they lasted.
    case sessions
    /// Users who were active, and those who were so for the first time.
    case users
    /// Screens and pages that were viewed.
    case screens
    /// Users who did one thing after the other.
    case funnel
    /// Users who came back.
    case retention
}
