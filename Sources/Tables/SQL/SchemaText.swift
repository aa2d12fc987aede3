/// The only place that writes SQL for tables and indexes.
extension CatalogTable {
    /// Adds a column, under a name that differs from the others also for SQLite, which ignores case.
    @discardableResult
    mutating func add(_ name: String, _ type: ColumnType?) -> CatalogColumn {
        let taken = Set(columns.map(\.storedName.lowercasedASCII) + ["#"])
        let column = CatalogColumn(
            name: name, storedName: name.unique { taken.contains($0.lowercasedASCII) }, type: type)
        columns.append(column)
        return column
    }

    /// Adds the generated columns of the table's composite sort keys, as far as they are missing.
    @discardableResult
    mutating func addSortColumns(of table: Table) -> [CatalogColumn] {
        var made: [CatalogColumn] = []
        for key in [table.key] + table.indexes.map(\.key) where key.isComposite {
            let name = table.sortName(of: key)
            if self[column: name] == nil { made.append(add(name, nil)) }
        }
        return made
    }

    func createTable(_ name: String) -> String {
        let columns = ["\"#\" INTEGER PRIMARY KEY"] + columns.map(definition)
        return "CREATE TABLE \(name.quoted) (\(columns.joined(separator: ", ")))"
    }

    func addColumn(_ column: CatalogColumn) -> String {
        "ALTER TABLE \(storedName.quoted) ADD COLUMN \(definition(column))"
    }

    /// The index that keeps primary keys unique.
    func createKeyIndex(on table: String) -> String {
        "CREATE UNIQUE INDEX \(keyIndex.quoted) ON \(table.quoted) (\(columns(of: key).joined(separator: ", ")))"
    }

    /// A secondary index holds the items that have its attributes, and no others.
    func createIndex(_ index: CatalogIndex) -> String {
        let columns = columns(of: index.key)
        let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        return "CREATE INDEX \(index.storedName.quoted) ON \(storedName.quoted) (\(columns.joined(separator: ", "))) "
            + "WHERE \(present)"
    }

    /// The partition key's column and the sort key's one column, quoted.
    func columns(of key: [String]) -> [String] {
        let sort = key.dropFirst().joined(separator: "#")
        return [key.first, sort.isEmpty ? nil : sort].compactMap { $0 }.map(storedColumn)
    }

    /// All values of a column; nil where there is no such column.
    func selectColumn(_ name: String) -> String? {
        self[column: name].map { "SELECT \($0.storedName.quoted) FROM \(storedName.quoted)" }
    }

    func storedColumn(_ name: String) -> String {
        (self[column: name]?.storedName ?? name).quoted
    }

    /// The columns with a type, quoted.
    var typedColumns: [String] { columns.filter { $0.type != nil }.map(\.storedName.quoted) }

    /// What is counted for a step that leaves all items as they are.
    var census: Census { Census(table: storedName.quoted) }

    /// `||` is NULL if a part is, so an item that lacks a part lacks the composite key. A REAL part is rendered as one
    /// even where SQLite keeps it as an integer.
    static func joined(_ parts: [(sql: String, type: ColumnType?)]) -> String {
        parts.map { $0.type == .real ? "CAST(\($0.sql) AS REAL)" : $0.sql }.joined(separator: " || '#' || ")
    }

    private func definition(_ column: CatalogColumn) -> String {
        guard let type = column.type else {
            let joined = Self.joined(
                column.name.split(separator: "#").map { name in
                    (storedColumn(String(name)), self[column: String(name)]?.type)
                })
            return "\(column.storedName.quoted) TEXT GENERATED ALWAYS AS (\(joined)) VIRTUAL"
        }
        return "\(column.storedName.quoted) \(type.sql)"
    }
}

extension ColumnType {
    /// The type as SQLite has it; its affinity is what matters.
    fileprivate var sql: String {
        switch self {
        case .text, .json: "TEXT"
        case .integer, .boolean: "INTEGER"
        case .real: "REAL"
        }
    }

    /// What is true of a value that does not survive the conversion, or only rounded; nil when every value does.
    func loss(of column: String, to type: ColumnType) -> String? {
        switch (self, type) {
        case _ where self == type: nil
        case (.integer, .text), (.boolean, .text), (.boolean, .integer), (.boolean, .real), (.json, .text): nil
        // A double has 53 bits for the digits of a whole number.
        case (.integer, .real): "\(column) NOT BETWEEN -9007199254740992 AND 9007199254740992"
        case (.real, .text): "CAST(\(conversion(of: column, to: type)) AS REAL) <> \(column)"
        // More digits than a double has may be more than are kept.
        case (.text, .real):
            "\(column) IS NOT NULL AND (\(conversion(of: column, to: type)) IS NULL OR length(\(column)) > 15 AND "
                + "CAST(CAST(\(column) AS REAL) AS TEXT) <> \(column))"
        default: "\(column) IS NOT NULL AND (\(conversion(of: column, to: type))) IS NULL"
        }
    }

    /// Whether a value of either type is rendered as the same text in a composite sort key.
    func rendersLike(_ type: ColumnType) -> Bool {
        switch (self, type) {
        case (.integer, .text), (.text, .integer), (.real, .text), (.text, .real), (.boolean, .integer): true
        default: self == type
        }
    }

    /// A column's value as another type; NULL, which is absent, where it has none.
    func conversion(of column: String, to type: ColumnType) -> String {
        switch (self, type) {
        case (.text, .integer):
            "CASE WHEN CAST(CAST(\(column) AS INTEGER) AS TEXT) = \(column) THEN CAST(\(column) AS INTEGER) END"
        case (.text, .real):
            """
            CASE WHEN json_valid(\(column)) THEN \
            CASE WHEN json_type(\(column)) IN ('integer', 'real') AND abs(CAST(\(column) AS REAL)) < 9e999 \
            THEN CAST(\(column) AS REAL) END END
            """
        case (.text, .boolean):
            "CASE \(column) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"
        case (.text, .json):
            """
            CASE WHEN json_valid(\(column)) THEN \
            CASE WHEN json_type(\(column)) IN ('array', 'object') THEN json(\(column)) END END
            """
        case (.integer, .text):
            "CAST(\(column) AS TEXT)"
        // As text SQLite writes 15 digits, and it takes 17 to distinguish every double.
        case (.real, .text):
            """
            CASE WHEN \(column) IS NULL THEN NULL \
            WHEN CAST(CAST(\(column) AS TEXT) AS REAL) = \(column) THEN CAST(\(column) AS TEXT) \
            ELSE printf('%!.17g', \(column)) END
            """
        case (.integer, .real), (.boolean, .real), (.boolean, .integer), (.json, .text):
            column
        case (.integer, .boolean):
            "CASE WHEN \(column) IN (0, 1) THEN \(column) END"
        case (.real, .integer):
            "CASE WHEN \(column) = CAST(\(column) AS INTEGER) THEN CAST(\(column) AS INTEGER) END"
        case (.boolean, .text):
            "CASE \(column) WHEN 1 THEN 'true' WHEN 0 THEN 'false' END"
        case (.text, .text), (.integer, .integer), (.real, .real), (.boolean, .boolean), (.json, .json):
            column
        case (.json, _), (.integer, .json), (.real, .json), (.boolean, .json), (.real, .boolean):
            "NULL"
        }
    }
}
