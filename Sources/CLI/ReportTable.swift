import Encodings
import JSON
import Server

/// A report as text: a table for people, or CSV (RFC 4180).
struct ReportTable {
    private let columns: [String]
    private let rows: [[JSONValue]]

    init(_ answer: JSONValue) {
        let columns = answer["columns"]?.arrayValue?.compactMap(\.stringValue) ?? []
        self.columns = columns
        rows = (answer["items"]?.arrayValue ?? []).map { item in columns.map { item[$0] ?? .null } }
    }

    var csv: String { ([columns.map(JSONValue.string)] + rows).map(Self.csv).joined(separator: "\n") }

    /// A line of CSV. A number is no text that a spreadsheet could evaluate.
    static func csv(_ values: [JSONValue]) -> String {
        values.map { value in
            switch value {
            case .null, .number: text(of: value)
            default: CSVWriter.cell(PrintableText.lines(text(of: value)))
            }
        }.joined(separator: ",")
    }

    static func csv(_ columns: [String]) -> String { csv(columns.map(JSONValue.string)) }

    private static func text(of value: JSONValue) -> String {
        switch value {
        case .null: ""
        case .string(let text): text
        default: value.description
        }
    }

    /// Columns beside one another, numbers to the right.
    var text: String {
        guard !rows.isEmpty else { return "There is nothing to report." }
        let cells = ([columns] + rows.map { $0.map { Self.text(of: $0) } }).map { $0.map(PrintableText.line) }
        let widths = columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.enumerated().map { index, row in
            let fields = columns.indices.map { column -> String in
                let fill = String(repeating: " ", count: widths[column] - row[column].count)
                let isNumber = rows.contains { if case .number = $0[column] { true } else { false } }
                return isNumber ? fill + row[column] : row[column] + fill
            }
            let line = fields.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}
