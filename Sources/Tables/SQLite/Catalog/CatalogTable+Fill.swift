extension CatalogTable {
    /// The statement that fills a column; nil if it is not stored.
    func fill(_ column: String, with value: Value, stamp: Int64) -> SQLStatement? {
        guard let target = self[column: column]?.storedName.quoted else { return nil }
        var values = ["\(target) = ?1"]
        var condition = "\(target) IS NULL"
        if let versioning, versioning.isOn {
            values += ["\(metadata(0)) = \(metadata(0)) + 1", "\(metadata(2)) = \(stamp)"]
            condition += " AND \(metadata(1)) IS NULL"
        }
        return SQLStatement(
            "UPDATE \(storedName.quoted) SET \(values.joined(separator: ", ")) WHERE \(condition)", [value])
    }

    /// Reads one item with all columns, which shows that the table is as the catalog has it.
    func verify(on connection: Connection) throws(StoreError) {
        let names = columns.map(\.storedName.quoted)
        _ = try connection.rows(
            "SELECT \(names.joined(separator: ", ")) FROM \(storedName.quoted) LIMIT 1", columns: names.count)
    }
}
