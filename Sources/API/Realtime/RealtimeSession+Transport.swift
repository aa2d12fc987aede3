// The protocol `graphql-transport-ws` (graphql-ws, PROTOCOL.md). Whatever it does not know closes the socket.

extension RealtimeSession {
    mutating func receiveTransport(_ message: RealtimeMessage, at now: Int64) -> [Action] {
        switch message.kind {
        case .connectionInit:
            guard phase == .waiting else { return close(4429, "Too many initialisation requests") }
            guard let authorization = connectionAuthorization(message) else {
                return close(4400, "The authorization is longer than \(limits.authorizationBytesMax) bytes.")
            }
            return authenticate(authorization)
        case .ping: return [.send(RealtimeFrames.pong(message.objectPayload))]
        case .pong: return []
        case .subscribe:
            guard phase == .open else { return close(4401, "Unauthorized") }
            return subscribeTransport(message)
        case .complete:
            guard let id = message.id else { return close(4400, "Invalid message") }
            return drop(id)
        default: return close(4400, "Invalid message")
        }
    }

    private mutating func subscribeTransport(_ message: RealtimeMessage) -> [Action] {
        guard let id = message.id, id.utf8.count <= limits.operationIDBytesMax, message.hasQuery,
            let envelope = message.objectPayload
        else { return close(4400, "Invalid message") }
        guard !isActive(id) else { return close(4409, "Subscriber for \(id) already exists") }
        guard message.byteCount <= limits.startBytesMax else {
            return refuse(id, .badRequest("The message is larger than \(limits.startBytesMax) bytes."))
        }
        return begin(id, envelope: envelope)
    }
}
