import API
import JSON
import Tables

extension OperationRecord {
    /// The plan of an operation, as explanations have it.
    func planJSON(isCached: Bool) -> JSONValue {
        ["cached": .bool(isCached), "uses": .number(String(notedUseCount))]
    }
}

extension WorkNotes {
    /// The writes, as explanations have them.
    var writesJSON: JSONValue { .array(writes.map(\.json)) }

    /// The events, as explanations have them. The counts of one are null while some loop has not matched it.
    var eventsJSON: JSONValue { .array(events.map(\.json)) }
}

extension WriteNote {
    fileprivate var json: JSONValue {
        [
            "path": .string(path), "table": .string(statement.table),
            "access": .string("\(statement.table) by primary key"),
            "sql": .string(statement.sql), "condition": statement.conditionText.map(JSONValue.string) ?? .null,
            "version": version.map { .number(String($0)) } ?? .null,
            "conflict": conflict.map(JSONValue.string) ?? .null,
        ]
    }
}

extension EventNote {
    fileprivate var json: JSONValue {
        func number(_ count: Int?) -> JSONValue { count.map { .number(String($0)) } ?? .null }
        let counts = counts
        return [
            "topic": .string(topic), "subscriptions": number(counts?.subscriptions),
            "delivered": number(counts?.delivered), "filtered": number(counts.map { $0.subscriptions - $0.delivered }),
        ]
    }
}
