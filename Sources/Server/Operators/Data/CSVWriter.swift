/// Writes comma-separated values (RFC 4180) that spreadsheets do not take for formulas.
enum CSVWriter {
    /// A line of cells, with its end.
    static func line(_ cells: [String]) -> [UInt8] { Array((cells.joined(separator: ",") + "\r\n").utf8) }

    /// A text as a cell. One that a spreadsheet would take for a formula gets an apostrophe before it (OWASP, "CSV Injection").
    /// The empty text is quoted, because an empty cell is an absent value.
    static func cell(_ text: String) -> String {
        guard let first = text.utf8.first else { return "\"\"" }
        let isFormula = "=+-@\t\r".utf8.contains(first)
        let shown = isFormula ? "'" + text : text
        let needsQuotes = isFormula || shown.utf8.contains { ",\"\r\n".utf8.contains($0) } || first == UInt8(ascii: " ")
        return needsQuotes ? "\"\(shown.replacing("\"", with: "\"\""))\"" : shown
    }
}
