import Encodings
public import JSON
import Transformer

extension AmplifyProject {
    /// What is served, for a terminal: the counts, and every row; or, after the banner, which names the project, the rows that
    /// are not as at Amplify.
    public func reportLines(isWhole: Bool) -> [String] {
        let counts = ReportRow.Status.allCases.compactMap { status -> String? in
            let count = rows.count { $0.status == status }
            return count == 0 ? nil : "\(count) \(status.words)"
        }
        let shown = isWhole ? rows : rows.filter { ![.same, .notNeeded].contains($0.status) }
        let list = counts.joined(separator: ", ")
        let head = isWhole ? "\(title): \(list)." : "  \(list)    all: syncline check"
        return [head] + shown.map { "  \($0.text)" }
    }

    /// Adds what is known of a thing beside the project's files.
    public mutating func addRow(
        _ category: String, _ name: String, _ status: ReportRow.Status, _ sentence: String, file: String
    ) {
        rows.append(ReportRow(category: category, name: name, status: status, sentence: sentence, file: file))
    }

    /// The project, its client platform, environment and region.
    public var title: String {
        let platforms = ["ios": "iOS", "android": "Android", "flutter": "Flutter", "javascript": "JavaScript"]
        let platform = frontend.map { ", \(platforms[$0] ?? $0)" } ?? ""
        return PrintableText.line(
            "Amplify project \(name) (Gen \(generation)\(platform)), environment \(environment), \(region)")
    }

    /// The report for machines.
    public var reportJSON: JSONValue {
        [
            "project": .string(name), "environment": .string(environment),
            "environments": .array(environments.map(JSONValue.string)), "region": .string(region),
            "api": api.map { .string($0) } ?? .null, "rows": .array(rows.map(\.json)),
        ]
    }

    /// The report in Markdown: a section for each category, and what is left to do. Nothing in it depends on the time or
    /// the machine. Names of the project take one line, without control characters.
    public var markdown: String {
        var lines = ["# \(title)"]
        var categories: [String] = []
        for row in rows where !categories.contains(row.category) { categories.append(row.category) }
        for category in categories {
            lines += [
                "", "## \(PrintableText.line(category))", "", "| name | served | what | where |",
                "| --- | --- | --- | --- |",
            ]
            for row in rows where row.category == category {
                let cells = [row.name, row.status.words, row.sentence, row.location ?? ""]
                lines.append(
                    "| " + cells.map { PrintableText.line($0).replacing("|", with: "\\|") }.joined(separator: " | ")
                        + " |")
            }
        }
        lines += ["", "## What you must do", ""]
        lines += tasks.isEmpty ? ["Nothing."] : tasks.map { "- \(PrintableText.line($0))" }
        if !warnings.isEmpty {
            lines += ["", "## Warnings", ""] + warnings.map { "- \(PrintableText.line($0.message))" }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
