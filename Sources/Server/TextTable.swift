/// Tables for terminals.
enum TextTable {
    /// Columns as wide as their widest cell, the last one as it is.
    static func lines(_ rows: [[String]]) -> [String] {
        let columnCount = rows.first?.count ?? 0
        let widths = (0..<columnCount).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.indices.reduce(into: "") { line, column in
                let padding = column == columnCount - 1 ? 0 : widths[column] - row[column].count
                line += "  " + row[column] + String(repeating: " ", count: padding)
            }
        }
    }
}
