import Encodings
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

        /// The status, for people.
        var words: String {
            switch self {
            case .notServed: "not served"
            case .notNeeded: "not needed"
            case .same, .different, .missing: rawValue
            }
        }
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

    /// The file, and the line if it is known: `file:line`.
    var location: String? { file.map { file in line.map { "\(file):\($0)" } ?? file } }

    /// The row for a terminal.
    public var text: String {
        PrintableText.line("\(category) \(name): \(status.words). \(sentence)\(location.map { " (\($0))" } ?? "")")
    }
}
