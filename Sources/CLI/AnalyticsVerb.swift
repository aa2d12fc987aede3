import ArgumentParser
import Encodings
import JSON
import Server

/// `syncline analytics …`
struct AnalyticsVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "analytics",
        abstract:
            "Reports on the events that apps have sent, and exports and deletes them; a server may run meanwhile.",
        subcommands: [
            Events.self, Sessions.self, Users.self, Screens.self, Funnel.self, Retention.self, Apps.self, Export.self,
            Delete.self,
        ])

    /// What is asked of every report.
    struct ReportOptions: ParsableArguments {
        @Option(name: .long, help: "The app's id; may be left out where there is one.") var app: String?
        @Option(name: .long, help: "The first day, such as 2026-01-31, in UTC.") var from: String?
        @Option(name: .long, help: "The last day; today if not given.") var to: String?
        @Option(name: .long, help: "The number of days up to the last one; 30 without --from.") var days: Int?
        @Flag(name: .long, help: "Print CSV.") var csv = false
        @Flag(name: .long, help: "Print the answer as JSON.") var json = false
        @OptionGroup var folder: DataOptions

        var client: OperatorClient { get throws { OperatorClient(try Configuration.load(folder.texts)) } }

        /// The parameters, without those that were not given.
        func parameters(_ others: [(name: String, value: String?)] = []) -> [(name: String, value: String)] {
            let own: [(name: String, value: String?)] = [
                ("app", app), ("from", from), ("to", to), ("days", days.map(String.init)),
            ]
            return (own + others).compactMap { name, value in value.map { (name, $0) } }
        }

        /// Makes a report and prints it.
        func report(_ report: String, _ others: [(name: String, value: String?)] = []) async throws {
            let answer = try await client.analytics(report, parameters(others))
            if json { return Terminal.show(answer.description) }
            let table = ReportTable(answer)
            // CSV escapes control characters itself.
            csv ? Terminal.say(table.csv) : Terminal.show(table.text)
            if let day = answer["completeFrom"]?.stringValue {
                Terminal.complain(
                    "Days before \(day) are omitted because part of their data was removed.")
            }
        }
    }

    /// What is asked of reports that count by day or by attribute.
    struct CountOptions: ParsableArguments {
        @Option(name: .long, help: "An attribute of the events to count by.") var by: String?
        @Flag(name: .long, help: "Count all days together.") var total = false

        var parameters: [(name: String, value: String?)] { [("by", by), ("total", total ? "true" : nil)] }
    }
}

extension AnalyticsVerb {
    struct Events: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "events", abstract: "Events by day and type.")
        @Option(name: .long, help: "Only events of this type.") var event: String?
        @OptionGroup var counts: CountOptions
        @OptionGroup var options: ReportOptions
        func run() async throws { try await options.report("events", counts.parameters + [("event", event)]) }
    }

    struct Sessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sessions", abstract: "Sessions by day, and how long they lasted.")
        @OptionGroup var counts: CountOptions
        @OptionGroup var options: ReportOptions
        func run() async throws { try await options.report("sessions", counts.parameters) }
    }

    struct Users: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "users", abstract: "Active users by day, and new ones.",
            discussion: "--by also accepts 'platform' and 'version'.")
        @Option(name: .long, help: "Of users by an attribute: only events of this type.") var event: String?
        @OptionGroup var counts: CountOptions
        @OptionGroup var options: ReportOptions
        func run() async throws { try await options.report("users", counts.parameters + [("event", event)]) }
    }

    struct Screens: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "screens", abstract: "Views of screens and pages, and users who viewed them.")
        @Option(name: .long, help: "Event type to count as a view; 'pageView' and the like if not given.") var event:
            String?
        @OptionGroup var counts: CountOptions
        @OptionGroup var options: ReportOptions
        func run() async throws { try await options.report("screens", counts.parameters + [("event", event)]) }
    }

    struct Funnel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "funnel", abstract: "Users who did one thing after the other.")
        @Argument(help: "2 to 8 types of events, in order.") var steps: [String]
        @Option(name: .long, help: "The time from the first to the last step, such as 30m, 12h or 7d.")
        var window: String?
        @OptionGroup var options: ReportOptions

        func run() async throws {
            let steps = steps.map { (name: "step", value: Optional($0)) }
            try await options.report("funnel", steps + [("window", try window.map(Self.seconds))])
        }

        private static func seconds(_ text: String) throws -> String {
            let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
            guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()), number > 0,
                number <= 1_000_000
            else { throw ValidationError("--window is a time such as 30m, 12h or 7d, and not '\(text)'.") }
            return String(number * unit)
        }
    }

    struct Retention: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retention",
            abstract: "Users by the week of their first event, and how many were active in each week after it.")
        @Option(name: .long, help: "week or day.") var period: String?
        @OptionGroup var options: ReportOptions
        func run() async throws { try await options.report("retention", [("period", period)]) }
    }

    struct Apps: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "apps", abstract: "The apps whose events are taken.")
        @Flag(name: .long, help: "Print the answer as JSON.") var json = false
        @OptionGroup var folder: DataOptions

        func run() async throws {
            let answer = try await OperatorClient(try Configuration.load(folder.texts)).analyticsApps()
            if json { return Terminal.say(answer.description) }
            for app in answer["items"]?.arrayValue ?? [] {
                Terminal.say(
                    "\(app["id"]?.stringValue ?? "")  users \(app["users"] ?? 0)  endpoints \(app["endpoints"] ?? 0)"
                        + "  event types \(app["eventTypes"] ?? 0)")
            }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Prints the events that are kept, one of JSON a line.")
        @Option(name: .long, help: "Only events of this type.") var event: String?
        @OptionGroup var options: ReportOptions

        func run() async throws {
            let parameters = options.parameters([("event", event)])
            if options.csv { Terminal.say(ReportTable.csv(ExportedEvent.columns)) }
            try await options.client.eachEvent(parameters) { event in
                guard options.csv else { return Terminal.show(event.description) }
                Terminal.say(ReportTable.csv(ExportedEvent.row(event)))
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Deletes what is stored of a user, or of a type of events, and takes it out of the counts.")
        @Option(name: .long, help: "The id of a user, or of an endpoint without a user.") var user: String?
        @Option(name: .long, help: "A type of events, which no longer counts towards the app's limit of types.")
        var type: String?
        @Option(name: .long, help: "The app's id; may be left out where there is one.") var app: String?
        @Flag(name: .long, help: "Print the answer as JSON.") var json = false
        @OptionGroup var folder: DataOptions

        func validate() throws {
            guard (user == nil) != (type == nil) else { throw ValidationError("Name either a --user or a --type.") }
        }

        func run() async throws {
            let client = OperatorClient(try Configuration.load(folder.texts))
            if let user {
                let answer = try await client.deleteAnalytics(ofUser: user, app: app)
                show(answer, "endpoints", of: user)
            } else if let type {
                show(try await client.deleteAnalytics(ofType: type, app: app), "days", of: type)
            }
        }

        private func show(_ answer: JSONValue, _ other: String, of name: String) {
            guard !json else { return Terminal.show(answer.description) }
            let others = other == "days" ? "the counts of \(answer[other] ?? 0) days" : "\(answer[other] ?? 0) \(other)"
            Terminal.say("Deleted \(answer["events"] ?? 0) events and \(others) of \(PrintableText.line(name)).")
        }
    }
}
