import JSON

/// An event of an export as a row of CSV.
enum ExportedEvent {
    static let columns = ["app", "time", "type", "id", "user", "endpoint", "session", "attributes", "metrics"]

    static func row(_ event: JSONValue) -> [JSONValue] {
        let sent = event["event"] ?? .null
        func text(_ value: JSONValue?) -> JSONValue {
            value.map { $0.isNull ? .null : .string($0.description) } ?? .null
        }
        return [
            event["app"] ?? .null, event["time"] ?? .null, sent["EventType"] ?? .null, event["id"] ?? .null,
            event["user"] ?? .null, event["endpoint"] ?? .null, sent["Session"]?["Id"] ?? .null,
            text(sent["Attributes"]), text(sent["Metrics"]),
        ]
    }
}
