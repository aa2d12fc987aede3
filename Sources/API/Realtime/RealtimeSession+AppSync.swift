// AppSync's protocol, once its connection is authorized
// (reference: appsync-protocol, "Starting and stopping a subscription")
// (reference: appsync-protocol, "Subscription errors").

extension RealtimeSession {
    mutating func receiveAppSync(_ message: RealtimeMessage, at now: Int64) -> [Action] {
        switch message.kind {
        case .connectionInit: acknowledge(at: now)
        case .start: startAppSync(message, at: now)
        case .stop:
            if let id = message.id {
                // Swift's and Android's clients wait for it, whether or not there was such a subscription.
                drop(id) + [.send(RealtimeFrames.complete(id: id))]
            } else {
                refuse(nil, .badRequest("A stop names the id of its subscription."))
            }
        default: refuseMessage(message.id, .unsupported("unknown"))
        }
    }

    /// `connection_init` may be left out. A `start` with the identifier of a live subscription takes its place.
    private mutating func startAppSync(_ message: RealtimeMessage, at now: Int64) -> [Action] {
        keepAlive(from: now)
        guard let id = message.id else { return refuse(nil, .unsupported("unknown")) }
        guard id.utf8.count <= limits.operationIDBytesMax else {
            return refuse(nil, .badRequest("The id is longer than \(limits.operationIDBytesMax) bytes."))
        }
        let dropped = drop(id)
        guard message.byteCount <= limits.startBytesMax else {
            return dropped + refuse(id, .badRequest("The message is larger than \(limits.startBytesMax) bytes."))
        }
        let start = message.appSyncStart(authorizationBytesMax: limits.authorizationBytesMax)
        guard let envelope = start.envelope else { return dropped + refuse(id, .unsupported("unknown")) }
        guard !start.hasUnreadableAuthorization else { return dropped + refuse(id, .unreadableAuthorization) }
        guard let authorization = start.authorization else { return dropped + refuse(id, .permissionDenied) }
        return dropped + begin(id, envelope: envelope, authorization: authorization)
    }
}
