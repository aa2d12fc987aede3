import ArgumentParser

/// The options of the verbs that print a report for people or for programs.
struct ReportOptions: ParsableArguments {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    @Option(name: .long, help: "The form of the report: text or json.")
    var format = Format.text

    @Flag(name: .long, help: "Print the report as JSON, as --format json does.")
    var json = false

    var isJSON: Bool { json || format == .json }
}
