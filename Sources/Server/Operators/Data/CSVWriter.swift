/// Writes comma-separated values (RFC 4180) that spreadsheets do not take for formulas.
package enum CSVWriter {
    /// A line of cells, with its end.
    static func line(_ cells: [String]) -> [UInt8] { Array((cells.joined(separator: ",") + "\r\n").utf8) }

    /// A text as a cell. One that a spreadsheet would take for a formula gets an apostrophe before it (OWASP, "CSV Injection"), and so does
    /// one that has apostrophes before such a text already, so that `text(ofCell:)` gives back every text. The empty text is quoted, because
    /// an empty cell is an absent value.
    package static func cell(_ text: String) -> String {
        guard let first = text.utf8.first else { return "\"\"" }
        let isFormula = isFormula(text.utf8.drop { $0 == UInt8(ascii: "'") })
        let shown = isFormula ? "'" + text : text
        let needsQuotes = isFormula || shown.utf8.contains { ",\"\r\n".utf8.contains($0) } || first == UInt8(ascii: " ")
        return needsQuotes ? "\"\(shown.replacing("\"", with: "\"\""))\"" : shown
    }

    /// The text that a cell stands for: without the apostrophe that `cell(_:)` has put before it.
    static func text(ofCell cell: String) -> String {
        let rest = cell.utf8.drop { $0 == UInt8(ascii: "'") }
        guard rest.count < cell.utf8.count, isFormula(rest) else { return cell }
        return String(decoding: cell.utf8.dropFirst(), as: UTF8.self)
    }

    /// By its first bytes: what follows may be joined with them to another character. Some spreadsheets take the full-width forms of the
    /// four characters for them (OWASP, "CSV Injection").
    private static func isFormula(_ text: Substring.UTF8View) -> Bool {
        guard let first = text.first else { return false }
        return "=+-@\t\r\n".utf8.contains(first) || fullWidthForms.contains { text.starts(with: $0) }
    }

    /// In UTF-8: U+FF1D, U+FF0B, U+FF0D and U+FF20.
    private static let fullWidthForms = "\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.map { Array(String($0).utf8) }
}
