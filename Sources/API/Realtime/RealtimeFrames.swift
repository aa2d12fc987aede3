import JSON

/// The messages of a server as bytes. The keys stand in the order in which AppSync was seen to write them.
enum RealtimeFrames {
    static let keepAlive = Array(#"{"type":"ka"}"#.utf8)

    /// AppSync's clients require a timeout (reference: appsync-protocol, "Connection handshake"); the other protocols
    /// have no payload.
    static func connectionAck(_ dialect: RealtimeDialect) -> [UInt8] {
        guard dialect == .appSync else { return Array(#"{"type":"connection_ack"}"#.utf8) }
        let timeout = RealtimeLimits.connectionTimeoutMilliseconds
        return Array(#"{"type":"connection_ack","payload":{"connectionTimeoutMs":\#(timeout)}}"#.utf8)
    }

    /// AppSync's message (reference: appsync-protocol, "Connection errors"). Apollo's protocol leaves the payload open.
    static func connectionError(_ error: RealtimeError, code: Int64) -> [UInt8] {
        write { writer in
            writer.append("{\"payload\":{\"errors\":[")
            writer.write(error, code: code)
            writer.append("]},\"type\":\"connection_error\"}")
        }
    }

    static func startAck(id: String) -> [UInt8] { message(id: id, type: "start_ack") { $0.append(UInt8(ascii: "}")) } }

    static func complete(id: String) -> [UInt8] { message(id: id, type: "complete") { $0.append(UInt8(ascii: "}")) } }

    /// The pong to a ping, with its payload.
    static func pong(_ payload: [UInt8]?) -> [UInt8] {
        guard let payload else { return Array(#"{"type":"pong"}"#.utf8) }
        return Array(#"{"type":"pong","payload":"#.utf8) + payload + [UInt8(ascii: "}")]
    }

    /// An `error`. AppSync's payload has the list (reference: appsync-protocol, "Subscription errors"), which Apollo's
    /// clients look for as well, beside the one message that their protocol asks for; that of `graphql-transport-ws` is
    /// the list.
    static func error(id: String?, _ errors: [RealtimeError], _ dialect: RealtimeDialect) -> [UInt8] {
        error(id: id, list: list(errors), firstMessage: errors.first?.message ?? "", dialect)
    }

    /// An `error` with a list that is JSON already.
    static func error(id: String?, list: [UInt8], firstMessage: String, _ dialect: RealtimeDialect) -> [UInt8] {
        message(id: id, type: "error") { writer in
            writer.append(",\"payload\":")
            if dialect == .apollo {
                writer.append("{\"message\":")
                writer.writeString(firstMessage)
                writer.append(",\"errors\":")
            }
            if dialect == .appSync { writer.append("{\"errors\":") }
            writer.append(list)
            if dialect != .transport { writer.append(UInt8(ascii: "}")) }
            writer.append(UInt8(ascii: "}"))
        }
    }

    /// `{"id":…,"type":…` and what `rest` adds; without an `id` the key is left out, because clients fail on an empty one.
    static func message(id: String?, type: StaticString, _ rest: (inout JSONWriter) -> Void) -> [UInt8] {
        write { writer in
            writer.append(UInt8(ascii: "{"))
            if let id {
                writer.append("\"id\":")
                writer.writeString(id)
                writer.append(UInt8(ascii: ","))
            }
            writer.append("\"type\":\"")
            writer.append(type)
            writer.append(UInt8(ascii: "\""))
            rest(&writer)
        }
    }

    private static func list(_ errors: [RealtimeError]) -> [UInt8] {
        write { writer in
            writer.append(UInt8(ascii: "["))
            for (index, error) in errors.enumerated() {
                if index > 0 { writer.append(UInt8(ascii: ",")) }
                writer.write(error, code: nil)
            }
            writer.append(UInt8(ascii: "]"))
        }
    }

    private static func write(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        body(&writer)
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ error: RealtimeError, code: Int64?) {
        append(UInt8(ascii: "{"))
        if let errorType = error.errorType {
            append("\"errorType\":")
            writeString(errorType)
            append(UInt8(ascii: ","))
        }
        append("\"message\":")
        writeString(error.message)
        if let code {
            append(",\"errorCode\":")
            write(code)
        }
        if let explanation = error.explanation {
            append(",\"extensions\":")
            write(explanation.extensions)
        }
        append(UInt8(ascii: "}"))
    }
}
