import JSON

/// The result of a `PutEvents`, for each endpoint and event.
struct EventsResult: Sendable {
    /// The status and message of an endpoint or an event.
    enum Outcome: Sendable, Hashable {
        case accepted
        case refused(Int, String)
    }

    struct Item: Sendable {
        let id: String
        var endpoint = Outcome.accepted
        var events: [(id: String, outcome: Outcome)] = []
    }

    var items: [Item] = []

    /// Pinpoint's `EventsResponse`. Clients drop an event when its status is 202 and its message `Accepted`.
    var body: [UInt8] {
        var writer = JSONWriter(capacity: 128 + 100 * items.reduce(0) { $0 + 1 + $1.events.count })
        writer.append(#"{"Results":{"#)
        for (position, item) in items.enumerated() {
            if position > 0 { writer.append(UInt8(ascii: ",")) }
            writer.writeString(item.id)
            writer.append(#":{"EndpointItemResponse":"#)
            writer.write(item.endpoint)
            writer.append(#","EventsItemResponse":{"#)
            for (position, event) in item.events.enumerated() {
                if position > 0 { writer.append(UInt8(ascii: ",")) }
                writer.writeString(event.id)
                writer.append(UInt8(ascii: ":"))
                writer.write(event.outcome)
            }
            writer.append("}}")
        }
        writer.append("}}")
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ outcome: EventsResult.Outcome) {
        switch outcome {
        case .accepted: append(#"{"StatusCode":202,"Message":"Accepted"}"#)
        case .refused(let status, let message):
            append(#"{"StatusCode":"#)
            write(Int64(status))
            append(#","Message":"#)
            writeString(message)
            append(UInt8(ascii: "}"))
        }
    }
}
