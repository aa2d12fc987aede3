import API
import JSON
import Tables

extension AnswerWork {
    /// What rows were read by, as explanations have it. The number of items is that of all; it is known of a statement if it is the only one.
    var readsJSON: JSONValue {
        .array(
            statements.map { statement in
                var read: JSONObject = [
                    "path": .string(statement.accessPath), "model": .string(statement.table),
                    "index": statement.indexName.map(JSONValue.string) ?? .null,
                    "scan": .bool(statement.isScan), "sql": .string(statement.sql),
                ]
                if statements.count == 1 { read["itemsRead"] = .number(String(rowCount)) }
                return .object(read)
            })
    }
}

extension ReadStatement {
    /// Whether a list of items is read without an index.
    var isScan: Bool { accessPath == "\(table) by scan" }

    /// The index; nil for a scan and for the primary key.
    var indexName: String? {
        let name = accessPath.dropFirst(table.count + " by ".count)
        return isScan || name == "primary key" ? nil : String(name)
    }
}
