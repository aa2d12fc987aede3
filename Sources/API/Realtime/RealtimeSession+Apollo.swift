// Apollo's older protocol (subscriptions-transport-ws, PROTOCOL.md), once its connection is authorized.

extension RealtimeSession {
    mutating func receiveApollo(_ message: RealtimeMessage, at now: Int64) -> [Action] {
        switch message.kind {
        case .connectionInit: acknowledge(at: now)
        case .connectionTerminate: close(1000, "")
        case .start: startApollo(message)
        case .stop:
            if let id = message.id, isActive(id) { drop(id) + [.send(RealtimeFrames.complete(id: id))] } else { [] }
        default: refuseMessage(message.id, .badRequest("The type of the message is unknown."))
        }
    }

    /// The payload is the envelope. A `start` with the identifier of a live operation takes its place.
    private mutating func startApollo(_ message: RealtimeMessage) -> [Action] {
        guard let id = message.id, id.utf8.count <= limits.operationIDBytesMax else {
            return refuse(
                nil, .badRequest("A start has an id of no more than \(limits.operationIDBytesMax) bytes."))
        }
        let dropped = drop(id)
        guard message.byteCount <= limits.startBytesMax else {
            return dropped + refuse(id, .badRequest("The message is larger than \(limits.startBytesMax) bytes."))
        }
        guard let envelope = message.objectPayload, message.hasQuery else {
            return dropped + refuse(id, .unreadableOperation)
        }
        return dropped + begin(id, envelope: envelope)
    }
}
