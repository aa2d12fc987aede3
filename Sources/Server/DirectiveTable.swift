import JSON
import Transformer

// What each directive is served as, for people and for machines.

extension DirectiveReport {
    var versionNumber: Int { transformerVersion == .v2 ? 2 : 1 }

    /// The version, a table for each file, and how many directives are served how.
    var lines: [String] {
        var lines = ["The schema is of version \(versionNumber) of the transformer."]
        var files: [String] = []
        for use in uses where !files.contains(use.fileName) { files.append(use.fileName) }
        for file in files {
            lines.append(file)
            lines += TextTable.lines(uses.filter { $0.fileName == file }.map(\.cells))
        }
        let counts = Status.allCases.filter { count(of: $0) > 0 }.map { "\(count(of: $0)) \($0.words)" }
        if !counts.isEmpty { lines.append("Directives: \(counts.joined(separator: ", ")).") }
        return lines
    }
}

extension DirectiveReport.Status {
    fileprivate var words: String {
        switch self {
        case .same: "same"
        case .different: "different"
        case .notServed: "not served"
        }
    }
}

extension DirectiveReport.Use {
    fileprivate var fileName: String { place?.sourceName ?? "" }

    fileprivate var cells: [String] {
        [place.map { "\($0.line):\($0.column)" } ?? "", status.words, "@\(directive)", subject, sentence]
    }

    var json: JSONValue {
        [
            "directive": .string(directive),
            "on": .string(subject),
            "status": .string(status.rawValue),
            "sentence": .string(sentence),
            "file": place.map { .string($0.sourceName) } ?? .null,
            "line": place.map { .number(String($0.line)) } ?? .null,
            "column": place.map { .number(String($0.column)) } ?? .null,
        ]
    }
}
