/// One of the writes of a transaction.
package enum RecordWrite: Sendable {
    /// Makes a record; it fails where one with its key is.
    case insert(any Record)
    /// Writes a record over the one that it was read from; it fails where that has changed.
    case replace(any Record)
    /// Removes a record; it fails where it has changed.
    case delete(any Record)
    /// Fails where no record with its key is.
    case require(any Record)

    /// Seconds that a write may wait that is alone in its transaction.
    static let secondsMax = 10

    /// The write of the record's item.
    func write(to tables: StoredRecordTables) -> Write {
        switch self {
        case .insert(let record): record.insertion(into: tables)
        case .replace(let record): record.replacement(in: tables)
        case .delete(let record): record.deletion(from: tables)
        case .require(let record): record.requirement(in: tables)
        }
    }
}

extension Record {
    fileprivate func insertion(into tables: StoredRecordTables) -> Write {
        let row = row + [.integer(revision + 1)]
        return Write(
            table: tables[Self.self], action: .put(row.enumerated().map { (column: $0.offset, value: $0.element) }),
            returning: [])
    }

    fileprivate func replacement(in tables: StoredRecordTables) -> Write {
        let table = tables[Self.self]
        let key = table.table.key.columns
        let row = row + [.integer(revision + 1)]
        let changes = row.indices.filter { !key.contains($0) }.map { (column: $0, value: row[$0]) }
        return Write(
            table: table, action: .update(key: key.map { row[$0] }, changes), condition: hasRevision(in: table),
            returning: [])
    }

    fileprivate func deletion(from tables: StoredRecordTables) -> Write {
        let table = tables[Self.self]
        return Write(table: table, action: .delete(key: key), condition: hasRevision(in: table), returning: [])
    }

    fileprivate func requirement(in tables: StoredRecordTables) -> Write {
        Write(table: tables[Self.self], action: .update(key: key, []), returning: [])
    }

    private func hasRevision(in table: StoredTable) -> Condition {
        .compare(column: table.table.columns.count - 1, .eq, .integer(revision))
    }
}
