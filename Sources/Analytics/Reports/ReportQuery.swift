import Encodings
import JSON

/// The query of a report, parsed from the parameters of a request. A parameter that the report does not have is refused.
///
/// | parameter | meaning |
/// | --- | --- |
/// | `app` | the app's id; optional if there is only one |
/// | `from`, `to` | the first and the last day, in UTC; `to` defaults to today |
/// | `days` | the number of days up to the last one; defaults to 30 without `from` |
/// | `event` | for events, users, screens and the export: only events of this type |
/// | `by` | for events, sessions, users and screens: an attribute to group by; for users also `platform` and `version` |
/// | `total` | for the same: `true` to add up all days |
/// | `step` | the event type of a funnel step, repeated for each step in order |
/// | `window` | maximum seconds from the first to the last step of a funnel |
/// | `period` | for retention: `day` or `week` |
public struct ReportQuery: Sendable, Hashable {
    let app: AnalyticsApp
    let from: Int64
    let to: Int64
    var event: String?
    var attribute: String?
    var isTotal = false
    var steps: [String] = []
    var windowSeconds: Int64?
    var period = Period.week

    enum Period: String { case day, week }

    /// Parses the parameters.
    ///
    /// - Parameters:
    ///   - apps: The existing apps.
    ///   - today: The day in UTC, counted from 1970-01-01.
    init(
        _ parameters: [ReportParameter], _ kind: ReportKind?, apps: [AnalyticsApp], today: Int64,
        _ limits: AnalyticsLimits
    ) throws(AnalyticsError) {
        func value(_ name: String) -> String? { parameters.last { $0.name == name && !$0.value.isEmpty }?.value }
        func day(_ name: String) throws(AnalyticsError) -> Int64? {
            guard let text = value(name) else { return nil }
            guard text.utf8.count == 10, let moment = Timestamp.milliseconds(Array(text.utf8)) else {
                throw .invalid("'\(name)' is a day, such as 2026-01-31, and not '\(text)'.")
            }
            return AppDay.day(of: moment)
        }
        func number(_ name: String, to most: Int64) throws(AnalyticsError) -> Int64? {
            guard let text = value(name) else { return nil }
            guard let number = Int64(text), (1...most).contains(number) else {
                throw .invalid("'\(name)' is a number from 1 to \(most), and not '\(text)'.")
            }
            return number
        }
        app = try Self.app(value("app"), among: apps)
        let days = try number("days", to: Int64(limits.reportDaysMax))
        let (first, last) = (try day("from"), try day("to"))
        to = last ?? days.flatMap { days in first.map { $0 + days - 1 } } ?? today
        from = first ?? (to - (days ?? Self.daysDefault) + 1)
        guard from <= to else { throw .invalid("The first day lies after the last one.") }
        guard to - from < Int64(limits.reportDaysMax) else {
            throw .invalid("A report has at most \(limits.reportDaysMax) days.")
        }
        (event, attribute) = (value("event"), value("by"))
        isTotal = try Self.flag("total", value("total"))
        steps = parameters.filter { $0.name == "step" }.map(\.value)
        windowSeconds = try number("window", to: 10 * 366 * 86_400)
        if let text = value("period") {
            guard let period = Period(rawValue: text) else {
                throw .invalid("'period' is day or week, and not '\(text)'.")
            }
            self.period = period
        }
        if kind == .funnel {
            guard (2...limits.funnelStepsMax).contains(steps.count), steps.allSatisfy({ !$0.isEmpty }) else {
                throw .invalid("A funnel has 2 to \(limits.funnelStepsMax) steps, which are types of events.")
            }
        }
        guard kind != .users || event == nil || ![nil, "platform", "version"].contains(attribute) else {
            throw .invalid("'event' of the users needs 'by' with an attribute of the events.")
        }
        let names = Self.names(of: kind)
        for parameter in parameters where !names.contains(parameter.name) {
            throw .invalid(
                "\(kind.map { "The report '\($0.rawValue)'" } ?? "The export") has no parameter '\(parameter.name)'. It has "
                    + "\(names.joined(separator: ", ")).")
        }
    }

    private static let daysDefault: Int64 = 30

    /// The parameters of a report, or of the export.
    private static func names(of kind: ReportKind?) -> [String] {
        let own =
            switch kind {
            case .events, .users, .screens: ["event", "by", "total"]
            case .sessions: ["by", "total"]
            case .funnel: ["step", "window"]
            case .retention: ["period"]
            case nil: ["event", "after"]
            }
        return ["app", "from", "to", "days"] + own
    }

    static func app(_ id: String?, among apps: [AnalyticsApp]) throws(AnalyticsError) -> AnalyticsApp {
        guard let id else {
            guard let only = apps.first else { throw .invalid("There is no app whose events are accepted.") }
            guard apps.count == 1 else {
                throw .invalid("There are several apps: \(apps.map(\.id).joined(separator: ", ")). Name one as 'app'.")
            }
            return only
        }
        guard let app = apps.first(where: { $0.id.isExactly(id) }) else {
            throw AnalyticsError("NotFoundException", 404, "There is no app \(id).")
        }
        return app
    }

    private static func flag(_ name: String, _ text: String?) throws(AnalyticsError) -> Bool {
        switch text {
        case nil, "false": false
        case "true": true
        case let text?: throw .invalid("'\(name)' is true or false, and not '\(text)'.")
        }
    }

    /// The text of a day.
    static func text(ofDay day: Int64) -> String {
        String(DateTime.text(milliseconds: day * AppDay.millisecondsPerDay).prefix { $0 != "T" })
    }
}

extension AnalyticsError {
    /// The error for an invalid query.
    static func invalid(_ message: String) -> AnalyticsError { .badRequest(message) }
}
