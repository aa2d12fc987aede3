/// Reports each shortage once a minute at most, with the number of clients it has cost since the last report.
struct ShortageReports {
    static let secondsBetween = 60

    private var reports: [HTTPShortage: (clientCount: Int, lastSeconds: Int?)] = [:]

    /// Notes clients that were turned away.
    /// - Parameter now: Seconds of a clock that never goes back.
    /// - Returns: How many there have been since the last report, if a report is due.
    mutating func note(_ shortage: HTTPShortage, clientCount: Int, now: Int) -> Int? {
        var report = reports[shortage] ?? (0, nil)
        report.clientCount += clientCount
        defer { reports[shortage] = report }
        if let last = report.lastSeconds, now - last < Self.secondsBetween { return nil }
        defer { report.clientCount = 0 }
        report.lastSeconds = now
        return report.clientCount
    }
}
