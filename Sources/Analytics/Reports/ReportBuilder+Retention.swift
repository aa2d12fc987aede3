import Encodings
import JSON
import Tables

extension ReportBuilder {
    /// Users by the day or week of their first activity, and how many of them were active in each later one. Weeks start on
    /// Monday.
    func retention() async throws(AnalyticsError) -> Report {
        let first = try await firstWithActivity(from: start(ofPeriod: period(query.from)))
        let periods = period(first)...max(period(first), period(query.to))
        // A period with removed data would miss users.
        let from = start(ofPeriod: periods.lowerBound) < first ? periods.lowerBound + 1 : periods.lowerBound
        var report = Report(["cohort", "users"])
        if start(ofPeriod: from) > query.from { report.completeFrom = start(ofPeriod: from) }
        guard let app, from <= periods.upperBound else { return report }
        let count = Int(periods.upperBound - from) + 1
        try checkRows(count * count)
        let stored = try await storedDays(start(ofPeriod: from)...query.to)
        var users: [Int64: Member] = [:]
        var sizes = Array(repeating: 0, count: count)
        for day in stored where day.newUsers > 0 {
            let cohort = Int(period(day.day) - from)
            try await reads.forEachRow(
                ItemQuery(
                    table: tables.user, access: .index(AnalyticsTables.User.byFirstDay),
                    key: [AppDay(app, day.day).value], columns: [AnalyticsTables.User.number],
                    limit: ItemQuery.pageRowsMax)
            ) { row throws(AnalyticsError) in
                users[row.integer(0)] = Member(cohort: cohort, last: -1)
                sizes[cohort] += 1
                try checkUsers(users.count)
            }
        }
        var active = Array(repeating: Array(repeating: 0, count: count), count: count)
        for day in stored {
            let period = Int(period(day.day) - from)
            try await forEachUser(
                of: day.day,
                { row throws(AnalyticsError) in
                    guard let member = users[row.integer(0)], member.last < period, member.cohort <= period else {
                        return
                    }
                    users[row.integer(0)]?.last = period
                    active[member.cohort][period - member.cohort] += 1
                }, columns: [AnalyticsTables.DayUser.user])
        }
        report.columns += (0..<count).map(String.init)
        for cohort in 0..<count {
            report.rows.append(
                [Self.date(start(ofPeriod: from + Int64(cohort))), JSONValue(sizes[cohort])]
                    + (0..<count).map { $0 < count - cohort ? JSONValue(active[cohort][$0]) : .null })
        }
        return report
    }

    /// A user in a retention report.
    private struct Member {
        let cohort: Int
        /// The last period in which the user was counted; -1 for none.
        var last: Int
    }

    private func period(_ day: Int64) -> Int64 {
        switch query.period {
        case .day: day
        // 1970-01-01 was a Thursday.
        case .week: FloorDivision.divide(day + 3, by: 7).quotient
        }
    }

    private func start(ofPeriod period: Int64) -> Int64 {
        switch query.period {
        case .day: period
        case .week: period * 7 - 3
        }
    }
}
