public import JSON

/// What is served of one thing of a project.
public struct ReportRow: Sendable, Hashable {
    /// How it is served.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// As Amplify deploys it.
        case same
        /// With a difference that the sentence names.
        case different
        /// Not at all.
        case notServed
        /// It has no meaning here.
        case notNeeded
        /// It is named, and not there.
        case missing
    }

    /// Amplify's category, or `project`.
    public var category: String
    /// The resource, file or flag.
    public var name: String
    /// How it is served.
    public var status: Status
    /// What is served, in one sentence.
    public var sentence: String
    /// The file that says it.
    public var file: String?
    /// The line in that file, from 1.
    public var line: Int?

    /// The row as JSON.
    public var json: JSONValue {
        [
            "category": .string(category), "name": .string(name), "status": .string(status.rawValue),
            "sentence": .string(sentence), "file": file.map { .string($0) } ?? .null,
            "line": line.map { .number(String($0)) } ?? .null,
        ]
    }

    /// The row for a terminal.
    public var text: String {
        let words: [Status: String] = [.notServed: "not served", .notNeeded: "not needed"]
        let place = file.map { " (\($0)\(line.map { ":\($0)" } ?? ""))" } ?? ""
        return "\(category) \(name): \(words[status] ?? status.rawValue). \(sentence)\(place)"
    }
}
