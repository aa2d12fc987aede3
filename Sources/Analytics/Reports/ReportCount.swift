/// The counts of a row of a report.
struct ReportCount: Hashable {
    private(set) var events = 0
    private(set) var users: Set<Int64> = []

    /// Counts an event, and its user if users are counted.
    mutating func count(_ user: Int64?) {
        events += 1
        if let user { users.insert(user) }
    }
}
