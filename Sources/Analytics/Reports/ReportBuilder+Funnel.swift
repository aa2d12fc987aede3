import JSON

extension ReportBuilder {
    /// Users who completed the steps in order, within the window if there is one.
    func funnel() async throws(AnalyticsError) -> Report {
        let first = try await firstWithEvents()
        var funnel = Funnel(stepCount: query.steps.count, window: query.windowSeconds.map { $0 * 1_000 })
        var streams: [(stream: EventStream, steps: [Int])] = []
        for (index, step) in query.steps.enumerated()
        where !query.steps[..<index].contains(where: { $0.isExactly(step) }) && first <= query.to {
            guard let type = try await type(step) else { continue }
            let times = first * AppDay.millisecondsPerDay...(query.to + 1) * AppDay.millisecondsPerDay - 1
            let steps = query.steps.indices.filter { query.steps[$0].isExactly(step) }
            streams.append((EventStream(of: type, times, tables, reads), steps.reversed()))
        }
        while true {
            var earliest: (index: Int, event: EventStream.Event)?
            for index in streams.indices {
                try await streams[index].stream.fill()
                guard let event = streams[index].stream.next else { continue }
                // If events have the same time, that of the earlier step comes first.
                if earliest.map({ event.time < $0.event.time }) ?? true { earliest = (index, event) }
            }
            guard let (index, event) = earliest else { break }
            funnel.count(user: event.user, time: event.time, steps: streams[index].steps)
            try checkUsers(funnel.userCount)
            streams[index].stream.advance()
        }
        var report = Report(["step", "event", "users", "ofFirst", "ofPrevious"])
        report.completeFrom = first == query.from ? nil : first
        for (index, step) in query.steps.enumerated() {
            func share(_ whole: Int) -> JSONValue {
                whole == 0 ? .null : JSONValue(rounded: Double(funnel.counts[index]) / Double(whole))
            }
            report.rows.append([
                JSONValue(index + 1), .string(step), JSONValue(funnel.counts[index]), share(funnel.counts[0]),
                share(funnel.counts[max(0, index - 1)]),
            ])
        }
        return report
    }
}
